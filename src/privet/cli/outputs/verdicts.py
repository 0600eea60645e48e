"""What the commands of `privet verify` print. Their numbers are exact, so they are text.

Contract. The ratio, epsilon and delta of a claim are text as they were written.
"""

from typing import Annotated, Literal

from pydantic import Field

from privet.cli.outputs.base import (
    Adjacency,
    Amount,
    Claimed,
    Count,
    Exact,
    ExactOrInfinite,
    Output,
    Plot,
    Reason,
    Word,
    WrittenTo,
)
from privet.cli.outputs.documents import HiddenMarkovModelFile
from privet.verify.file_schema import VerificationFile

_LengthNumber = Annotated[int, Field(ge=0)]
Length = Annotated[
    _LengthNumber
    | Annotated[list[_LengthNumber], Field(min_length=2, max_length=2)]
    | Literal["all"],
    Field(description="Symbols of a word: a number, the first and the last of a range, or all."),
]
Certificate = Annotated[
    str | None, Field(description="Path of the certificate that was written; null if none was.")
]
LawName = Annotated[str, Field(description="Name of a law of the first state.")]
WordRatio = Annotated[
    ExactOrInfinite,
    Field(description='How much likelier the word is under the first law; exact, or "inf".'),
]
Low = Annotated[
    ExactOrInfinite, Field(description="The worst ratio is at least that; exact, or inf.")
]
High = Annotated[
    ExactOrInfinite, Field(description="The worst ratio is at most that; exact, or inf.")
]
Hint = Annotated[str, Field(description="What to do about it.")]
Because = Annotated[str, Field(description="On whose word.")]


class _Pair(Output):
    first: LawName
    second: LawName


class PairHolds(_Pair):
    """The claim holds for these two laws."""

    verdict: Literal["holds"]
    proof_steps: Count | None = Field(
        description="How many steps the proof has; null where it is no tree."
    )


class PairViolated(_Pair):
    """A word breaks the claim."""

    verdict: Literal["violated"]
    word: Word
    first_probability: Exact = Field(description="Of the word under the first law.")
    second_probability: Exact = Field(description="Of the word under the second law.")
    ratio_of_word: WordRatio


class PairUndecided(_Pair):
    """Nothing was proved, nothing refuted."""

    verdict: Literal["undecided"]
    hint: Hint
    low: Low
    high: High
    word: Word | None = Field(description="Which reaches low; null if none is known.")
    reason: Reason


class PairBracket(_Pair):
    """Without a claim: where the worst ratio lies."""

    low: Low
    high: High
    word: Word | None = Field(description="Which reaches low; null if none is known.")
    reason: Reason


class ModelVerdict(Output):
    """Of a hidden Markov model."""

    verdict: Literal["holds", "violated", "undecided", "known", "bracket"] = Field(
        description="Without a claim: known where the worst ratio is, bracket where its bounds are."
    )
    ratio: Claimed | None = Field(description="The claim; null if it is an epsilon, or none.")
    epsilon: Claimed | None = Field(description="The claim; null if it is a ratio, or none.")
    length: Length
    pairs: list[PairHolds | PairViolated | PairUndecided | PairBracket]
    certificate: Certificate
    pictures: list[str] = Field(description="Paths of the pictures that were drawn.")


class Root(Output):
    """The one root of a polynomial between two numbers."""

    polynomial: list[int] = Field(description="Coefficients, the constant first.")
    low: Exact = Field(description="The root is at least that.")
    high: Exact = Field(description="The root is at most that.")


Values = Annotated[
    dict[str, Exact | Root], Field(description="Parameters and their values, exactly.")
]


class ValuesFound(_Pair):
    """Values of the parameters at which the claim holds."""

    verdict: Literal["holds"]
    values: Values


class HoldsForAll(_Pair):
    """The claim holds for all values."""

    verdict: Literal["holds"]
    because: Because


class NoValues(_Pair):
    """The claim holds at no values."""

    verdict: Literal["violated"]
    values: None = Field(description="Null: there are none.")
    because: Because


class ValuesViolate(_Pair):
    """Values of the parameters at which a word breaks the claim."""

    verdict: Literal["violated"]
    values: Values
    word: Word
    ratio_of_word: WordRatio
    is_exact: bool = Field(description="Whether the ratio is, and not a bound of it.")


