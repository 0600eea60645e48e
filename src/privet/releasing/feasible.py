"""Planning where not every word can happen, or where a public chain says which ones are likely.

Contract. As in `plan`: public things only, one guarantee for every row. Errors have formulas where
a mechanism treats all words alike; otherwise they are averaged by simulation over words of the
public chain, or of the language, each equally likely, where no chain is given, and carry their
standard error. The recommendation is the row with the fewest expected errors among those whose
words are all in the language; rows within two standard errors count as equal, and of those the
first, simplest one is taken. Simulations are replayed: the same request gives the same plan.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from privet.chains import MarkovChain
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.languages import Language
from privet.mechanisms import RandomizedResponse, WordExponential, WordPermuteAndFlip
from privet.mechanisms.base import HammingMechanism, Mechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.mechanisms.word_exponential.on_language import (
    CERTIFIED_QUICKLY,
    ExponentialOnLanguage,
)
from privet.mechanisms.words import Calibration
from privet.privacy.guarantee import decimal_up
from privet.randomness import current_source
from privet.releasing.blocks import Progress
from privet.releasing.decoding import Decoding, Method
from privet.releasing.leaving import first_leaving
from privet.releasing.plan import Plan, PlanRow, capital, factor, rows_on_all_words
from privet.releasing.prediction import OVER_CHAIN, OVER_LANGUAGE, average_over_chain, predict
from privet.symbols import Words

_MAY_BE_IMPOSSIBLE = "its words may be impossible"
CALIBRATED = "exponential (certified rate)"
_LEAVES = "symbols next to each other may be impossible together"


@dataclass(frozen=True)
class FeasiblePlan(Plan):
    """A plan on a `language`, with the public `chain` that words follow, if one was given."""

    language: Language
    chain: MarkovChain | None

    @property
    def averaged_over(self) -> str:
        """Which words the simulated errors are averaged over."""
        return OVER_LANGUAGE if self.chain is None else OVER_CHAIN

    @property
    def recommended(self) -> PlanRow:
        """The first row with the fewest expected errors among those with possible words only."""
        possible = self._possible
        best = min(possible, key=_errors)
        return next(row for row in possible if _equal(row, best))

    @property
    def _possible(self) -> list[PlanRow]:
        """The rows with possible words only; those that the account allows, where there are any."""
        possible = [row for row in self.rows if row.possible]
        return [row for row in possible if row.allowed] or possible

    @property
    def reason(self) -> str:
        """Why that one, in a few sentences."""
        best = self.recommended
        fewest = min(self._possible, key=_errors)
        level = [row for row in self._possible if _equal(row, fewest)]
        possible = [row for row in self._possible if row not in level]
        among = "" if all(row.possible for row in self.rows) else " of what is always possible"
        if len(level) > 1:
            simulated = any(row.errors_standard_error for row in level)
            within = "simulation error" if simulated else "0.1 %"
            text = (
                f"{capital(best.title)}. It{_and([row.title for row in level if row != best])} "
                f"have the fewest expected errors{among}, with no difference within {within}, and "
                "the simplest is starred"
            )
        else:
            text = f"{capital(best.title)} has the fewest expected errors{among} at this guarantee"
        if possible:
            low, high = (
                factor(choice(row.expected_errors for row in possible), best.expected_errors)
                for choice in (min, max)
            )
            text += f"; the others err {low if low == high else f'{low} to {high}'} times more"
        return " ".join((f"{text}.", *self._remarks(), *self.warnings()))

    def _remarks(self) -> Iterator[str]:
        best = self.recommended
        better = [
            row
            for row in self.rows
            if not row.possible and row.expected_errors < best.expected_errors - _noise(row, best)
        ]
        if best.decoding is not None:
            yield (
                f"It takes --decode and --decode-method {best.decoding.method}. Decoding is free: "
                "a randomised response release that is kept as it is can be estimated from, and "
                "decoded at any later time."
            )
        elif not best.can_estimate:
            yield from _how(best.mechanism)
            yield (
                "Shares cannot be estimated from its releases; they can from those of "
                f"{self.for_estimates.title} (--mechanism {self.for_estimates.mechanism.name}), "
                "and a second release costs its epsilon again."
            )
        for row in better:
            yield (
                f"{capital(row.title)} errs less, {row.expected_errors:.4g} symbols, but its words "
                "may be impossible."
            )
        if self.chain is None:
            yield (
                "With a public chain of what words are like (--chain) the plan also compares "
                "randomised response that is decoded."
            )

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values, with its models."""
        return {
            **super().to_json(),
            "averaged_over": self.averaged_over,
            "language": self.language.to_json(),
            "chain": None if self.chain is None else self.chain.to_json(),
        }


