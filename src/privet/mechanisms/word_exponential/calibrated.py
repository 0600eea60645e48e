"""The largest rate that is certified to spend at most epsilon on a language.

Contract. On a language that forbids words the published rate epsilon / (2b) often spends much less
than epsilon, since the normaliser hardly changes with the input. `calibrate` looks for a larger
rate, at most target / b, whose certificate says that it spends at most the target: every candidate
is a ratio q whose spending `privet.weighted.words` brackets, and only an upper end that
`privet.weighted.words_check` accepts counts. Time and node limits decide how large a rate is found,
never whether it is certified; without any search the published rate has the trivial certificate.
What is found depends on the clock, so it is kept with the mechanism: `read_calibrated` takes it
from there and believes nothing but the check. No protected data are involved.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from privet.errors import CertificateError, ParameterError
from privet.exact import log_down, log_up
from privet.languages import Language
from privet.mechanisms.on_language import ratio_above
from privet.weighted.limits import Clock, Lengths, Limits

Word = tuple[int, ...]

ALL_LENGTHS = Lengths(0, None)

_BITS = 24
"""Of q: short numbers keep the certificate short, and cost 2^-24 of the rate."""

_CANDIDATES = 7
_NODES = 30_000
_TOLERANCE = 0.005
_AIM = Fraction(998, 1000)
_ENOUGH = Fraction(994, 1000)
"""A rate that is certified to spend this part of the target is the largest, to a hair."""

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

_MOST_KEPT = 64


@dataclass(frozen=True)
class Calibrated:
    """A certified ratio for words of `lengths` that differ in up to `adjacency` places.

    `q`: the exact ratio e^-rate; `high`: what it spends at most, by the certificate in `document`;
    `witness`: a pair of words (codes) that spend `low`, None where none is known.
    """

    q: Fraction
    high: Fraction
    lengths: Lengths
    adjacency: int
    document: dict[str, Any]
    witness: tuple[Word, Word] | None

    @property
    def rate(self) -> Fraction:
        """log(1/q), rounded up."""
        return log_up(1 / self.q)

    @cached_property
    def low(self) -> Fraction:
        """What the pair of words spends, rounded down: d log(1/q) + log Z(v)/Z(w)."""
        if self.witness is None:
            return Fraction(0)
        w, v = self.witness
        apart = sum(x != y for x, y in zip(w, v, strict=True))
        under, over = (_weight(self.document, self.q, word) for word in (w, v))
        return max(Fraction(0), log_down(Fraction(over, under) / self.q**apart))

    def to_json(self) -> dict[str, Any]:
        """{"q", "witness", "certificate"}: what `read_calibrated` takes."""
        witness = None if self.witness is None else [list(word) for word in self.witness]
        return {"q": str(self.q), "witness": witness, "certificate": self.document}


def calibrate(
    language: Language,
    target: Fraction,
    adjacency: int,
    *,
    longest: int | None = None,
    seconds: float | None = 60.0,
) -> Calibrated:
    """The largest rate found in `seconds` that is certified to spend at most `target`.

    For words of any length; where that falls short and `longest` is given, for words of up to so
    many symbols. Asked again in one process, the answer is the same. Errors: ParameterError for a
    language too large for a certificate.
    """
    automaton = language.automaton
    if automaton.size > _MOST_STATES or len(language.alphabet) > _MOST_SYMBOLS:
        raise ParameterError(
            "The language is too large for a certificate of what a rate spends.",
            hint=f"Use calibration='paper': certificates have up to {_MOST_STATES} states and "
            f"{_MOST_SYMBOLS} symbols.",
            parameter="calibration",
        )
    key = _digest([_table(language), str(target), adjacency, longest])
    found = _KNOWN.get(key)
    if found is None:
        found = _search(language, target, adjacency, longest, Clock(Limits(seconds, _NODES)))
        _keep(_KNOWN, key, found)
    return found


def read_calibrated(language: Language, adjacency: int, described: Mapping[str, Any]) -> Calibrated:
    """What `to_json` gave, if its certificate stands and is about this language and ratio.

    Errors: CertificateError naming what is wrong.
    """
    if not isinstance(described, Mapping) or set(described) != {"q", "witness", "certificate"}:
        raise CertificateError(
            "The calibration does not have the fields q, witness and certificate.",
            hint="It must be what the mechanism's to_json gave.",
        )
    document = described["certificate"]
    q, high, lengths = _checked(language, adjacency, document)
    if described["q"] != str(q):
        raise CertificateError("The certificate is about another q.", field="q")
    witness = _read_witness(language, adjacency, lengths, described["witness"])
    found = Calibrated(q, high, lengths, adjacency, document, witness)
    if found.low > high:
        raise CertificateError("The witness spends more than is certified.", field="witness")
    return found


_KNOWN: dict[str, Calibrated] = {}
_CLAIMS: dict[str, Any] = {}
"""Calibrations and checked certificates of this process, by the content of what was asked."""


def _keep(known: dict[str, Any], key: str, value: Any) -> None:
    known[key] = value
    while len(known) > _MOST_KEPT:
        known.pop(next(iter(known)), None)


def _digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _table(language: Language) -> dict[str, Any]:
    automaton = language.automaton
    return {
        "moves": automaton.transitions.tolist(),
        "initial": int(automaton.initial),
        "accepting": [bool(flag) for flag in automaton.accepting],
    }


def _checked(
    language: Language, adjacency: int, document: Any
) -> tuple[Fraction, Fraction, Lengths]:
    """(q, certified epsilon, lengths) of a certificate about this language."""
    from privet.weighted.words_check import check_word_certificate

    try:
        key = _digest(document)
    except (TypeError, ValueError, RecursionError):
        raise CertificateError("The certificate is no JSON value.") from None
    claim = _CLAIMS.get(key)
    if claim is None:
        claim = check_word_certificate(document)
        _keep(_CLAIMS, key, claim)
    about = {
        "moves": [list(row) for row in claim.moves],
        "initial": claim.initial,
        "accepting": list(claim.accepting),
    }
    if about != _table(language):
        raise CertificateError("The certificate is about another language.", field="moves")
    if len(claim.ratios) != adjacency:
        raise CertificateError("The certificate is about another adjacency.", field="parts")
    if claim.shortest > 1:
        raise CertificateError("The certificate leaves out short words.", field="shortest")
    if claim.q.numerator.bit_length() > 53 or claim.q.denominator.bit_count() != 1:
        raise CertificateError("Draws cannot use this q: it is not of 53 bits.", field="q")
    return claim.q, log_up(claim.factor), Lengths(claim.shortest, claim.longest)


def _read_witness(
    language: Language, adjacency: int, lengths: Lengths, given: Any
) -> tuple[Word, Word] | None:
    """Two words of the language, codes, that differ in 1..adjacency places."""
    if given is None:
        return None
    wrong = CertificateError("The witness is no pair of neighbours.", field="witness")
    if not isinstance(given, list) or len(given) != 2:
        raise wrong
    if not all(isinstance(word, list) and all(type(x) is int for x in word) for word in given):
        raise wrong
    w, v = (tuple(word) for word in given)
    known = all(0 <= x < len(language.alphabet) for x in (*w, *v))
    if len(w) != len(v) or not known or not lengths.covers(Lengths(len(w), len(w))):
        raise wrong
    apart = sum(x != y for x, y in zip(w, v, strict=True))
    if not 1 <= apart <= adjacency or not all(_accepts(_table(language), x) for x in (w, v)):
        raise wrong
    return w, v


def _accepts(table: Mapping[str, Any], word: Word) -> bool:
    state = table["initial"]
    for symbol in word:
        state = table["moves"][state][symbol] if state >= 0 else -1
    return state >= 0 and bool(table["accepting"][state])


def _weight(table: Mapping[str, Any], q: Fraction, word: Word) -> int:
    """Z(word) times (denominator of q)^length, an exact integer."""
    now = {table["initial"]: 1}
    for symbol in word:
        then: dict[int, int] = {}
        for state, mass in now.items():
            for other, target in enumerate(table["moves"][state]):
                if target >= 0:
                    factor = q.denominator if other == symbol else q.numerator
                    then[target] = then.get(target, 0) + mass * factor
        now = then
    return sum(mass for state, mass in now.items() if table["accepting"][state])


def _search(
    language: Language, target: Fraction, adjacency: int, longest: int | None, clock: Clock
) -> Calibrated:
    first = clock if longest is None else clock.part(_FIRST_SHARE)
    best = _Search(language, target, adjacency, ALL_LENGTHS, first).run()
    limit = log_down(1 / ratio_above(target / adjacency, _BITS))
    if longest is None or best.high >= _CLOSED * target or best.rate >= limit:
        return best
    alone = _Search(language, target, adjacency, Lengths(0, longest), clock).run()
    return alone if alone.q < best.q else best


class _Search:
    """Candidates one after the other, each where the last ones say that the target lies."""

    def __init__(
        self,
        language: Language,
        target: Fraction,
        adjacency: int,
        lengths: Lengths,
        clock: Clock,
    ) -> None:
        from privet.weighted.words import WordAutomaton

        self.language, self.target, self.adjacency = language, target, adjacency
        self.lengths, self.clock = lengths, clock
        table = _table(language)
        self.automaton = WordAutomaton(
            tuple(map(tuple, table["moves"])), table["initial"], tuple(table["accepting"])
        )

    def run(self) -> Calibrated:
        """The best that was certified; at least the published rate."""
        best = self._published()
        largest = self.target / self.adjacency
        rate = next((part * largest for top, part in _GUESSES if largest <= top), largest)
        below, above = (best.rate, best.high), None
        for _ in range(_CANDIDATES):
            if self.clock.left <= 0:
                break
            found = self._candidate(ratio_above(rate, _BITS))
            if found is None:
                break
            if found.high >= _TRIVIAL * self.adjacency * found.rate:
                break  # nothing was proved here, and hardly will be elsewhere
            if found.high <= self.target:
                if found.q < best.q:
                    best, below = found, (found.rate, found.high)
                if found.high >= _ENOUGH * self.target or rate == largest:
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

    def _candidate(self, q: Fraction) -> Calibrated | None:
        from privet.weighted.words import spent_bracket

        if not _SMALLEST < q < 1:
            return None
        bracket = spent_bracket(
            self.automaton,
            q,
            adjacency=self.adjacency,
            lengths=self.lengths,
            tolerance=_TOLERANCE,
            time_limit=None if self.clock.limits.seconds is None else self.clock.left,
            node_limit=_NODES,
        )
        return self._calibrated(bracket.certificate.to_json(), bracket.witness)

    def _calibrated(
        self, document: dict[str, Any], witness: tuple[Word, Word] | None
    ) -> Calibrated:
        q, high, lengths = _checked(self.language, self.adjacency, document)
        return Calibrated(q, high, lengths, self.adjacency, document, witness)


def _short(rate: Fraction) -> Fraction:
    """About the same with few digits."""
    return Fraction(round(rate * (1 << 40)), 1 << 40)
