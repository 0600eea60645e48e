"""Before spending: what each applicable mechanism would do at the same guarantee.

Contract. Planning looks at public things only (the alphabet, the length, the guarantee) and draws
nothing. Every row has the same guarantee: any `adjacency` symbols of a word of `length` symbols,
(epsilon, delta). Errors are expected Hamming distances in symbols, from the exact laws. The
recommendation is the row with the fewest expected errors, the simplest one among equals.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import ParameterError
from privet.exact import exact_number, float_up, read_count, read_delta, read_epsilon
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms import (
    RandomizedResponse,
    WordExponential,
    WordPermuteAndFlip,
    WordStaircase,
)
from privet.mechanisms.base import HammingMechanism
from privet.symbols import Alphabet

_SAME = 1e-3
"""Expected errors closer than this, relatively, count as equal: then the simplest is better."""

_EQUAL = 1e-9
"""Laws in floats differ by less."""


_PUBLISHED = "epsilon / 2b as published, which spends less than it promises"


@dataclass(frozen=True)
class PlanRow:
    """One mechanism at the guarantee of the plan.

    `epsilon`: guaranteed; `spent`: upper bound of what is really spent; `expected_errors`: symbols;
    `share_wrong`: of the length; `bounds`: (lower, upper) from the theorem that states them;
    `note`: what to know about it.
    """

    title: str
    mechanism: HammingMechanism
    epsilon: Fraction
    spent: Fraction
    expected_errors: float
    share_wrong: float
    bounds: tuple[float, float]
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Exact numbers as text."""
        return {
            "title": self.title,
            "mechanism": self.mechanism.to_json(),
            "epsilon": str(self.epsilon),
            "spent": str(self.spent),
            "spent_rounded_up": float_up(self.spent),
            "expected_errors": self.expected_errors,
            "share_wrong": self.share_wrong,
            "error_bounds": list(self.bounds),
            "note": self.note,
        }


