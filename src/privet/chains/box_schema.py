"""The shape of a file of a box of chains. Loads pydantic, as `privet.chains.schema` does.

Contract. As there: which fields there are, of which types; that rows can sum to 1 is checked by the
box itself.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

Symbol = StrictStr | StrictInt | StrictFloat | StrictBool

Bound = Annotated[
    StrictStr | StrictInt | StrictFloat,
    Field(description='A bound as text ("1/3", "0.1") or 0 or 1; or a float.'),
]

Row = Annotated[list[Bound], Field(min_length=2)]


class ChainBoxFile(BaseModel):
    """All Markov chains with lower[i][j] <= P(j follows i) <= upper[i][j] at every step."""

    model_config = ConfigDict(extra="forbid", title="Box of Markov chains")

    kind: Literal["chain-box"]
    states: list[Symbol] | None = Field(None, description="Names; 0, 1, ... unless given.")
    lower: Annotated[list[Row], Field(min_length=2)]
    upper: Annotated[list[Row], Field(min_length=2)]
    confidence: StrictStr | StrictFloat | None = Field(
        None,
        description="The probability with which the box was made to hold the true chain, if it is "
        "a confidence region.",
    )