class OpenForParameters(_Pair):
    """Nothing was proved, nothing refuted."""

    verdict: Literal["undecided"]
    reason: Reason
    hint: Hint


class ParametersVerdict(Output):
    """Of a hidden Markov model with parameters."""

    verdict: Literal["holds", "violated", "undecided"]
    ask: Literal["all", "find"] = Field(
        description="Whether the claim is for all values of the parameters, or for some."
    )
    parameters: list[str] = Field(description="What is said of them, as it was written.")
    ratio: Claimed
    length: Length
    pairs: list[ValuesFound | HoldsForAll | NoValues | ValuesViolate | OpenForParameters]
    certificate: Certificate


Modelled = ModelVerdict | ParametersVerdict


class _Shown(Output):
    model: HiddenMarkovModelFile
    first_law: list[Exact] = Field(description="The first law of the first state, in order.")
    second_law: list[Exact] = Field(description="The second one.")
    ratio: Exact = Field(description="The claim.")


class ProvedModel(_Shown):
    """A proof: no word of these lengths is likelier by more."""

    verdict: Literal["holds"]
    shortest: Count = Field(description="Symbols of the shortest word.")
    longest: Count | None = Field(description="Of the longest word; null for any length.")


class RefutedModel(_Shown):
    """A counterexample: the word is likelier by more."""

    verdict: Literal["violated"]
    word: Word
    first_probability: Exact = Field(description="Of the word under the first law.")
    second_probability: Exact = Field(description="Of the word under the second law.")


class ProvedSpending(Output):
    """A proof of what a rate spends on the words of an automaton."""

    verdict: Literal["holds"]
    moves: list[list[int]] = Field(description="moves[state][symbol] is the next state, or -1.")
    initial: Count = Field(description="The state before the first symbol.")
    accepting: list[bool]
    q: Exact = Field(description="e^-rate.")
    shortest: Count = Field(description="Symbols of the shortest word.")
    longest: Count | None = Field(description="Of the longest word; null for any length.")
    adjacency: Adjacency
    spent_at_most: Amount = Field(description="By the certificate, rounded up.")
    factor: Exact = Field(description="e^spent_at_most.")


class CertificateStands(Output):
    """All that a file shows."""

    valid: Literal[True]
    shows: list[ProvedModel | RefutedModel | ProvedSpending]


class CertificateFails(Output):
    """Something in a file does not show what it claims."""

    valid: Literal[False]
    reason: Reason


CertificateChecked = CertificateStands | CertificateFails


class Sets(Output):
    """How many sets of outputs there are; whole numbers as text, for they are huge."""

    all: Exact
    sufficient: Exact = Field(description="Of them, those that decide the worst pair.")
    without_delta: Exact = Field(description="Of them, those that decide it at delta 0.")


class MechanismVerdict(Output):
    """Of a mechanism given by its probabilities."""

    verdict: Literal["holds", "violated"] | None = Field(description="Null without a claim.")
    ratio: Claimed | None = Field(description="The claim; null if it is an epsilon, or none.")
    epsilon: Claimed | None = Field(description="The claim; null if it is a ratio, or none.")
    delta: Claimed
    smallest_delta: Exact | None = Field(description="At the claim; null without one.")
    smallest_ratio: ExactOrInfinite = Field(description="At the delta.")
    smallest_epsilon: ExactOrInfinite = Field(
        description="At the delta: the ratio's logarithm, rounded up."
    )
    worst_pair: Annotated[list[str], Field(min_length=2, max_length=2)] = Field(
        description="The inputs that tell most."
    )
    worst_set: list[str] = Field(description="Outputs that show it.")
    probabilities: Annotated[list[Exact], Field(min_length=2, max_length=2)] = Field(
        description="Of the set, under either input."
    )
    sets: Sets
    plot: Plot


class LibraryModel(Output):
    """A well-known mechanism."""

    about: str
    settings: dict[str, str] = Field(description="What can be changed of it, with the defaults.")


class Library(Output):
    """All well-known mechanisms, without a name."""

    models: dict[str, LibraryModel]


class SavedModel(Output):
    """A well-known mechanism, written to a file with --save."""

    output: WrittenTo
    verification: VerificationFile


Modelling = Library | VerificationFile | SavedModel