@dataclass(frozen=True)
class Plan:
    """All applicable mechanisms at one guarantee, best first as listed in `rows` by simplicity."""

    alphabet_size: int
    length: int
    adjacency: int
    epsilon: Fraction
    delta: Fraction
    rows: tuple[PlanRow, ...]

    @property
    def recommended(self) -> PlanRow:
        """The row with the fewest expected errors; the first, simplest one among equals."""
        fewest = min(row.expected_errors for row in self.rows)
        limit = fewest * (1 + _SAME)
        return next(row for row in self.rows if row.expected_errors <= limit)

    @property
    def reason(self) -> str:
        """Why that one, in a sentence or two."""
        best = self.recommended
        fewest = min(row.expected_errors for row in self.rows)
        worst = max(row.expected_errors for row in self.rows)
        text = f"{_capital(best.title)} has the fewest expected errors at this guarantee"
        if best.expected_errors > fewest * (1 + _EQUAL):
            text += " to within 0.1 %"
        if worst > best.expected_errors * 1.005:
            text += f", up to {_factor(worst, best.expected_errors)} fewer than the others"
        if self.adjacency == 1 and not self.delta:
            text += "; for one protected symbol no mechanism has a smaller largest expected error"
        text += "."
        blind = (self.alphabet_size - 1) / self.alphabet_size
        if best.share_wrong > 0.9 * blind:
            text += (
                f" It still gets {best.share_wrong:.0%} of the symbols wrong where blind guessing "
                f"gets {blind:.0%}: single values say nothing here, only totals over many can."
            )
        return text

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return {
            "alphabet_size": self.alphabet_size,
            "length": self.length,
            "adjacency": self.adjacency,
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "mechanisms": [row.to_json() for row in self.rows],
            "recommended": self.recommended.title,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Curve:
    """Share of wrong symbols of one mechanism against epsilon; both of the same length."""

    title: str
    epsilons: tuple[float, ...]
    shares_wrong: tuple[float, ...]


def plan(
    language: Language | Alphabet,
    *,
    epsilon: Number,
    length: int = 1,
    adjacency: int = 1,
    delta: Number = 0,
) -> Plan:
    """Compare every applicable mechanism at one guarantee, without touching data.

    `language`: all words over an alphabet, or the alphabet itself; `length`: symbols of a word (1
    for a column of a table). Errors: ParameterError for an epsilon, delta, length or adjacency out
    of range, also an adjacency beyond the length.
    """
    total, slack = read_epsilon(epsilon), read_delta(delta)
    size, covered = read_count(length, "length"), read_count(adjacency, "adjacency")
    if covered > size:
        raise ParameterError(
            f"adjacency is {covered}, but the words have {size} symbols.",
            hint=f"Give an adjacency from 1 to {size}: how many symbols may differ at once.",
            parameter="adjacency",
        )
    words = language if isinstance(language, Language) else Language.all(language)
    rows = tuple(_rows(words, total, slack, size, covered))
    return Plan(len(words.alphabet), size, covered, total, slack, rows)


def plan_curve(
    language: Language | Alphabet,
    *,
    epsilons: Sequence[Number],
    length: int = 1,
    adjacency: int = 1,
    delta: Number = 0,
) -> list[Curve]:
    """Error against epsilon for every applicable mechanism: a curve each. Errors: as `plan`."""
    plans = [
        plan(language, epsilon=e, length=length, adjacency=adjacency, delta=delta) for e in epsilons
    ]
    numbers = tuple(float(exact_number(e, "epsilon")) for e in epsilons)
    titles = [row.title for row in plans[0].rows] if plans else []
    return [
        Curve(title, numbers, tuple(p.rows[i].share_wrong for p in plans))
        for i, title in enumerate(titles)
    ]


def _rows(
    words: Language, epsilon: Fraction, delta: Fraction, length: int, adjacency: int
) -> Iterator[PlanRow]:
    yield _randomized_response(words.alphabet, epsilon, delta, length, adjacency)
    unused = "pure: does not use delta" if delta else ""
    same = "" if delta and adjacency == 1 else "the same law as randomised response"
    others: list[tuple[str, HammingMechanism, str]] = [
        (
            "exponential (exact rate)",
            WordExponential(words, epsilon=epsilon, adjacency=adjacency, calibration="exact"),
            same,
        ),
        ("staircase", WordStaircase(words.alphabet, epsilon=epsilon, adjacency=adjacency), ""),
        (
            "permute-and-flip (exact rate)",
            WordPermuteAndFlip(words, epsilon=epsilon, adjacency=adjacency, calibration="exact"),
            "",
        ),
        (
            "exponential (paper rate)",
            WordExponential(words, epsilon=epsilon, adjacency=adjacency, calibration="paper"),
            _PUBLISHED,
        ),
        (
            "permute-and-flip (paper rate)",
            WordPermuteAndFlip(words, epsilon=epsilon, adjacency=adjacency, calibration="paper"),
            _PUBLISHED,
        ),
    ]
    for title, mechanism, note in others:
        notes = "; ".join(text for text in (note, unused) if text)
        yield _row(title, mechanism, epsilon, mechanism.spent(length), length, notes)


def _randomized_response(
    alphabet: Alphabet, epsilon: Fraction, delta: Fraction, length: int, adjacency: int
) -> PlanRow:
    """Symbol by symbol at epsilon/b each; delta only helps where a single symbol is protected."""
    usable = delta if adjacency == 1 else Fraction(0)
    mechanism = RandomizedResponse(alphabet, epsilon=epsilon / adjacency, delta=usable)
    note = f"keeps a symbol with probability {float(mechanism.keep_probability):.4g}"
    if delta and not usable:
        note += "; delta unused: with delta > 0 nothing is promised about several symbols"
    spent = adjacency * mechanism.spent(length)
    return _row("randomised response", mechanism, epsilon, spent, length, note)


def _row(
    title: str,
    mechanism: HammingMechanism,
    epsilon: Fraction,
    spent: Fraction,
    length: int,
    note: str,
) -> PlanRow:
    expected = mechanism.expected_errors(length)
    return PlanRow(
        title,
        mechanism,
        epsilon,
        spent,
        expected,
        expected / length,
        mechanism.error_bounds(length),
        note,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _factor(more: float, fewer: float) -> str:
    ratio = more / fewer if fewer else math.inf
    return "incomparably" if ratio > 1e6 else f"{ratio:.3g} times"
