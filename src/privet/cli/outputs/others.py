"""What `privet demo` and `privet report` print, and what every command prints when it fails."""

from typing import Annotated, Literal

from pydantic import Field

from privet.cli.outputs.base import Count, Exact, Output, Sha256, Share, Word, WrittenTo
from privet.cli.outputs.estimates import Cell
from privet.cli.outputs.plans import PlanRow, QueryPlan
from privet.cli.outputs.receipts import Number, Receipt


class Report(Output):
    """The page that was made."""

    output: WrittenTo
    sha256: Sha256


class Failure(Output):
    """What went wrong. No other output has `error`."""

    error: str = Field(
        min_length=1,
        description="The class of the error in Python, or UsageError (the command line), "
        "Interrupted or InternalError.",
    )
    message: str = Field(min_length=1, description="What is wrong, and where; no private value.")
    hint: str | None = Field(description="What to do about it; null where nothing is known.")
    exit_code: Annotated[int, Field(ge=1, description="The exit code of the command.")]


class TrueCell(Cell):
    """A cell beside the truth."""

    in_the_data: Share = Field(description="The true value, of public data.")


class TrueNumber(Number):
    """A number of an answer beside the truth."""

    in_the_data: float = Field(description="The true value, of public data.")


class Voters(Output):
    """A table of voters, released and estimated."""

    source: str
    receipt: Receipt
    measured_errors_by_column: list[Count] = Field(description="Wrong symbols of each column.")
    cross_table: list[TrueCell]


class WordRun(PlanRow):
    """A mechanism as it was planned, and what came out."""

    predicted_errors: float = Field(ge=0, description="Wrong symbols expected, of all words.")
    measured_errors: Count = Field(description="Wrong symbols, of all words.")
    symbols: Count = Field(description="How many symbols went out.")


class Income(Output):
    """Incomes of US states, by every mechanism."""

    source: str
    mechanisms: list[WordRun]


class Weather(Output):
    """A histogram of Seattle's weather."""

    source: str
    plan: QueryPlan
    receipt: Receipt
    answer: list[TrueNumber]


class Infection(Output):
    """A model of an infection, verified at two ratios."""

    ratio: Exact
    verdicts: list[Literal["holds", "violated", "undecided"]] = Field(
        description="At the ratio, of each pair of laws."
    )
    bolder_ratio: Exact
    words: list[Word] = Field(description="What breaks the bolder claim.")


class Demo(Output):
    """Releases of public data beside the truth, which is shown for no other data."""

    public_demo_data: Literal[True]
    voters: Voters
    income: Income
    seattle: Weather
    infection: Infection
