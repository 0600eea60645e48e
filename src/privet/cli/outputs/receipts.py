"""The receipt of a release, and what the commands that make releases print."""

from typing import Annotated, Any, Literal

from pydantic import Field

from privet.cli.outputs.base import (
    AccountName,
    Adjacency,
    Amount,
    Categories,
    Confidence,
    Count,
    Delta,
    Entry,
    Epsilon,
    ErrorsDoubt,
    Exact,
    ExpectedError,
    ExpectedErrors,
    ExpectedShareWrong,
    HalfWidth,
    KeepProbability,
    Lower,
    Nodes,
    Notes,
    Output,
    Scale,
    Sha256,
    Spent,
    Symbol,
    Time,
    Upper,
    WrittenTo,
    absent,
)
from privet.cli.outputs.documents import (
    MarkovChainFile,
    Mechanism,
    Query,
    RecordLoss,
    Series,
    TransitionsFile,
)


class ExactGuarantee(Output):
    """The same numbers, exactly."""

    epsilon: Exact
    delta: Exact


class Guarantee(Output):
    """What is promised."""

    sentence: Annotated[str, Field(description="The promise in a sentence.")]
    epsilon: Epsilon
    delta: Delta
    unit: Annotated[str, Field(description="What is protected: the subject of the sentence.")]
    assumptions: list[str] = Field(description="Without which the sentence does not hold.")
    published: list[str] = Field(description="What goes out without protection.")
    exact: ExactGuarantee


class CertifiedLaw(Output):
    """What a certified rate spends on words of some lengths."""

    spent_at_least: Amount = Field(description="By a pair of words.")
    spent_at_most: Amount = Field(description="By the certificate, rounded up.")
    shortest: Count = Field(description="Symbols of the shortest word.")
    longest: Count | None = Field(description="Of the longest word; null for any length.")


class Law(Output):
    """The law that ran; a field is absent where the mechanism has no such thing."""

    rate: Amount = absent("-d log P / d distance of the exponential family.")
    keep_probability: KeepProbability = absent("Where symbols are answered one by one.")
    factor: Amount = absent("Of the staircase: the factor between two steps.")
    shift: Count = absent("Of the staircase: the distance at which the first step ends.")
    word_length: Count = absent("The length of word that rate, factor and shift are of.")
    calibration: Literal["paper", "exact"] = absent("Which rate ran.")
    calibration_reason: str = absent("Why that one ran.")
    certified: CertifiedLaw = absent("Where the rate is certified: what it spends.")
    expected_errors_standard_error: ErrorsDoubt = absent("Where they were simulated.")
    expected_errors_averaged_over: str = absent("The words that were simulated.")
    simulated_words: Count = absent("How many words were simulated.")


class _Part(Output):
    column: str | None = Field(description="The released column; null where there are several.")
    categories: Categories
    symbols: Count = Field(description="How many symbols went out.")
    expected_errors: ExpectedErrors | None = Field(
        description="Null where output and data are not comparable."
    )
    expected_share_wrong: ExpectedShareWrong | None = Field(description="As expected_errors.")
    epsilon: Epsilon
    delta: Delta
    spent: Spent
    law: Law
    other: Symbol | None = Field(description="The symbol unknown labels became; null if none did.")
    missing: Symbol | None = Field(description="The symbol missing values became; null if none.")
    mechanism: Mechanism


class _ExactPart(Output):
    epsilon: Exact
    delta: Exact
    spent: Exact


_PER: Any = Field(description="What one symbol of it is in the data.")
_ABSENT_LOSS: Any = absent("The most it loses; absent where the mechanism has no record loss.")


class ExactRowPart(_ExactPart):
    """The same numbers, exactly."""

    record_loss_per_row: Exact = _ABSENT_LOSS


class RowPart(_Part):
    """One mechanism at work on each row of a table."""

    per: Literal["row"] = _PER
    record_loss_per_row: Amount = _ABSENT_LOSS
    exact: ExactRowPart


class ExactSymbolPart(_ExactPart):
    """The same numbers, exactly."""

    record_loss_per_symbol: Exact = _ABSENT_LOSS


class SymbolPart(_Part):
    """One mechanism at work on each symbol of words."""

    per: Literal["symbol"] = _PER
    record_loss_per_symbol: Amount = _ABSENT_LOSS
    exact: ExactSymbolPart


class ExactValuePart(_ExactPart):
    """The same numbers, exactly."""

    record_loss_per_value: Exact = _ABSENT_LOSS


class ValuePart(_Part):
    """One mechanism at work on each value of a list."""

    per: Literal["value"] = _PER
    record_loss_per_value: Amount = _ABSENT_LOSS
    exact: ExactValuePart


class ExactChoicePart(_ExactPart):
    """The same numbers, exactly."""

    record_loss_per_choice: Exact = _ABSENT_LOSS


class ChoicePart(_Part):
    """One mechanism at work on one choice."""

    per: Literal["choice"] = _PER
    record_loss_per_choice: Amount = _ABSENT_LOSS
    exact: ExactChoicePart


class Noise(Output):
    """The noise on each number."""

    law: Literal["discrete Laplace"]
    scale: Scale
    expected_error: ExpectedError
    confidence: Confidence
    half_width: HalfWidth


class ExactAnswer(Output):
    """The same numbers, exactly, and those from which the noise follows."""

    epsilon: Exact
    delta: Exact
    spent: Exact
    record_loss_per_step: Exact = absent("Absent where the mechanism has no record loss.")
    scale_in_grid_units: Exact
    grid: Exact
    divided_by: Exact
    confidence: Exact


