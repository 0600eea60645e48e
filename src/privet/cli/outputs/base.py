"""What all schemas of outputs are made of: objects without unknown fields, and numbers.

Contract. A number that is exact is text, "1/3" or "37/10". A decimal is what is exact rounded
against the reader: costs, losses and noise up, what is left down. A field is always there, and null
where there is nothing to say, unless it is `absent` from some outputs.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema


class Output(BaseModel):
    """An object that Privet prints."""

    model_config = ConfigDict(extra="forbid")


class Schemas(GenerateJsonSchema):
    """Without the titles of fields, which repeat their names, and without defaults."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  # never
        """Never."""
        return False

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """The schema itself: what is left out has no value."""
        return self.generate_inner(schema["schema"])


def absent(description: str, **more: Any) -> Any:
    """A field that is left out where it does not apply; it is never null."""
    return Field(default=None, description=description, **more)


_FRACTION = r"^-?[0-9]+(/[1-9][0-9]*)?$"

Exact = Annotated[str, Field(pattern=_FRACTION, description="An exact number, a fraction as text.")]

ExactOrInfinite = Annotated[
    str,
    Field(
        pattern=r"^(-?[0-9]+(/[1-9][0-9]*)?|inf)$",
        description='An exact number, a fraction as text, or "inf".',
    ),
]

Claimed = Annotated[
    str, Field(min_length=1, description="A number of a claim, exactly as it was written.")
]

Symbol = Annotated[
    str | int | float | bool, Field(description="A symbol of the public alphabet, or a state.")
]
Alphabet = Annotated[list[Symbol], Field(description="The public symbols, in order.")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, hexadecimal.")]
Count = Annotated[int, Field(ge=0)]
Time = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$", description="UTC, as in ISO 8601."),
]
Share = Annotated[float, Field(ge=0, le=1)]
Amount = Annotated[float, Field(ge=0)]

Epsilon = Annotated[float, Field(ge=0, description="Epsilon, a decimal rounded up.")]
Delta = Annotated[float, Field(ge=0, le=1, description="Delta, a decimal rounded up.")]
Spent = Annotated[
    float,
    Field(ge=0, description="Upper bound of the epsilon that is really spent, rounded up."),
]
Budget = Annotated[
    float, Field(ge=0, description="The epsilon that may be spent, a decimal rounded down.")
]
Remaining = Annotated[
    float, Field(ge=0, description="Budget less what is spent, at least 0, rounded down.")
]
Adjacency = Annotated[int, Field(ge=1, description="How many symbols of a word are protected.")]
Confidence = Annotated[
    float, Field(gt=0, lt=1, description="Of the intervals: how often they hold the true value.")
]
ExpectedErrors = Annotated[
    float, Field(ge=0, description="Expected number of released symbols that are wrong.")
]
ExpectedShareWrong = Annotated[
    float, Field(ge=0, le=1, description="Expected share of released symbols that are wrong.")
]
ErrorsDoubt = Annotated[
    float,
    Field(ge=0, description="Standard error of the expected errors, where they were simulated."),
]
KeepProbability = Annotated[
    float, Field(ge=0, le=1, description="Probability that a symbol is released as it is.")
]
Categories = Annotated[int, Field(ge=1, description="How many symbols the public alphabet has.")]
HalfWidth = Annotated[
    float,
    Field(ge=0, description="Each number lies so close to the true one with the confidence."),
]
ExpectedError = Annotated[
    float, Field(ge=0, description="Expected absolute error of each number that goes out.")
]
Scale = Annotated[
    float, Field(ge=0, description="Scale of the noise of each number that goes out, rounded up.")
]
Nodes = Annotated[
    list[int],
    Field(
        min_length=2,
        max_length=2,
        description="The steps that are read: from the first, up to but without the second.",
    ),
]
StandardError = Annotated[float, Field(ge=0, description="Standard error.")]
Lower = Annotated[float, Field(description="Lower end of the interval.")]
Upper = Annotated[float, Field(description="Upper end of the interval.")]
Notes = Annotated[list[str], Field(description="What to know besides, a phrase each.")]
WrittenTo = Annotated[str, Field(description="Path of the file that was written.")]
Plot = Annotated[
    str | None, Field(description="Path of the picture; null unless one was asked for.")
]
Word = Annotated[list[str], Field(description="A word: its symbols, as text.")]
WhyNot = Annotated[str, Field(description="Why not; empty where it can.")]
Reason = Annotated[str, Field(description="Why, in words.")]
Note = Annotated[str, Field(description="A remark; empty if there is none.")]
AccountName = Annotated[str, Field(min_length=1, description="The account of the ledger.")]
Entry = Annotated[
    str, Field(min_length=1, description="The entry of the ledger that the release is.")
]
