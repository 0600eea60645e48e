"""Before spending: what each applicable mechanism would do at the same guarantee.

Contract. Planning looks at public things only (the alphabet, the length, the guarantee) and draws
nothing. Every row has the same guarantee: any `adjacency` symbols of a word of `length` symbols,
(epsilon, delta). Errors are expected Hamming distances in symbols, from the exact laws. The
recommendation is the row with the fewest expected errors, the simplest one among equals; where its
release cannot be estimated from, the best one that can is named beside it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.chains import MarkovChain
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
from privet.mechanisms.base import HammingMechanism, Mechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.mechanisms.symbolwise import SymbolwiseMechanism
from privet.mechanisms.words import Calibration, read_calibration
from privet.releasing.blocks import Progress
from privet.releasing.charging import read_account
from privet.releasing.decoding import Decoding
from privet.releasing.notes import weak_parameters
from privet.releasing.quoting import Quote, Quotes, planned_charge
from privet.symbols import Alphabet

if TYPE_CHECKING:
    from privet.ledger import Account

_SAME = 1e-3
"""Expected errors closer than this, relatively, count as equal: then the simplest is better."""

_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "All six"}

_PUBLISHED = "epsilon / 2b as published, which spends less than it promises"


@dataclass(frozen=True)
class PlanRow:
    """One mechanism at the guarantee of the plan.

    `epsilon`: guaranteed; `spent`: upper bound of what is really spent; `expected_errors`: symbols;
    `share_wrong`: of the length; `bounds`: (lower, upper) from the theorem that states them;
    `note`: what to know about it; `errors_standard_error`: of the expected errors where they are
    simulated, 0 where there is a formula; `possible`: whether every output is in the language;
    `decoding`: what is done to the mechanism's output, if anything; `ledger`: what it would cost
    the account that the plan was made for.
    """

    title: str
    mechanism: HammingMechanism
    epsilon: Fraction
    spent: Fraction
    expected_errors: float
    share_wrong: float
    bounds: tuple[float, float]
    note: str = ""
    errors_standard_error: float = 0.0
    possible: bool = True
    decoding: Decoding | None = None
    ledger: Quote | None = None

    @property
    def allowed(self) -> bool:
        """Whether the account, if there is one, has enough left."""
        return self.ledger is None or self.ledger.allowed

    @property
    def keep_probability(self) -> float | None:
        """How often a symbol is released as it is, where symbols are answered one by one."""
        law = _symbolwise(self.mechanism)
        return None if law is None else float(law.keep_probability)

    @property
    def can_estimate(self) -> bool:
        """Whether `privet.estimate` can read a release of it."""
        return self.decoding is None and can_estimate(self.mechanism)

    def standard_error(self, rows: int) -> float | None:
        """The largest standard error a share can have when it is estimated from `rows` releases.

        Of the mechanism's noise alone: for a category with true share s, a release names it with
        variance s k (1 - k) + (1 - s) p (1 - p), largest at s = 0 or 1; dividing the count by
        k - p undoes the mechanism [warner-1965]. None where nothing can be estimated.
        """
        law = _symbolwise(self.mechanism)
        if law is None or not self.can_estimate:
            return None
        keep, move = law.keep_probability, law.move_probability
        variance = max(keep * (1 - keep), move * (1 - move))
        return math.sqrt(variance / rows) / float(keep - move)

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up, and the same numbers exactly as text."""
        return {
            "title": self.title,
            "epsilon": float_up(self.epsilon),
            "spent": float_up(self.spent),
            "expected_errors": self.expected_errors,
            "expected_share_wrong": self.share_wrong,
            "expected_errors_standard_error": self.errors_standard_error,
            "always_possible": self.possible,
            "decode_method": None if self.decoding is None else self.decoding.method,
            "error_bounds": list(self.bounds),
            "keep_probability": self.keep_probability,
            "can_estimate": self.can_estimate,
            "note": self.note,
            "ledger": None if self.ledger is None else self.ledger.to_json(),
            "exact": {"epsilon": str(self.epsilon), "spent": str(self.spent)},
            "mechanism": self.mechanism.to_json(),
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

    def __str__(self) -> str:
        """A table, the recommendation and what to know."""
        from privet.releasing.plan_text import plan_text

        return plan_text(self)

    @property
    def recommended(self) -> PlanRow:
        """The row with the fewest expected errors; the first, simplest one among equals."""
        return _best(self.candidates)

    @property
    def for_estimates(self) -> PlanRow:
        """The same among the mechanisms whose releases can be estimated from."""
        able = [row for row in self.rows if row.can_estimate]
        return _best([row for row in able if row.allowed] or able)

    @property
    def candidates(self) -> tuple[PlanRow, ...]:
        """The rows that the account, if there is one, allows; all, where it allows none."""
        return tuple(row for row in self.rows if row.allowed) or self.rows

    @property
    def reason(self) -> str:
        """Why that one, in a few sentences."""
        best, rows = self.recommended, self.candidates
        equal = [row for row in rows if row.expected_errors <= _limit(rows)]
        others = [row for row in rows if row not in equal]
        if len(equal) > 1:
            text = (
                f"{capital(best.title)}. {_NUMBERS[len(equal)]} have the fewest expected errors, "
                "equal to within 0.1 %, and the simplest is recommended"
            )
        else:
            among = "" if len(rows) == len(self.rows) else ", of what the account allows"
            text = f"{capital(best.title)} has the fewest expected errors at this guarantee{among}"
        if others:
            low, high = (
                factor(extreme(row.expected_errors for row in others), best.expected_errors)
                for extreme in (min, max)
            )
            which = "the paper rates err" if all(map(_is_paper, others)) else "the others err"
            text += f"; {which} {low if low == high else f'{low} to {high}'} times more"
        return " ".join((f"{text}.", *self._estimating(), *self.warnings()))

    def _estimating(self) -> Iterator[str]:
        best = self.recommended
        if not best.can_estimate:
            other = self.for_estimates
            yield (
                f"But `privet estimate` cannot read a {best.title} release: to estimate shares, "
                f"choose {other.title} (--mechanism {other.mechanism.name}, "
                f"{factor(other.expected_errors, best.expected_errors)} times the errors) now, "
                "since a second release costs its epsilon again."
            )

    def warnings(self) -> Iterator[str]:
        """What is weak about the recommendation, a sentence each."""
        yield from budget_sentences(self.recommended.ledger, len(self.rows) - len(self.candidates))
        best, blind = self.recommended, (self.alphabet_size - 1) / self.alphabet_size
        if best.share_wrong > 0.9 * blind:
            yield (
                f"It still gets {best.share_wrong:.0%} of the symbols wrong where blind guessing "
                f"gets {blind:.0%}: single values say nothing here, only totals over many can."
            )
        if self.delta and self.adjacency > 1:
            yield (
                "Delta is not used: with delta > 0 nothing is promised about several symbols at "
                "once, so every row has delta = 0."
            )
        elif self.delta and self._without_delta() <= _limit(self.rows):
            yield "Delta changes nothing here: without it the errors are the same to 0.1 %."
        for note in weak_parameters(self.epsilon):
            yield f"{capital(note)}."

    def _without_delta(self) -> float:
        pure = _randomized_response(
            self.rows[0].mechanism.alphabet, self.epsilon, Fraction(0), self.length, 1
        )
        return pure.expected_errors

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return {
            "categories": self.alphabet_size,
            "length": self.length,
            "adjacency": self.adjacency,
            "epsilon": float_up(self.epsilon),
            "delta": float_up(self.delta),
            "exact": {"epsilon": str(self.epsilon), "delta": str(self.delta)},
            "mechanisms": [row.to_json() for row in self.rows],
            "recommended": self.recommended.title,
            "recommended_for_estimates": self.for_estimates.title,
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
    chain: MarkovChain | None = None,
    ledger: "Account | None" = None,
    rows: int | None = None,
    calibration: Calibration = "auto",
    seconds: float | None = 60.0,
    progress: Progress | None = None,
) -> Plan:
    """Compare every applicable mechanism at one guarantee, without touching data.

    `language`: the words that can happen, or an alphabet for all words over it; `length`: symbols
    of a word (1 for a column of a table); `chain`: a public Markov chain of what words are like:
    then decoding is compared too. On a language that forbids words, and with a chain, the plan is a
    `FeasiblePlan`, some of whose errors are simulated. `ledger`: an account; each row then says
    what it would cost on top of the account's history, and whether the budget allows it; `rows`: of
    the table, where the account protects all of them at once. `calibration`: on a
    language that forbids words "auto" adds the exponential mechanism at a certified rate where one
    is found in seconds, "exact" at the largest one found in up to `seconds`, and "paper" leaves it
    out; `progress(stage, done, total)` is told how far that is. Errors: ParameterError for an
    epsilon, delta, length or adjacency out of range, also an adjacency beyond the length, and for
    an account that is not for such releases; ModelError for a chain over other states, or one that
    leaves the language.
    """
    account = read_account(ledger)
    total, slack = read_epsilon(epsilon), read_delta(delta)
    size, covered = read_count(length, "length"), read_count(adjacency, "adjacency")
    if covered > size:
        raise ParameterError(
            f"adjacency is {covered}, but the words have {size} symbols.",
            hint=f"Give an adjacency from 1 to {size}: how many symbols may differ at once.",
            parameter="adjacency",
        )
    words = language if isinstance(language, Language) else Language.all(language)
    how = read_calibration(calibration)
    if chain is not None or not words.is_all:
        from privet.releasing.feasible import feasible_plan  # which is made of what is here

        found: Plan = feasible_plan(
            words,
            chain,
            epsilon=total,
            delta=slack,
            length=size,
            adjacency=covered,
            calibration=how,
            seconds=seconds,
            progress=progress,
        )
    else:
        listed = tuple(rows_on_all_words(words.alphabet, total, slack, size, covered))
        found = Plan(len(words.alphabet), size, covered, total, slack, listed)
    if account is None:
        return found
    return replace(found, rows=_quoted(found, account, rows))


def _quoted(plan: Plan, account: "Account", size: int | None) -> tuple[PlanRow, ...]:
    """The rows of a plan with what each would cost the account."""
    quotes, quoted = Quotes(account), []
    for row in plan.rows:
        charge = planned_charge(row.mechanism, plan.length, plan.adjacency, account, size)
        charge.check(account)
        quoted.append(replace(row, ledger=quotes.of(charge.loss_in(account.framework))))
    return tuple(quoted)


def budget_sentences(best: Quote | None, refused: int) -> Iterator[str]:
    """What the account says of the recommended row; `refused`: how many rows it does not allow."""
    if best is None:
        return
    if not best.allowed:
        yield f"But the account allows none of them: {best.why_not}."
    elif refused:
        number = "one of the rows" if refused == 1 else f"{refused} of the rows"
        yield f"The account has not enough left for {number}."


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
        plan(
            language,
            epsilon=e,
            length=length,
            adjacency=adjacency,
            delta=delta,
            calibration="paper",  # a certified rate is not found at every epsilon
        )
        for e in epsilons
    ]
    numbers = tuple(float(exact_number(e, "epsilon")) for e in epsilons)
    titles = [row.title for row in plans[0].rows] if plans else []
    return [
        Curve(title, numbers, tuple(p.rows[i].share_wrong for p in plans))
        for i, title in enumerate(titles)
    ]


