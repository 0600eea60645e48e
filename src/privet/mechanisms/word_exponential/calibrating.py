"""The search for the largest rate that is certified to spend at most epsilon on a language.

Contract. On a language that forbids words the published rate epsilon / (2b) often spends much less
than epsilon, since the normaliser hardly changes with the input. `calibrate` looks for a larger
rate, at most target / b, whose certificate says that it spends at most the target: every candidate
is a ratio q whose spending `privet.weighted.words` brackets, and only an upper end that
`privet.weighted.words_check` accepts counts. Time and node limits decide how large a rate is found,
never whether it is certified; without any search the published rate has the trivial certificate.

How hard is looked is an `Effort`. THOROUGH is that of calibration="exact": as close as a minute
allows. QUICK is that of "auto": on small languages only, few candidates, few nodes, a coarser
tolerance. These are counts, so machines that are quick enough find the same rate; the seconds are
there for those that are not. What was found is kept (kept.py). No protected data are involved.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

from privet.errors import ParameterError
from privet.exact import log_down
from privet.languages import Language
from privet.mechanisms.on_language import ratio_above
from privet.mechanisms.word_exponential.calibrated import (
    ALL_LENGTHS,
    Calibrated,
    Word,
    checked,
    is_short,
    table_of,
)
from privet.mechanisms.word_exponential.kept import Question, find, remember
from privet.weighted.limits import Clock, Lengths, Limits

Tell = Callable[[str, int, int], None]
"""(stage, done, total): how far the work is."""

_VERSION = 1
"""Raised when the search finds other rates; older ones are not looked up any more."""

_BITS = 24
"""Of q: short numbers keep the certificate short, and cost 2^-24 of the rate."""

_AIM = Fraction(998, 1000)

_CLOSED = Fraction(97, 100)
"""Where all lengths together reach less of the target, words up to the longest are tried alone."""

_TRIVIAL = Fraction(1999, 1000)
"""Epsilon per rate and place, about what holds without any search."""

_GUESSES = ((2, Fraction(3, 4)), (4, Fraction(5, 6)), (8, Fraction(29, 30)))
"""(up to which epsilon a place, rate per epsilon): on most languages, to begin with."""

_FIRST_SHARE = 0.7
"""Of the time, for words of all lengths."""

_MOST_STATES, _MOST_SYMBOLS = 1 << 14, 1 << 12
"""What a certificate may speak of."""

_SMALLEST = Fraction(1, 1 << 40)
"""Of q: errors are rare beyond, and the checker has 44 bits of it."""


_STEPS = 100
"""Parts of one candidate that progress speaks of."""


@dataclass(frozen=True)
class Effort:
    """How hard is looked.

    `seconds`: of wall time, None without end; `size`: the largest language, in states^2 x moves x
    adjacency, None for any; `candidates`: rates that are tried; `nodes`: of one search;
    `tolerance`: of one bracket, as a part of epsilon; `enough`: the part of the target that is as
    good as all of it.
    """

    seconds: float | None
    size: int | None
    candidates: int
    nodes: int
    tolerance: float
    enough: Fraction

    def within(self, seconds: float | None) -> "Effort":
        """With no more seconds than these."""
        if seconds is None or (self.seconds is not None and self.seconds <= seconds):
            return self
        return replace(self, seconds=seconds)

    def reaches(self, language: Language, adjacency: int) -> bool:
        """Whether the language is small enough for it."""
        automaton = language.automaton
        size = automaton.size**2 * int(automaton.edges[1].size) * adjacency
        return self.size is None or size <= self.size


THOROUGH = Effort(None, None, 7, 30_000, 0.005, Fraction(994, 1000))
QUICK = Effort(10.0, 25_000, 4, 3_000, 0.01, Fraction(98, 100))


def calibrate(
    language: Language,
    target: Fraction,
    adjacency: int,
    *,
    longest: int | None = None,
    effort: Effort = THOROUGH,
    tell: Tell | None = None,
) -> Calibrated:
    """The largest rate found with that effort that is certified to spend at most `target`.

    For words of any length; where that falls short and `longest` is given, for words of up to so
    many symbols. Asked again, the answer is the same. Errors: ParameterError for a language too
    large, and an epsilon too small, for a certificate.
    """
    automaton = language.automaton
    if automaton.size > _MOST_STATES or len(language.alphabet) > _MOST_SYMBOLS:
        raise ParameterError(
            "The language is too large for a certificate of what a rate spends.",
            hint=f"Use calibration='paper': certificates have up to {_MOST_STATES} states and "
            f"{_MOST_SYMBOLS} symbols.",
            parameter="calibration",
        )
    how = {**asdict(effort), "enough": str(effort.enough), "seconds": None, "version": _VERSION}
    question = Question(language, target, adjacency, longest, how)
    found = find(question, effort.seconds)
    if found is None:
        found, is_complete = _search(question, effort, tell or _silent)
        seconds = math.inf if is_complete or effort.seconds is None else effort.seconds
        remember(question, found, seconds)
    return found


def _search(question: Question, effort: Effort, tell: Tell) -> tuple[Calibrated, bool]:
    """What is found, and whether it would be with all the time there is."""
    clock = Clock(Limits(effort.seconds, effort.nodes))
    longest, adjacency = question.longest, question.adjacency
    common = question.language, question.target, adjacency
    first = clock if longest is None else clock.part(_FIRST_SHARE)
    search = Search(*common, ALL_LENGTHS, first, effort, tell)
    best = search.run()
    limit = log_down(1 / ratio_above(question.target / adjacency, _BITS))
    if longest is None or best.high >= _CLOSED * question.target or best.rate >= limit:
        return best, not search.is_hurried
    second = Search(*common, Lengths(0, longest), clock, effort, tell)
    alone = second.run()
    is_complete = not search.is_hurried and not second.is_hurried
    return (alone if alone.q < best.q else best), is_complete


class Search:
    """Candidates one after the other, each where the last ones say that the target lies.

    `is_hurried`: whether the clock stopped something.
    """

    def __init__(
        self,
        language: Language,
        target: Fraction,
        adjacency: int,
        lengths: Lengths,
        clock: Clock,
        effort: Effort,
        tell: Tell,
    ) -> None:
        from privet.weighted.words import WordAutomaton

        self.language, self.target, self.adjacency = language, target, adjacency
        self.lengths, self.clock, self.effort, self.tell = lengths, clock, effort, tell
        self.is_hurried = False
        table = table_of(language)
        self.automaton = WordAutomaton(
            tuple(map(tuple, table["moves"])), table["initial"], tuple(table["accepting"])
        )

    def run(self) -> Calibrated:
        """The best that was certified; at least the published rate."""
        best = self._published()
        largest = self.target / self.adjacency
        rate = next((part * largest for top, part in _GUESSES if largest <= top), largest)
        below, above = (best.rate, best.high), None
        for number in range(self.effort.candidates):
            if self.clock.left <= 0:
                self.is_hurried = True
                break
            found = self._candidate(ratio_above(rate, _BITS), number)
            if found is None:
                break
            if found.high >= _TRIVIAL * self.adjacency * found.rate:
                break  # nothing was proved here, and hardly will be elsewhere
            if found.high <= self.target:
                if found.q < best.q:
                    best, below = found, (found.rate, found.high)
                if found.high >= self.effort.enough * self.target or rate == largest:
                    break
            else:
                above = (found.rate, found.high)
            rate = min(largest, self._next(rate, found.high, below, above))
            if above is not None and not best.rate * Fraction(1003, 1000) < rate < above[0]:
                break
        return best

    def _next(
        self,
        rate: Fraction,
        high: Fraction,
        below: tuple[Fraction, Fraction],
        above: tuple[Fraction, Fraction] | None,
    ) -> Fraction:
        """Where a line through the last points reaches the target."""
        aim = self.target * _AIM
        if not high:
            return self.target / self.adjacency
        if above is None or below[1] >= aim:
            return _short(rate * aim / high)
        share = (aim - below[1]) / (above[1] - below[1])
        return _short(below[0] + share * (above[0] - below[0]))

    def _published(self) -> Calibrated:
        """The rate target / (2b), whose certificate needs no search."""
        from privet.weighted.words import WordCertificate, WordProblem
        from privet.weighted.words.certificate import Part

        # A hair less, so that log(1/q), rounded up, is not above the target.
        rate = self.target * (1 - Fraction(1, 1 << 50)) / (2 * self.adjacency)
        q = ratio_above(rate, 53)
        if q == 1:
            raise ParameterError(
                "epsilon is too small for a certificate.",
                hint="Use calibration='paper', which says what can be done with it.",
                parameter="epsilon",
            )
        parts = tuple(Part(1 / q**d, None) for d in range(1, self.adjacency + 1))
        problem = WordProblem(self.automaton, q)
        certificate = WordCertificate(problem, self.lengths, (), None, None, parts)
        return self._calibrated(certificate.to_json(), None)

    def _candidate(self, q: Fraction, number: int) -> Calibrated | None:
        from privet.weighted.words import spent_bracket

        def progress(_: str, done: float) -> None:
            share = _STEPS * number + int(_STEPS * min(max(done, 0.0), 1.0))
            self.tell("certifying a rate", share, _STEPS * self.effort.candidates)

        self.tell("certifying a rate", _STEPS * number, _STEPS * self.effort.candidates)
        if not _SMALLEST < q < 1:
            return None
        bracket = spent_bracket(
            self.automaton,
            q,
            adjacency=self.adjacency,
            lengths=self.lengths,
            tolerance=self.effort.tolerance,
            time_limit=None if self.clock.limits.seconds is None else self.clock.left,
            node_limit=self.effort.nodes,
            progress=progress,
        )
        self.is_hurried |= bracket.reason == "time limit" or self.clock.left <= 0
        return self._calibrated(bracket.certificate.to_json(), bracket.witness)

    def _calibrated(
        self, document: dict[str, object], witness: tuple[Word, Word] | None
    ) -> Calibrated:
        q, high, lengths = checked(self.language, self.adjacency, document)
        if witness is not None and not is_short(witness[0], q):
            witness = None  # then nothing is said of the lower end
        return Calibrated(q, high, lengths, self.adjacency, document, witness)


def is_published(found: Calibrated) -> bool:
    """Whether nothing but the published rate was certified: its certificate has no search in it."""
    return all(part["tree"] is None for part in found.document["parts"])


def read_seconds(seconds: float | None) -> float | None:
    """A time that a search may take. Errors: ParameterError."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise ParameterError(
            "seconds is not a number of seconds from 0 on.",
            hint="Give for example 60, or None for a search without end.",
            parameter="seconds",
        )
    return float(seconds)


def _short(rate: Fraction) -> Fraction:
    """About the same with few digits."""
    return Fraction(round(rate * (1 << 40)), 1 << 40)


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Nobody is told."""
