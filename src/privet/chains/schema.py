"""The shape of model files: which fields there are, of which types. Loads pydantic.

Contract. The classes here say what may stand in a file, and the JSON Schemas published in
docs/schemas are made from them. That rows sum to 1, and the like, is checked by the models
themselves. Unknown fields are refused, and nothing is converted: true is no number, "1/3" stays
text.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

Symbol = StrictStr | StrictInt | StrictFloat | StrictBool

Probability = Annotated[
    StrictStr | StrictInt | StrictFloat,
    Field(description='An exact probability as text ("1/3", "0.1") or 0 or 1; or a float.'),
]

Distribution = Annotated[list[Probability], Field(min_length=2)]
"""A row of probabilities that sum to 1."""


class MarkovChainFile(BaseModel):
    """A Markov chain: P(first state = i) = initial[i], P(j follows i) = transition[i][j]."""

    model_config = ConfigDict(extra="forbid", title="Markov chain")

    kind: Literal["markov-chain"]
    states: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    initial: Distribution
    transition: Annotated[list[Distribution], Field(min_length=2)]


class HiddenMarkovModelFile(BaseModel):
    """A hidden Markov model: P(j follows i) = transition[i][j], P(o seen in i) = emission[i][o]."""

    model_config = ConfigDict(extra="forbid", title="Hidden Markov model")

    kind: Literal["hidden-markov-model"]
    states: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    observations: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    transition: Annotated[list[Distribution], Field(min_length=2)]
    emission: Annotated[list[Distribution], Field(min_length=2)]


class LanguageFile(BaseModel):
    """A language: the words that a deterministic automaton accepts."""

    model_config = ConfigDict(extra="forbid", title="Language")

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
    accepting: Annotated[list[StrictInt], Field(description="States in which a word may end.")]


FILES: dict[str, type[BaseModel]] = {
    "markov-chain": MarkovChainFile,
    "hidden-markov-model": HiddenMarkovModelFile,
    "language": LanguageFile,
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