class AnswerPart(Output):
    """One query, answered by one mechanism about one or several series."""

    column: str | None = Field(description="The column of the states; null where there is none.")
    per: Literal["step"] = Field(description="What one symbol of it is in the data.")
    query: Query
    nodes: Nodes | None = Field(description="Null if all steps are read.")
    numbers: Count = Field(description="How many numbers went out.")
    series_by_steps: dict[str, Count] = Field(description="{steps: how many series have them}.")
    epsilon: Epsilon
    delta: Delta
    spent: Spent
    record_loss_per_step: Amount = absent(
        "The most one step loses, rounded up; absent where there is no record loss."
    )
    noise: Noise
    record_losses_by_steps: dict[str, RecordLoss] | None = Field(
        description="{steps: the loss of such a series}; null where the mechanism has none."
    )
    exact: ExactAnswer
    other: Symbol | None = Field(description="The symbol unknown labels became; null if none did.")
    missing: Symbol | None = Field(description="The symbol missing values became; null if none.")
    mechanism: Series


class Decoded(Output):
    """How released words were decoded."""

    method: Literal["viterbi", "marginals", "sample"]
    chain: MarkovChainFile


class DecodedFrom(Output):
    """The release that was decoded."""

    name: str | None = Field(description="Name of its file; null if it was none.")
    sha256: Sha256 | None = Field(description="Of its file; null if it was none.")
    created: Time


class PublicLanguage(Output):
    """The words that can happen."""

    outside: Literal["refuse", "allow"] = Field(
        description="What becomes of data outside the language."
    )
    language: TransitionsFile


class Layout(Output):
    """How a release is read back; a field is absent where it does not apply."""

    columns: list[str] = absent("Released columns of a table, or the columns of a word in order.")
    ragged: bool = absent("Whether the words of a wide table may end early.")
    id: str = absent("Column that says whose sequence an entry is of.")
    time: str = absent("Column that says when an entry is.")
    state: str = absent("Column of the symbols.")
    kept: list[str] = absent("Columns that went out as they are, without protection.")
    left_out: list[str] = absent("Columns of the data that did not go out.")
    person: str | None = Field(
        default=None, description="Column that says whose row it is; null if single rows count."
    )
    rows_per_person: int | None = Field(
        default=None, description="At most so many rows of a person; null if single rows count."
    )
    adjacency: Adjacency = absent("How many symbols of a word are protected.")
    decoded: Decoded = absent("The words were decoded.")
    decoded_from: DecodedFrom = absent("They were decoded from a release made before.")
    language: PublicLanguage = absent("A language was given.")


class Shape(Output):
    """Sizes that go out with the release; a field is absent where it does not apply."""

    rows: Count = absent("Rows of the table.")
    columns: Count = absent("Released columns.")
    words: Count = absent("Released words.")
    series: Count = absent("Series a query is about.")
    symbols: Count = absent("Released symbols.")
    steps: Count = absent("Steps of all series together.")
    shortest: Count = absent("Symbols of the shortest word, or steps of the shortest series.")
    longest: Count = absent("Symbols of the longest word, or steps of the longest series.")
    numbers: Count = absent("Numbers of an answer.")


class WrittenFile(Output):
    """The file that went out."""

    name: str
    sha256: Sha256


class Charged(Output):
    """The account that was charged; numbers are exact text."""

    account: AccountName
    entry: Entry
    spent_before: Exact
    spent_after: Exact


class ExactReceipt(Output):
    """The same number, exactly."""

    spent: Exact


class Receipt(Output):
    """What a release did; Privet writes it beside the release, as FILE.receipt.json."""

    receipt: Literal["privet release"]
    format: Literal[1] = Field(description="Version of the format of receipts.")
    kind: Literal["table", "words", "symbols", "choice", "query"]
    created: Time
    guarantee: Guarantee
    spent: Spent
    spent_in_words: str = Field(description="How it adds up.")
    exact: ExactReceipt
    notes: Notes
    randomness: Literal["private", "seeded, not private"] = Field(
        description="Where the bits came from."
    )
    public_demo_data: bool = Field(description="Whether the data were declared public.")
    published_without_protection: list[str] = Field(description="As in the guarantee.")
    parts: Annotated[
        list[RowPart | SymbolPart | ValuePart | ChoicePart | AnswerPart], Field(min_length=1)
    ]
    expected_errors: ExpectedErrors | None = Field(description="Null for a query.")
    shape: Shape
    layout: Layout
    output: WrittenFile | None = Field(description="Null if no file was written.")
    ledger: Charged | None = Field(description="Null if no account was charged.")
    versions: dict[str, str] = Field(description="Of Privet, Python and what a release draws on.")


class MadeRelease(Output):
    """A release that was made."""

    output: WrittenTo
    receipt_file: str = Field(description="Path of the receipt.")
    receipt: Receipt


class Number(Output):
    """One number of an answer, and what it counts."""

    state: Symbol = absent("The state that was counted.")
    states: str = absent("The states that were counted together.")
    statistic: str = absent("What the number is, where it counts nothing.")
    from_: Symbol = absent("The state before a step.", alias="from")
    to: Symbol = absent("The state after a step.")
    run_length: int | str = absent("Length of runs; text where longer ones are counted with it.")
    value: float = Field(description="The number that went out.")
    lower: Lower
    upper: Upper


class MadeAnswer(MadeRelease):
    """The answer to a query, with noise, and its receipt."""

    answer: list[Number]
