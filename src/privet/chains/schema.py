"""The shape of model files: which fields there are, of which types. Loads pydantic.

Contract. The classes here say what may stand in a file, and the JSON Schemas published in
docs/schemas are made from them. That rows sum to 1, and the like, is checked by the models
themselves. Unknown fields are refused, and nothing is converted: true is no number, "1/3" stays
text.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
)

from privet.chains.box_schema import ChainBoxFile

Symbol = StrictStr | StrictInt | StrictFloat | StrictBool

Probability = Annotated[
    StrictStr | StrictInt | StrictFloat,
    Field(description='An exact probability as text ("1/3", "0.1") or 0 or 1; or a float.'),
]

Distribution = Annotated[list[Probability], Field(min_length=2)]
"""A row of probabilities that sum to 1."""


class Origin(BaseModel):
    """The release that a chain was learnt from."""

    model_config = ConfigDict(extra="forbid", title="Origin of a chain")

    file: StrictStr
    sha256: StrictStr
    epsilon: StrictStr


class MarkovChainFile(BaseModel):
    """A Markov chain: P(first state = i) = initial[i], P(j follows i) = transition[i][j]."""

    model_config = ConfigDict(extra="forbid", title="Markov chain")

    kind: Literal["markov-chain"]
    states: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    initial: Distribution
    transition: Annotated[list[Distribution], Field(min_length=2)]
    learnt_from: Origin | None = Field(
        None, description="The release it was learnt from; privet fit --receipt writes it."
    )


class HiddenMarkovModelFile(BaseModel):
    """A hidden Markov model: P(j follows i) = transition[i][j], P(o seen in i) = emission[i][o]."""

    model_config = ConfigDict(extra="forbid", title="Hidden Markov model")

    kind: Literal["hidden-markov-model"]
    states: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    observations: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    transition: Annotated[list[Distribution], Field(min_length=2)]
    emission: Annotated[list[Distribution], Field(min_length=2)]


State = StrictStr | StrictInt

Accepting = Field(description="States in which a word may end.")


class PatternFile(BaseModel):
    """The words that a regular expression over the symbols describes."""

    model_config = ConfigDict(extra="forbid", title="Language by a pattern")

    kind: Literal["language"]
    alphabet: list[Symbol]
    pattern: Annotated[
        StrictStr,
        Field(
            description="Symbols separated by spaces; * + ? {2,5} repeat, | is either, ( ) group, "
            ". is any symbol, [a b] one of these, [^a b] one of the others."
        ),
    ]


class AllowedFile(BaseModel):
    """The words in which every symbol may follow the one before it."""

    model_config = ConfigDict(extra="forbid", title="Language by allowed transitions")

    kind: Literal["language"]
    alphabet: list[Symbol]
    allowed: Annotated[
        list[list[Annotated[StrictInt, Field(ge=0, le=1)]]],
        Field(description="allowed[i][j] is 1 if symbol j may follow symbol i."),
    ]
    start: Annotated[list[Symbol], Field(min_length=1)] | None = Field(
        None, description="The symbols a word may begin with; any unless given."
    )


class MovesFile(BaseModel):
    """The words that a nondeterministic automaton accepts."""

    model_config = ConfigDict(extra="forbid", title="Language by moves")

    kind: Literal["language"]
    alphabet: list[Symbol]
    moves: Annotated[
        list[tuple[State, Symbol | None, State]],
        Field(description="[state, symbol, next state]; null for a move that reads no symbol."),
    ]
    initial: Annotated[State, Field(description="The state before the first symbol.")]
    accepting: Annotated[list[State], Accepting]


class TransitionsFile(BaseModel):
    """The words that a deterministic automaton accepts; what Language.to_json writes."""

    model_config = ConfigDict(extra="forbid", title="Language by a table")

    kind: Literal["language"]
    alphabet: list[Symbol]
    transitions: Annotated[
        list[list[StrictInt | None]],
        Field(
            min_length=1,
            description="A row for each state, an entry for each symbol in order: the next state, "
            "or null where the word cannot go on.",
        ),
    ]
    initial: Annotated[StrictInt, Field(description="The state before the first symbol.")]
    accepting: Annotated[list[StrictInt], Accepting]


class LanguageFile(RootModel[PatternFile | AllowedFile | MovesFile | TransitionsFile]):
    """A language, the words that can happen, in one of four forms."""

    model_config = ConfigDict(title="Language")


LANGUAGES: dict[str, type[BaseModel]] = {
    "pattern": PatternFile,
    "allowed": AllowedFile,
    "moves": MovesFile,
    "transitions": TransitionsFile,
}
"""The class of each form of a language, by the field that tells it."""

FILES: dict[str, type[BaseModel]] = {
    "markov-chain": MarkovChainFile,
    "hidden-markov-model": HiddenMarkovModelFile,
    "language": LanguageFile,
    "chain-box": ChainBoxFile,
}
"""The class of each kind of file."""


def json_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of each kind, with the address of its dialect."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {kind: {"$schema": dialect, **file.model_json_schema()} for kind, file in FILES.items()}


def write_schemas(folder: Path) -> None:
    """Write docs/schemas anew: one file KIND.json for each kind."""
    for kind, schema in json_schemas().items():
        text = json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False)
        (folder / f"{kind}.json").write_text(text + "\n", encoding="utf-8")
