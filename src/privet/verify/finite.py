"""Finite mechanisms: a matrix of output distributions, checked exactly for every pair of inputs.

Contract. Row i is the law of the output on input i, in rationals. For rows P, P' and c = e^epsilon,

    smallest delta = sum over outputs of max(0, P(x) - c P'(x)),

reached on the set {x : P(x) > c P'(x)} [dwork-roth-2014]; no other set of outputs needs a larger
one. c is irrational for every rational epsilon > 0, so sums that contain it never tie with a
rational delta: enclosures are narrowed until the comparison is decided. Deltas are returned rounded
up, so what is claimed is true. A neighbour pair counts in both directions.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Literal

import numpy as np

from privet.chains.stochastic import Rows, read_stochastic
from privet.errors import ParameterError, RoundingWarning
from privet.exact import exact_number, exp_down, exp_up, log_up, read_count, read_delta
from privet.exact.number import LARGEST_EPSILON, Number
from privet.verify.outcome import FiniteCertificate, Holds, Ratio, SetViolated, ratio_of

Law = tuple[Fraction, ...]
Pair = tuple[int, int]
Neighbours = Literal["all", "adjacent"] | Iterable[Pair]

_BITS = 128
_ROUNDING = Fraction(1, 1 << 50)
"""What a probability may be off that was computed in doubles with a few roundings."""


@dataclass(frozen=True)
class SufficientSets:
    """Which sets of outputs decide the guarantee for one ordered pair of rows.

    `above`: the outputs with P(x) > P'(x): their subsets suffice for (epsilon, delta); `groups`:
    those of one quotient together, which suffice for delta = 0; `all_subsets`, `subsets`: how many
    sets there are without and with the first fact.
    """

    pair: Pair
    above: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    all_subsets: int
    subsets: int


@dataclass(frozen=True)
class PrivacyProfile:
    """`deltas[i]`: the smallest delta at `epsilons[i]`, rounded up; `pairs[i]`: who needs it."""

    epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class _Claim:
    """c = e^exponent, or `ratio` itself."""

    exponent: Fraction
    ratio: Fraction | None

    @classmethod
    def read(cls, epsilon: Number | None, ratio: Number | None) -> "_Claim":
        if (epsilon is None) == (ratio is None):
            raise ParameterError(
                "Give either epsilon or ratio.",
                hint="ratio=2 claims epsilon = ln 2 exactly; epsilon=1 claims the ratio e.",
                parameter="epsilon",
            )
        if epsilon is not None:
            return cls(_exponent(epsilon), None)
        number = ratio if isinstance(ratio, Fraction) else exact_number(ratio or 0, "ratio")
        if number < 1:
            raise ParameterError(
                "ratio must be at least 1.",
                hint="It is e^epsilon: 2 for epsilon = ln 2.",
                parameter="ratio",
            )
        return cls(Fraction(0), number)

    def down(self, bits: int) -> Fraction:
        return exp_down(self.exponent, bits) if self.ratio is None else self.ratio

    def up(self, bits: int) -> Fraction:
        return exp_up(self.exponent, bits) if self.ratio is None else self.ratio


def finite_mechanism(
    rows: Rows,
    *,
    epsilon: Number | None = None,
    ratio: Number | None = None,
    delta: Number = 0,
    neighbours: Neighbours = "all",
) -> Holds | SetViolated:
    """Whether every neighbour pair is (epsilon, delta)-indistinguishable, with the worst pair.

    `rows`: (inputs, outputs), exact or floats, each summing to 1; `epsilon` >= 0, or `ratio` >= 1,
    exactly, for its logarithm; `delta` in [0, 1); `neighbours`: "all", "adjacent" (each row with
    the next), or pairs of row numbers. Errors: ModelError, ParameterError. A RoundingWarning says
    where a claim about doubles fails by no more than their rounding.
    """
    laws, claim = _laws(rows), _Claim.read(epsilon, ratio)
    allowed, pairs = read_delta(delta), _pairs(neighbours, len(laws))
    bits = _BITS
    while True:
        low, high = claim.down(bits), claim.up(bits)
        needed, pair = _largest(laws, pairs, low)
        if needed <= allowed:
            outputs = _worst_set(laws, pair, low)
            return Holds(FiniteCertificate(needed, pair, outputs, len(pairs)))
        if _largest(laws, pairs, high)[0] > allowed:
            violated = _violation(laws, pairs, (low, high), allowed)
            _warn_of_doubles(rows, violated.delta - allowed, len(laws[0]))
            return violated
        bits *= 2


def _warn_of_doubles(rows: Rows, excess: Fraction, outputs: int) -> None:
    """Doubles that were rounded from a mechanism that keeps its claim break it by as little."""
    if excess <= outputs * _ROUNDING and _has_doubles(rows):
        warnings.warn(
            "The claim fails by no more than the rounding of doubles: of the mechanism that these "
            "probabilities were rounded from it may be true. Give them exactly, as text or "
            "Fractions; a mechanism of Privet has exact_response_matrix().",
            RoundingWarning,
            stacklevel=3,
        )


def _has_doubles(rows: Rows) -> bool:
    if isinstance(rows, np.ndarray) and rows.dtype.kind == "f":
        return True
    return any(isinstance(entry, float | np.floating) for row in rows for entry in row)


def smallest_delta(
    rows: Rows,
    *,
    epsilon: Number | None = None,
    ratio: Number | None = None,
    neighbours: Neighbours = "all",
) -> Fraction:
    """The smallest delta at which the mechanism is (epsilon, delta)-private, rounded up.

    Exact for epsilon = 0 and for a ratio; otherwise above the true value by less than 2^-120.
    """
    laws, claim = _laws(rows), _Claim.read(epsilon, ratio)
    return _largest(laws, _pairs(neighbours, len(laws)), claim.down(_BITS))[0]


def smallest_ratio(
    rows: Rows, *, delta: Number = 0, neighbours: Neighbours = "all"
) -> tuple[Ratio, Pair]:
    """The smallest c >= 1 with P(X) <= c P'(X) + delta for all sets X, and the pair that needs it.

    An exact Fraction, or math.inf if no c does.
    """
    laws, allowed = _laws(rows), read_delta(delta)
    pairs = _pairs(neighbours, len(laws))
    return max(
        ((_pair_ratio(laws[i], laws[j], allowed), (i, j)) for i, j in pairs),
        key=lambda found: found[0],
    )


def smallest_epsilon(
    rows: Rows, *, delta: Number = 0, neighbours: Neighbours = "all"
) -> Fraction | float:
    """The smallest epsilon at which the mechanism is (epsilon, delta)-private, rounded up.

    The logarithm of `smallest_ratio`, or math.inf.
    """
    ratio, _ = smallest_ratio(rows, delta=delta, neighbours=neighbours)
    return log_up(ratio) if isinstance(ratio, Fraction) else ratio


def privacy_profile(
    rows: Rows, *, epsilons: Iterable[Number], neighbours: Neighbours = "all"
) -> PrivacyProfile:
    """The smallest delta at each of several epsilons."""
    laws = _laws(rows)
    pairs = _pairs(neighbours, len(laws))
    exponents = tuple(_exponent(epsilon) for epsilon in epsilons)
    found = [_largest(laws, pairs, exp_down(exponent)) for exponent in exponents]
    return PrivacyProfile(
        exponents, tuple(delta for delta, _ in found), tuple(pair for _, pair in found)
    )


def sufficient_sets(rows: Rows, first: int, second: int) -> SufficientSets:
    """The sets of outputs that decide the guarantee for rows `first` against `second`.

    [holohan-leith-mason-2016], Theorems 2 and 3: subsets of {x : P(x) > P'(x)} suffice, and for
    delta = 0 the groups of equal quotient in it.
    """
    laws = _laws(rows)
    ((i, j),) = _checked_pairs([(first, second)], len(laws))
    above = tuple(x for x, (p, q) in enumerate(zip(laws[i], laws[j], strict=True)) if p > q)
    groups: dict[Ratio, list[int]] = {}
    for x in above:
        groups.setdefault(ratio_of(laws[i][x], laws[j][x]), []).append(x)
    ordered = tuple(tuple(groups[ratio]) for ratio in sorted(groups, reverse=True))
    return SufficientSets((i, j), above, ordered, 2 ** len(laws[i]), 2 ** len(above))


def _violation(
    laws: Sequence[Law], pairs: list[Pair], ends: tuple[Fraction, Fraction], allowed: Fraction
) -> SetViolated:
    """The worst pair and set, its claim re-evaluated from the sums over the set."""
    low, high = ends
    _, (i, j) = _largest(laws, pairs, high)
    outputs = _worst_set(laws, (i, j), high)
    over = sum((laws[i][x] for x in outputs), Fraction(0))
    under = sum((laws[j][x] for x in outputs), Fraction(0))
    if not over > high * under + allowed:
        raise AssertionError("the worst set does not break the guarantee")
    needed = _largest(laws, pairs, low)[0]
    return SetViolated([*outputs], over, under, ratio_of(over, under), (i, j), needed)


def _largest(laws: Sequence[Law], pairs: list[Pair], ratio: Fraction) -> tuple[Fraction, Pair]:
    """The largest sum of max(0, P - ratio P') over the pairs, and its pair."""
    return max(
        ((sum(_excesses(laws[i], laws[j], ratio), Fraction(0)), (i, j)) for i, j in pairs),
        key=lambda found: found[0],
    )


def _excesses(first: Law, second: Law, ratio: Fraction) -> Iterator[Fraction]:
    return (max(Fraction(0), p - ratio * q) for p, q in zip(first, second, strict=True))


def _worst_set(laws: Sequence[Law], pair: Pair, ratio: Fraction) -> tuple[int, ...]:
    first, second = laws[pair[0]], laws[pair[1]]
    return tuple(x for x, excess in enumerate(_excesses(first, second, ratio)) if excess > 0)


def _pair_ratio(first: Law, second: Law, allowed: Fraction) -> Ratio:
    """The smallest c >= 1 with sum max(0, P - c P') <= allowed.

    The sum is convex, decreasing and linear between the quotients P(x)/P'(x). Taking the outputs
    in falling order of quotient, (mass of P - allowed) / mass of P' is largest at the answer.
    """
    outputs = [(p, q) for p, q in zip(first, second, strict=True) if p]
    outputs.sort(key=lambda pq: ratio_of(*pq), reverse=True)
    best: Ratio = Fraction(1)
    over, under = -allowed, Fraction(0)
    for p, q in outputs:
        over, under = over + p, under + q
        if over > 0:
            best = max(best, ratio_of(over, under))
    return best


def _laws(rows: Rows) -> tuple[Law, ...]:
    laws = read_stochastic(rows, "the mechanism").exact
    if len(laws) < 2:
        raise ParameterError(
            "A mechanism needs at least two rows.", hint="One row for each input.", parameter="rows"
        )
    return laws


def _exponent(epsilon: Number) -> Fraction:
    """An epsilon, 0 included: at 0 the smallest delta is the total variation distance."""
    number = exact_number(epsilon, "epsilon")
    if not 0 <= number <= LARGEST_EPSILON:
        raise ParameterError(
            f"epsilon must lie between 0 and {LARGEST_EPSILON}.",
            hint="Typical values lie between 0.1 and 10.",
            parameter="epsilon",
        )
    return number


def _pairs(neighbours: Neighbours, size: int) -> list[Pair]:
    """Every ordered pair that must be checked."""
    if isinstance(neighbours, str):
        if neighbours == "adjacent":
            return [pair for i in range(size - 1) for pair in ((i, i + 1), (i + 1, i))]
        if neighbours != "all":
            raise ParameterError(
                "neighbours is text other than 'all' and 'adjacent'.",
                hint="Give one of them, or pairs of row numbers.",
                parameter="neighbours",
            )
        return list(permutations(range(size), 2))
    given = _checked_pairs(neighbours, size)
    if not given:
        raise ParameterError(
            "neighbours is empty: every mechanism would be private.",
            hint="Give 'all', or pairs of row numbers.",
            parameter="neighbours",
        )
    return list(dict.fromkeys(pair for i, j in given for pair in ((i, j), (j, i))))


def _checked_pairs(pairs: Iterable[Pair], size: int) -> list[Pair]:
    result = []
    for number, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterError(f"Neighbour pair {number} is not two row numbers.")
        i, j = (read_count(index, f"Pair {number}", minimum=0) for index in pair)
        if max(i, j) >= size or i == j:
            raise ParameterError(
                f"Neighbour pair {number} is not two different rows of the {size}.",
                hint="Rows count from 0.",
                parameter="neighbours",
            )
        result.append((i, j))
    return result