def feasible_plan(
    language: Language,
    chain: MarkovChain | None,
    *,
    epsilon: Fraction,
    delta: Fraction,
    length: int,
    adjacency: int,
    calibration: Calibration = "auto",
    seconds: float | None = 60.0,
    progress: Progress | None = None,
) -> FeasiblePlan:
    """The plan on a language that forbids words, or with a chain.

    `calibration`: how a certified rate is looked for, in up to `seconds`; not at all for "paper".

    Errors: ParameterError for a length that no word has; ModelError for a chain over other states
    than the alphabet, or one that can leave the language.
    """
    published = WordExponential(language, epsilon=epsilon, adjacency=adjacency, calibration="paper")
    if isinstance(published, LanguageMechanism):
        published.check_size(length)
    language.check_length(length)
    if chain is not None:
        if not isinstance(chain, MarkovChain):
            raise ParameterTypeError(
                f"A {type(chain).__name__} is not a Markov chain.",
                hint="Make one with MarkovChain(initial, transition, states), or read_model(path).",
                parameter="chain",
            )
        chain = chain.in_order_of(language.alphabet)
        _check_inside(chain, language, length)
    search = _Search(calibration, seconds, progress)
    target = _Target(language, chain, epsilon, delta, length, adjacency, search)
    rows = tuple(target.rows())
    return FeasiblePlan(
        len(language.alphabet), length, adjacency, epsilon, delta, rows, language, chain
    )


def _check_inside(chain: MarkovChain, language: Language, length: int) -> None:
    found = first_leaving(Language.from_chain(chain), language, [length])
    if found is not None:
        raise ModelError(
            f"The chain can produce words that the language forbids: {found}.",
            hint="Give the chain zeros where the language forbids a transition, or leave one of "
            "them out: the words of a chain are a language.",
        )


@dataclass(frozen=True)
class _Search:
    """How a certified rate is looked for."""

    calibration: Calibration
    seconds: float | None
    progress: Progress | None


