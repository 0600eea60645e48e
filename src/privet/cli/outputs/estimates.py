"""What `privet estimate` and `privet fit` print."""

from typing import Annotated, Any, Literal

from pydantic import Field

from privet.cli.outputs.base import (
    Alphabet,
    Confidence,
    Count,
    Lower,
    Notes,
    Output,
    Plot,
    Share,
    StandardError,
    Symbol,
    Upper,
    WrittenTo,
    absent,
)
from privet.cli.outputs.documents import ChainBoxFile, MarkovChainFile

Table = Annotated[
    list[Any],
    Field(description="An array of the shape of the table, one axis a column, in C order."),
]
Intervals = Annotated[
    list[Any],
    Field(description="As the table, with a last axis of two: lower and upper end."),
]


class Cell(Output):
    """One cell of a table of shares."""

    cell: list[Symbol] = Field(description="Its symbols, one of each alphabet, in order.")
    share: float = Field(description="Estimated without bias, so it may be below 0 or above 1.")
    standard_error: StandardError
    lower: Lower
    upper: Upper
    simultaneous_lower: float = Field(description="As lower, where all intervals hold at once.")
    simultaneous_upper: float = Field(description="As upper, where all intervals hold at once.")
    projected: Share = Field(description="The share in the nearest table of true shares.")
    count: float = Field(description="The share, times the number of rows (symbols).")


class Estimate(Output):
    """Shares in the data, estimated from their release."""

    title: str = Field(description="The column, or the columns of a joint table.")
    columns: list[str] = absent("The columns of a joint table; absent for a single one.")
    alphabets: list[Alphabet] = Field(description="The symbols of each column.")
    size: Count = Field(description="Released rows (symbols).")
    effective_size: float = Field(ge=0, description="The same, less what weights lose.")
    weighted: bool
    variance: Literal["mechanism", "sampling"] = Field(description="What standard errors are of.")
    confidence: Confidence
    interval_method: str
    simultaneous_method: str
    description: str = Field(description="What the numbers are, in sentences.")
    shares: Table
    standard_errors: Table
    intervals: Intervals
    simultaneous_intervals: Intervals
    projected: Table
    counts: Table
    count_standard_errors: Table
    cells: list[Cell]


class Estimates(Output):
    """Shares of each released column, or of some together."""

    sentence: Annotated[str, Field(description="The promise in a sentence.")]
    estimates: list[Estimate]
    plot: Plot


class Transition(Output):
    """How often a state follows another, with its doubt."""

    from_: Symbol = Field(alias="from", description="The state before a step.")
    to: Symbol = Field(description="The state after a step.")
    probability: Share = Field(description="Of that step, from the first of the two.")
    standard_error: StandardError | None = Field(
        description="Null where the release tells nothing."
    )
    lower: Lower
    upper: Upper


class FittedChain(Output):
    """A chain of public sequences."""

    output: WrittenTo
    chain: MarkovChainFile
    notes: Notes


class LearntChain(FittedChain):
    """A chain learnt from a release."""

    transitions: list[Transition]
    log_likelihood: float
    iterations: Count
    converged: bool = Field(description="Whether the search came to rest.")
    confidence: Confidence


class FittedBox(Output):
    """All chains that public sequences leave plausible."""

    output: WrittenTo
    box: ChainBoxFile
    notes: Notes


Fit = FittedChain | LearntChain | FittedBox
