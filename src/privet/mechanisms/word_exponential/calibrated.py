"""A rate that is certified to spend at most so much on a language, and how it is read back.

Contract. A rate belongs to its certificate, and `read_calibrated` believes nothing but the check of
`privet.weighted.words_check`: whether the certificate stands, and is about this language, adjacency
and ratio. What is said beside it (the lengths, what a pair of words spends at least) is computed
again. Nothing is searched for here (see calibrating.py), and no protected data are involved.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from privet.errors import CertificateError
from privet.exact import float_down, float_up, log_down, log_up
from privet.languages import Language
from privet.symbols import hamming_distance
from privet.weighted.limits import Lengths

Word = tuple[int, ...]

ALL_LENGTHS = Lengths(0, None)

_MOST_KEPT = 64
_MOST_BITS = 1 << 13
"""Of the denominator of q: enough for the largest epsilon there is."""

_MOST_WITNESS_BITS = 1 << 16
"""Of a weight: a thousand symbols at the smallest ratio that is searched for."""


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
        apart = hamming_distance(w, v)
        under, over = (_weight(self.document, self.q, word) for word in (w, v))
        return max(Fraction(0), log_down(Fraction(over, under) / self.q**apart))

    def bracket(self) -> dict[str, Any]:
        """What it spends, for reading, and on words of which lengths; rounded outward."""
        return {
            "spent_at_least": float_down(self.low),
            "spent_at_most": float_up(self.high),
            "shortest": self.lengths.shortest,
            "longest": self.lengths.longest,
        }

    def to_json(self) -> dict[str, Any]:
        """{"q", "witness", "certificate"}: what `read_calibrated` takes."""
        witness = None if self.witness is None else [list(word) for word in self.witness]
        # A copy: others of this process have the same document, whatever is done to this one.
        document = json.loads(json.dumps(self.document))
        return {"q": str(self.q), "witness": witness, "certificate": document}


def read_calibrated(
    language: Language,
    adjacency: int,
    described: Mapping[str, Any],
    watch: Callable[[], None] | None = None,
) -> Calibrated:
    """What `to_json` gave, if its certificate stands and is about this language and ratio.

    `watch` is called many times a second, and what it raises ends the check.
    Errors: CertificateError naming what is wrong.
    """
    if not isinstance(described, Mapping) or set(described) != {"q", "witness", "certificate"}:
        raise CertificateError(
            "The calibration does not have the fields q, witness and certificate.",
            hint="It must be what the mechanism's to_json gave.",
        )
    document = described["certificate"]
    q, high, lengths = checked(language, adjacency, document, watch)
    if described["q"] != str(q):
        raise CertificateError("The certificate is about another q.", field="q")
    witness = _read_witness(language, adjacency, lengths, described["witness"])
    if witness is not None and not is_short(witness[0], q):
        raise CertificateError("The witness is longer than any search gives.", field="witness")
    found = Calibrated(q, high, lengths, adjacency, document, witness)
    if found.low > high:
        raise CertificateError("The witness spends more than is certified.", field="witness")
    return found


_CLAIMS: dict[str, Any] = {}
"""Checked certificates of this process, by their content."""


def keep(known: dict[str, Any], key: str, value: Any) -> None:
    """Remember a value, and forget the oldest ones."""
    known[key] = value
    while len(known) > _MOST_KEPT:
        known.pop(next(iter(known)), None)


def digest(content: Any) -> str:
    """SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def table_of(language: Language) -> dict[str, Any]:
    """The automaton as certificates describe it."""
    automaton = language.automaton
    return {
        "moves": automaton.transitions.tolist(),
        "initial": int(automaton.initial),
        "accepting": [bool(flag) for flag in automaton.accepting],
    }


def checked(
    language: Language,
    adjacency: int,
    document: Any,
    watch: Callable[[], None] | None = None,
) -> tuple[Fraction, Fraction, Lengths]:
    """(q, certified epsilon, lengths) of a certificate about this language."""
    from privet.weighted.words_check import check_word_certificate

    try:
        key = digest(document)
    except (TypeError, ValueError, RecursionError):
        raise CertificateError("The certificate is no JSON value.") from None
    claim = _CLAIMS.get(key)
    if claim is None:
        _check_subject(language, document)
        claim = check_word_certificate(document, watch)
        keep(_CLAIMS, key, claim)
    about = {
        "moves": [list(row) for row in claim.moves],
        "initial": claim.initial,
        "accepting": list(claim.accepting),
    }
    if about != table_of(language):
        raise CertificateError("The certificate is about another language.", field="moves")
    if len(claim.ratios) != adjacency:
        raise CertificateError("The certificate is about another adjacency.", field="parts")
    if claim.shortest > 1:
        raise CertificateError("The certificate leaves out short words.", field="shortest")
    if claim.q.numerator.bit_length() > 53 or claim.q.denominator.bit_count() != 1:
        raise CertificateError("Draws cannot use this q: it is not of 53 bits.", field="q")
    if claim.q.denominator.bit_length() > _MOST_BITS:
        raise CertificateError("No epsilon that is allowed needs so small a q.", field="q")
    return claim.q, log_up(claim.factor), Lengths(claim.shortest, claim.longest)


def _check_subject(language: Language, document: Any) -> None:
    """Refuse what names another automaton at first sight, before a long check of it."""
    table = table_of(language)
    if isinstance(document, Mapping) and any(document.get(name) != table[name] for name in table):
        raise CertificateError("The certificate is about another language.", field="moves")


def is_short(word: Word, q: Fraction) -> bool:
    """Whether the weight of a word takes no time to speak of."""
    return len(word) * q.denominator.bit_length() <= _MOST_WITNESS_BITS


def _read_witness(
    language: Language, adjacency: int, lengths: Lengths, given: Any
) -> tuple[Word, Word] | None:
    """Two words of the language, codes, that differ in 1..adjacency places."""
    if given is None:
        return None
    wrong = CertificateError("The witness is no pair of neighbours.", field="witness")
    if not isinstance(given, list) or len(given) != 2:
        raise wrong
    if any(isinstance(word, list) and len(word) > _MOST_WITNESS_BITS for word in given):
        raise wrong
    if not all(isinstance(word, list) and all(type(x) is int for x in word) for word in given):
        raise wrong
    w, v = (tuple(word) for word in given)
    known = all(0 <= x < len(language.alphabet) for x in (*w, *v))
    if len(w) != len(v) or not known or not lengths.covers(Lengths(len(w), len(w))):
        raise wrong
    apart = hamming_distance(w, v)
    if not 1 <= apart <= adjacency or not all(_accepts(table_of(language), x) for x in (w, v)):
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
