"""What a verification can say: it holds, it is violated, or it is not decided.

Contract. There is no fourth answer and no default one. Holds carries what re-checks it without the
engine, Violated the output that breaks the claim with its exact probabilities, Undecided a bracket
that is true as far as it goes. None of the three has a truth value: `if verify.hidden_markov(...)`
would take Undecided for yes.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from privet.verify.certificate import ModelCertificate
    from privet.verify.smt.answers import SolverCertificate

Ratio = Fraction | float
"""A Fraction, or math.inf."""


@dataclass(frozen=True)
class Bracket:
    """`low` <= the true value <= `high`; `witness`: what reaches `low`; `reason`: "" if closed."""

    low: Ratio
    high: Ratio
    witness: tuple[Hashable, ...] | None = None
    reason: str = ""

    @property
    def is_closed(self) -> bool:
        """Whether the value is known exactly."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"[{float(self.low):.10g}, {float(self.high):.10g}]"


@dataclass(frozen=True)
class FiniteCertificate:
    """The (epsilon, delta) guarantee of a finite mechanism, and where it is nearest to failing.

    `delta`: an upper bound of the smallest delta, at most the one claimed; `pair`: the rows that
    need it; `outputs`: the columns of the worst set; `pairs`: how many ordered pairs were checked.
    """

    delta: Fraction
    pair: tuple[int, int]
    outputs: tuple[int, ...]
    pairs: int


class NoTruthValue:
    """What must not be taken for a yes or a no."""

    def __bool__(self) -> NoReturn:
        raise TypeError("A verification has three outcomes: ask isinstance(outcome, Holds).")


@dataclass(frozen=True)
class Holds(NoTruthValue):
    """The claim holds; `certificate` shows it to anyone, or says which solver is to be believed."""

    certificate: "ModelCertificate | FiniteCertificate | SolverCertificate"

    def __str__(self) -> str:
        """In a sentence; `certificate` has the rest."""
        return "Holds; .certificate says why."


@dataclass(frozen=True)
class Violated(NoTruthValue):
    """The claim fails: `word` has the two exact probabilities, whose quotient is `ratio`."""

    word: list[Hashable]
    first_probability: Fraction
    second_probability: Fraction
    ratio: Ratio

    def __str__(self) -> str:
        """In a sentence; the attributes are exact."""
        word = ", ".join(str(symbol) for symbol in self.word)
        return f"Violated: the word ({word}) is {_times(self)} as likely ({_odds(self)})."


@dataclass(frozen=True)
class SetViolated(Violated):
    """A finite mechanism fails: `word` lists the columns of the worst set of outputs.

    `pair`: (i, j), the rows with P(set | i) > e^epsilon P(set | j) + delta; `delta`: an upper bound
    of the smallest delta that would do for all pairs.
    """

    pair: tuple[int, int]
    delta: Fraction

    def __str__(self) -> str:
        """In a sentence; the attributes are exact."""
        columns = ", ".join(str(column) for column in self.word)
        return (
            f"Violated: the outputs in columns {columns} together are {_times(self)} as likely "
            f"({_odds(self)}) from row {self.pair[0]} as from row {self.pair[1]}; a delta of "
            f"{float(self.delta):.4g} would do."
        )


@dataclass(frozen=True)
class Undecided(NoTruthValue):
    """Neither was shown. `bracket`: of the largest ratio; `hint`: what to try."""

    bracket: Bracket
    reason: str
    hint: str

    def __str__(self) -> str:
        """In a sentence."""
        return f"Undecided: {self.reason}. {self.hint}"


Outcome = Holds | Violated | Undecided


INTERRUPTED = "interrupted"


def interrupted() -> Undecided:
    """Nothing is known, for the user did not want to wait."""
    bracket = Bracket(Fraction(0), math.inf, reason=INTERRUPTED)
    return Undecided(bracket, INTERRUPTED, "Give it more time.")


def _times(found: Violated) -> str:
    return "infinitely" if found.ratio == math.inf else f"{float(found.ratio):.7g} times"


def _odds(found: Violated) -> str:
    return f"{float(found.first_probability):.4g} to {float(found.second_probability):.4g}"


def ratio_of(first: Fraction, second: Fraction) -> Ratio:
    """first / second, infinite for a positive number over 0."""
    return first / second if second else math.inf
