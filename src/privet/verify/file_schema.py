"""The shape of verification files. Loads pydantic, as `privet.chains.schema` does.

Contract. Which fields there are, of which types; docs/schemas/verification.json is made from it.
That laws sum to 1, and the like, is checked by `privet.verify.files`. Unknown fields are refused
and nothing is converted: true is no number, and a number with a decimal point is the decimal that
is written.
"""

import json
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

Name = StrictStr | StrictInt | StrictBool

Entry = Annotated[
    StrictStr | StrictInt | Annotated[Decimal, Field(strict=True)],
    Field(description='A probability: text ("1/3", "0.1"), or a number, which is what is written.'),
]

Row = Annotated[list[Entry], Field(min_length=1)]
Amount = StrictStr | StrictInt | Annotated[Decimal, Field(strict=True)]


class VerificationFile(BaseModel):
    """A hidden Markov model, laws of its first state, and what is claimed of them."""

    model_config = ConfigDict(extra="forbid", title="Verification")

    kind: Literal["verification"]
    states: Annotated[list[Name], Field(min_length=1)] | None = Field(
        None, description="Names; 0, 1, ... unless given."
    )
    observations: Annotated[list[Name], Field(min_length=1)] | None = Field(
        None, description="Names; 0, 1, ... unless given."
    )
    transition: Annotated[list[Row], Field(min_length=1)]
    emission: Annotated[list[Row], Field(min_length=1)]
    initial: Annotated[
        dict[StrictStr, Row | dict[StrictStr, Entry] | Name],
        Field(
            min_length=2,
            description="Laws of the first state by name: a row of probabilities, an object of "
            "them by state (0 for those left out), or one state.",
        ),
    ]
    pairs: Annotated[list[tuple[StrictStr, StrictStr]], Field(min_length=1)] | None = Field(
        None, description="Which laws are compared; every two of them unless given."
    )
    one_way: StrictBool = Field(
        False, description="Compare the first of a pair with the second, and not the reverse."
    )
    ratio: Amount | None = Field(None, description="How much likelier a word may be, e^epsilon.")
    epsilon: Amount | None = Field(None, description="The logarithm of the ratio, instead of it.")
    length: StrictInt | StrictStr = Field(
        "all", description='Symbols of a word: a number, a range such as "1..20", or "all".'
    )
    parameters: Annotated[list[StrictStr], Field(min_length=1)] | None = Field(
        None,
        description='Symbols that may stand in entries: a range for each, such as "0 < p < 1", and '
        'what they satisfy together, such as "p + q <= 1".',
    )
    ask: Literal["all", "find"] | None = Field(
        None,
        description="Whether the claim holds for all values of the parameters (the default), or "
        "for which ones it does: find some.",
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema, with the address of its dialect."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **VerificationFile.model_json_schema()}


def write_schema(folder: Path) -> None:
    """Write docs/schemas/verification.json anew."""
    text = json.dumps(json_schema(), indent=2, sort_keys=True, ensure_ascii=False)
    (folder / "verification.json").write_text(text + "\n", encoding="utf-8")
