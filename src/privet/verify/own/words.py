"""Mechanisms on words: the whole table of one word length, and what is claimed about it.

Contract. Inputs are all words the mechanism takes and outputs all words it gives, as tuples of
symbols. On all words the law is the mechanism's exact law by distance; on a language it is written
out from the definition in the rational q: weights q^distance, or permute-and-flip's integral of
(1 - t q^d(y)) over the other words y. Draws made in doubles differ from that by a charge, which is
taken off what the claims allow.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from flint import fmpq, fmpq_poly

from privet.errors import ParameterError
from privet.mechanisms import HammingMechanism, WordExponential, WordPermuteAndFlip
from privet.mechanisms.enumerated import list_words
from privet.mechanisms.on_language import LanguageMechanism
from privet.privacy import RecordLoss
from privet.symbols import hamming_distance
from privet.verify.finite import finite_mechanism, smallest_delta
from privet.verify.library.models import LARGEST_TABLE, FiniteModel, Law, Pair
from privet.verify.outcome import Holds
from privet.verify.own.compare import Comparison, Findings, compare
from privet.verify.own.sums import ExponentialSum

Codes = tuple[int, ...]

_MOST_COMPARED = 1 << 21
"""Some ten seconds."""


@dataclass(frozen=True)
class WordTable:
    """The table in codes, and what is known of it: `charge` as in the module's contract."""

    inputs: tuple[Codes, ...]
    outputs: tuple[Codes, ...]
    rows: tuple[Law, ...]
    neighbours: tuple[Pair, ...]
    charge: Fraction
    symbols: tuple[Any, ...]

    def named(self, word: Codes) -> tuple[Any, ...]:
        """The word in symbols."""
        return tuple(self.symbols[code] for code in word)


def own_table(mechanism: HammingMechanism, length: int) -> FiniteModel:
    """The mechanism's table on words of one length, for any function of `verify` on tables.

    Inputs and outputs are tuples of symbols; neighbours differ in 1..adjacency places. Errors:
    ParameterError if it has more than 2^20 cells or pairs of inputs.
    """
    table = word_table(mechanism, length)
    inputs, outputs = (tuple(map(table.named, words)) for words in (table.inputs, table.outputs))
    return FiniteModel(table.rows, inputs, outputs, table.neighbours)


def word_table(mechanism: HammingMechanism, length: int) -> WordTable:
    """As `own_table`, in codes."""
    everything = tuple(product(range(len(mechanism.alphabet)), repeat=_checked(mechanism, length)))
    symbols = mechanism.alphabet.symbols
    if not isinstance(mechanism, LanguageMechanism):
        law = mechanism.probability_of_word(length)
        rows = tuple(tuple(law[hamming_distance(w, x)] for x in everything) for w in everything)
        pairs = _neighbours(everything, mechanism.adjacency)
        return WordTable(everything, everything, rows, pairs, Fraction(0), symbols)
    mechanism.language.check_length(length)
    outputs = tuple(map(tuple, list_words(mechanism.language, length).tolist()))
    inputs = everything if mechanism.outside == "allow" else outputs
    rows = tuple(
        _law_on_language(mechanism, length, [hamming_distance(w, x) for x in outputs])
        for w in inputs
    )
    pairs = _neighbours(inputs, mechanism.adjacency)
    return WordTable(inputs, outputs, rows, pairs, mechanism.charge(length), symbols)


def check_size(table: WordTable) -> None:
    """Refuse a table with too many outputs of all pairs of inputs. Errors: ParameterError."""
    if len(table.inputs) ** 2 * len(table.outputs) > _MOST_COMPARED:
        raise ParameterError(
            f"All pairs of {len(table.inputs)} inputs have too many outputs to compare.",
            hint="Take a shorter length, or own_table and smallest_ratio for neighbours alone.",
            parameter="length",
        )


def protected(table: WordTable, epsilon: Fraction, delta: Fraction) -> Findings:
    """Whether neighbours are (epsilon, delta)-indistinguishable, and which are the worst."""
    allowed = epsilon - table.charge
    found = compare(_between(table, [(pair, allowed) for pair in table.neighbours]))
    if not delta or not table.neighbours:
        return found
    pairs = table.neighbours
    outcome = finite_mechanism(table.rows, epsilon=epsilon, delta=delta, neighbours=pairs)
    needed = smallest_delta(table.rows, epsilon=epsilon, neighbours=pairs)
    return Findings(isinstance(outcome, Holds), found.worst, found.compared, needed, delta)


def lost(table: WordTable, loss: RecordLoss) -> Findings:
    """Whether any two inputs, neighbours or not, are within the losses where they differ."""
    values = [value for start, stop, value in loss.pieces for _ in range(start, stop)]

    def allowed(i: int, j: int) -> Fraction:
        places = zip(values, table.inputs[i], table.inputs[j], strict=True)
        return sum((v for v, a, b in places if a != b), Fraction(0)) - table.charge

    pairs = combinations(range(len(table.inputs)), 2)
    return compare(_between(table, [((i, j), allowed(i, j)) for i, j in pairs]))


def _between(table: WordTable, pairs: list[tuple[Pair, Fraction]]) -> Iterator[Comparison]:
    """Every output, in both directions."""
    known: dict[Fraction, ExponentialSum] = {}
    for row in table.rows:
        for share in row:
            known.setdefault(share, ExponentialSum.of(share))
    inputs, outputs = list(map(table.named, table.inputs)), list(map(table.named, table.outputs))
    for (i, j), allowed in pairs:
        for a, b in permutations((i, j)):
            first, second = inputs[a], inputs[b]
            for output, p, q in zip(outputs, table.rows[a], table.rows[b], strict=True):
                yield Comparison(first, second, output, known[p], known[q], allowed)


def _law_on_language(mechanism: LanguageMechanism, length: int, distances: list[int]) -> Law:
    q = mechanism.ratio(length)
    if isinstance(mechanism, WordExponential):
        weights = [q**d for d in distances]
        total = sum(weights, Fraction(0))
        return tuple(weight / total for weight in weights)
    if isinstance(mechanism, WordPermuteAndFlip):
        nearest = min(distances)
        levels = [d - nearest for d in distances]
        shares = {level: _first_accepted(levels, level, q) for level in set(levels)}
        return tuple(shares[level] for level in levels)
    raise ParameterError(f"The law of the {mechanism.title} is not known to the verifier.")


def _first_accepted(levels: list[int], level: int, q: Fraction) -> Fraction:
    """q^level times the integral over (0, 1) of prod (1 - t q^l) over all other candidates."""
    polynomial = fmpq_poly([1])
    for other in set(levels):
        factor = fmpq_poly([1, -fmpq(*(q**other).as_integer_ratio())])
        polynomial *= factor ** (levels.count(other) - (other == level))
    integral = sum((c / (i + 1) for i, c in enumerate(polynomial.coeffs())), fmpq(0))
    return q**level * Fraction(int(integral.p), int(integral.q))


def _neighbours(words: Sequence[Codes], adjacency: int) -> tuple[Pair, ...]:
    return tuple(
        (i, j)
        for (i, one), (j, other) in combinations(enumerate(words), 2)
        if hamming_distance(one, other) <= adjacency
    )


def _checked(mechanism: HammingMechanism, length: int) -> int:
    size = len(mechanism.alphabet)
    if length > LARGEST_TABLE.bit_length() or size ** (2 * length) > LARGEST_TABLE:
        raise ParameterError(
            "There are too many words of that length to list a table.",
            hint="Take a shorter length or a smaller alphabet.",
            parameter="length",
        )
    return length