@dataclass(frozen=True)
class _Target:
    """What every row is made for."""

    language: Language
    chain: MarkovChain | None
    epsilon: Fraction
    delta: Fraction
    length: int
    adjacency: int
    search: _Search

    def rows(self) -> Iterator[PlanRow]:
        """Randomised response first, then the mechanisms on the language, then decoding."""
        usual = rows_on_all_words(
            self.language.alphabet, self.epsilon, self.delta, self.length, self.adjacency
        )
        response = next(usual)
        inside = self.language.is_all
        yield response if inside else _impossible(response, _MAY_BE_IMPOSSIBLE)
        if inside:
            yield from usual
        else:
            yield from self._inside()
        if self.chain is not None:
            yield self._decoded("randomised response + Viterbi", response, "viterbi", True)
            yield self._decoded("randomised response + marginals", response, "marginals", inside)

    def _inside(self) -> Iterator[PlanRow]:
        """The mechanisms on the language: at the published rates, and at a certified one."""
        options: dict[str, Any] = {"epsilon": self.epsilon, "adjacency": self.adjacency}
        unused = "pure, delta is not used" if self.delta else ""
        published = WordExponential(self.language, **options, calibration="paper")
        certified, why_not = self._certified(options)
        note = _joined(unused, why_not)
        yield self._on_language("exponential (paper rate)", published, note)
        flip = WordPermuteAndFlip(self.language, **options)
        yield self._on_language("permute-and-flip (paper rate)", flip, unused)
        if certified is not None:
            note = _joined(unused, _won(certified, self.length))
            yield self._on_language(CALIBRATED, certified, note)

    def _certified(self, options: dict[str, Any]) -> tuple[ExponentialOnLanguage | None, str]:
        """The mechanism at a certified rate, or why there is none."""
        if self.search.calibration == "paper":
            return None, ""
        made = WordExponential(
            self.language,
            **options,
            calibration=self.search.calibration,
            longest=self.length,
            seconds=self.search.seconds,
            progress=self.search.progress,
        )
        if isinstance(made, ExponentialOnLanguage) and made.certified is not None:
            return made, ""
        return None, made.calibration_reason

    def _on_language(self, title: str, mechanism: HammingMechanism, note: str) -> PlanRow:
        spent = mechanism.spent(self.length)
        if isinstance(mechanism, LanguageMechanism):
            note = _joined(note, *mechanism.remarks([self.length]))
            if self.chain is not None:

                def act(words: Words) -> Words:
                    codes = words.codes.reshape(len(words), self.length).astype(np.int64)
                    drawn = mechanism.simulate(current_source(), codes)
                    return words.with_codes(drawn.ravel().astype(words.codes.dtype))

                moves = mechanism.language.automaton.edges[1].size
                return self._simulated(title, mechanism, spent, act, moves, note=note)
        found = predict(mechanism, Counter([self.length]))
        return self._row(title, mechanism, spent, found.errors, found.standard_error, note=note)

    def _decoded(self, title: str, response: PlanRow, method: Method, possible: bool) -> PlanRow:
        mechanism = response.mechanism
        if self.chain is None or not isinstance(mechanism, RandomizedResponse):
            raise ParameterError("There is no chain to decode with.", parameter="chain")
        decoding = Decoding(self.chain, method)

        def act(words: Words) -> Words:
            return decoding.decode(mechanism.release(words), mechanism, _silent)

        note = "" if possible else _LEAVES
        return self._simulated(
            title, mechanism, response.spent, act, note=note, possible=possible, decoding=decoding
        )

    def _simulated(
        self,
        title: str,
        mechanism: HammingMechanism,
        spent: Fraction,
        act: Callable[[Words], Words],
        moves: int = 1,
        **more: Any,
    ) -> PlanRow:
        if self.chain is None:
            raise ParameterError("There is no chain to draw words from.", parameter="chain")
        found = average_over_chain(act, self.chain, {self.length: 1}, moves)
        return self._row(title, mechanism, spent, found.errors, found.standard_error, **more)

    def _row(
        self,
        title: str,
        mechanism: HammingMechanism,
        spent: Fraction,
        errors: float,
        standard_error: float,
        **more: Any,
    ) -> PlanRow:
        share, bounds = errors / self.length, (0.0, float(self.length))
        return PlanRow(
            title,
            mechanism,
            self.epsilon,
            spent,
            errors,
            share,
            bounds,
            errors_standard_error=standard_error,
            **more,
        )


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _won(mechanism: ExponentialOnLanguage, length: int) -> str:
    """How much larger than the published rate the certified one is, and what it spends."""
    published = float(mechanism.epsilon / (2 * mechanism.adjacency))
    won = f"{mechanism.rate(length) / published:.2f} times the published rate"
    if mechanism.certified is None:
        return won
    high = decimal_up(mechanism.certified.high, 4)
    low = f"at least {float(mechanism.certified.low):.4g} and " if mechanism.certified.low else ""
    return f"{won}, proved to spend {low}at most {high} of {decimal_up(mechanism.epsilon, 4)}"


def _how(mechanism: Mechanism) -> Iterator[str]:
    """What a release at that certified rate takes."""
    if not isinstance(mechanism, ExponentialOnLanguage) or mechanism.certified is None:
        return
    longest = mechanism.certified.lengths.longest
    more = "" if longest is None else f" --longest {longest}"
    if mechanism.calibration_reason == CERTIFIED_QUICKLY:
        by = f" with{more}" if more else ""
        yield f"A release on the language has this rate by itself{by} (--calibration auto)."
    else:
        yield f"It takes --calibration exact{more} (in Python this row's mechanism)."


def _impossible(row: PlanRow, note: str) -> PlanRow:
    return replace(row, possible=False, note=note)


def _errors(row: PlanRow) -> float:
    return row.expected_errors


def _and(titles: list[str]) -> str:
    """The rest of a list that has begun: "b and c", "b, c and d"."""
    if len(titles) == 1:
        return f" and {titles[0]}"
    return f", {', '.join(titles[:-1])} and {titles[-1]}"


def _equal(row: PlanRow, best: PlanRow) -> bool:
    """Whether the expected errors cannot be told apart."""
    return row.expected_errors <= best.expected_errors + _noise(row, best)


def _noise(row: PlanRow, best: PlanRow) -> float:
    """Differences up to here say nothing: two standard errors, or 0.1 %."""
    noise = 2 * math.hypot(row.errors_standard_error, best.errors_standard_error)
    return max(noise, 1e-3 * best.expected_errors)


def _silent(_stage: str, _done: int, _total: int) -> None:
    """A simulation is quick; nobody is told."""