def rows_on_all_words(
    alphabet: Alphabet, epsilon: Fraction, delta: Fraction, length: int, adjacency: int
) -> Iterator[PlanRow]:
    """A row for each mechanism on all words, the simplest first."""
    words = Language.all(alphabet)
    yield _randomized_response(words.alphabet, epsilon, delta, length, adjacency)
    unused = "pure, delta is not used" if delta and adjacency == 1 else ""
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
    """Symbol by symbol at epsilon/b each; delta is only used where a single one is protected."""
    usable = delta if adjacency == 1 else Fraction(0)
    mechanism = RandomizedResponse(alphabet, epsilon=epsilon / adjacency, delta=usable)
    spent = adjacency * mechanism.spent(length)
    return _row("randomised response", mechanism, epsilon, spent, length, "")


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


def capital(text: str) -> str:
    """A sentence's first word."""
    return text[:1].upper() + text[1:]


def factor(more: float, fewer: float) -> str:
    """How many times more, to read."""
    ratio = more / fewer if fewer else math.inf
    return "over a million" if ratio > 1e6 else f"{ratio:.3g}"


def _limit(rows: Sequence[PlanRow]) -> float:
    """Expected errors up to here count as the fewest."""
    return min(row.expected_errors for row in rows) * (1 + _SAME)


def _best(rows: Sequence[PlanRow]) -> PlanRow:
    return next(row for row in rows if row.expected_errors <= _limit(rows))


def _is_paper(row: PlanRow) -> bool:
    return row.title.endswith("(paper rate)")


def can_estimate(mechanism: Mechanism) -> bool:
    """Whether the mechanism answers each symbol by itself, which estimating needs."""
    return _symbolwise(mechanism) is not None


def _symbolwise(mechanism: Mechanism) -> SymbolwiseMechanism | None:
    """The mechanism, if it answers symbols one by one: not on a language that forbids words."""
    if isinstance(mechanism, SymbolwiseMechanism) and not isinstance(mechanism, LanguageMechanism):
        return mechanism
    return None
