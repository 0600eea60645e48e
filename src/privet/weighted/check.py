"""Re-checks a certificate or a counterexample, knowing nothing of how it was found.

Contract. Imports no engine: the JSON form is read again (`check_reading`), strictly, suffix sets
are made again where a step needs them, and every claim follows from dot products. Those of a
written certificate are of integers alone, unless the sets would be too large for that. Those of a
proof in memory, and of such sets, are of floats where these exceed a proved bound on their error
(`covers`), and of integers for all that this leaves open. Content that its seal is not of, unknown
fields, other types, negative entries, shapes that do not fit and trees that leave a word out are
refused. A CertificateError says which step fails and why.
`privet.weighted.certificate` explains why a valid tree proves the bound.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
from numpy.typing import NDArray

from privet.errors import CertificateError
from privet.weighted.check_reading import (
    Problem,
    Step,
    Vector,
    count,
    fields,
    rational,
    read_problem,
    read_step,
    require,
)
from privet.weighted.covers import Cover, Covers, Rows
from privet.weighted.seal import SEAL, check_seal

__all__ = [
    "Claim",
    "Problem",
    "check_certificate",
    "check_counterexample",
    "check_proof",
    "check_word",
    "read_problem",
    "weights",
]

_FIELDS = (
    "kind",
    "version",
    "problem",
    "ratio",
    "shortest",
    "longest",
    "reach",
    "depth",
    "tree",
    SEAL,
)
_MOST_CELLS = 1 << 22
"""Numbers in the suffix sets of one certificate: no file makes a reader run out of memory."""

_MOST_BITS = 1 << 28
"""Binary digits of those numbers."""

_TOLERANCE = 1e-9
_FEWEST = 1e-20


class _TooLargeError(CertificateError):
    """The suffix sets are too large to be made of integers."""


@dataclass(frozen=True)
class Claim:
    """What a valid certificate proves: no word of these lengths has a ratio above `ratio`."""

    problem: Problem
    ratio: Fraction
    shortest: int
    longest: int | None


def check_certificate(document: object) -> Claim:
    """The claim of a certificate in JSON form. Errors: CertificateError naming what fails."""
    data = fields(document, _FIELDS, "the certificate")
    require(data["kind"] == "weighted-ratio-certificate", "kind", "is another")
    require(type(data["version"]) is int and data["version"] == 2, "version", "is not 2")
    check_seal(data)
    problem = read_problem(data["problem"])
    ratio = rational(data["ratio"], "ratio")
    shortest = count(data["shortest"], "shortest")
    longest = None if data["longest"] is None else count(data["longest"], "longest")
    require(longest is None or longest >= shortest, "longest", "is below the shortest length")
    reach, depth = count(data["reach"], "reach"), count(data["depth"], "depth")
    require(isinstance(data["tree"], list), "tree", "is not a list")
    tree = [read_step(step, number) for number, step in enumerate(data["tree"])]
    claim = Claim(problem, ratio, shortest, longest)
    try:
        check_proof(claim, reach, depth, tree, in_integers=True)
    except _TooLargeError:
        check_proof(claim, reach, depth, tree)
    return claim


def check_proof(
    claim: Claim, reach: int, depth: int, tree: Sequence[Step], *, in_integers: bool = False
) -> None:
    """Follow a proof that is in memory. Errors: CertificateError naming the step that fails.

    `claim`: of natural numbers and shapes that fit, as `read_problem` makes sure; `in_integers`:
    no float takes part.
    """
    require(depth <= reach + 1, "depth", "leaves out suffixes longer than the exact ones")
    walk = _Walk(claim.problem, claim.ratio, reach, depth, in_integers)
    walk.follow(tree, claim.shortest, claim.longest)


def weights(problem: Problem, word: Sequence[int]) -> tuple[int, int]:
    """The two weights of a word, up to one common factor; (0, 0) where no path reads it."""
    state, path = problem.initial, []
    for symbol in word:
        matrix = problem.steps[state][symbol]
        if matrix is None:
            return 0, 0
        path.append(matrix)
        state = problem.moves[state][symbol]
    # From the end, so that one product serves both.
    suffix = problem.finals[state]
    for matrix in reversed(path):
        suffix = tuple(_dot(row, suffix) for row in matrix)
    return _dot(problem.first, suffix), _dot(problem.second, suffix)


def check_counterexample(document: object, word: Sequence[int], ratio: Fraction) -> tuple[int, int]:
    """The weights of a word whose ratio is above `ratio`. Errors: CertificateError if it is not."""
    return check_word(read_problem(document), word, ratio)


def check_word(problem: Problem, word: Sequence[int], ratio: Fraction) -> tuple[int, int]:
    """As `check_counterexample`, of a problem in memory."""
    symbols = len(problem.moves[0])
    if any(type(symbol) is not int or not 0 <= symbol < symbols for symbol in word):
        raise CertificateError("The counterexample has a symbol that the problem does not have.")
    over, under = weights(problem, word)
    if over * ratio.denominator <= ratio.numerator * under:
        raise CertificateError("The counterexample is not above the ratio.")
    return over, under


class _Directions:
    """Nonnegative integer vectors, and whether another has a positive product with one of them."""

    def __init__(self, vectors: list[Vector]) -> None:
        self.vectors = vectors
        width = len(vectors[0]) if vectors else 1
        # Entries of so many bits leave room for the sum of `width` products in 63.
        self._bits = max(1, (62 - width.bit_length()) // 2)
        self._down, self._up = _rounded(vectors, self._bits)

    def are_nonpositive(self, vector: Vector) -> bool:
        """Whether vector . t <= 0 for every t here.

        First with entries rounded up in the vector, and in t up or down as its sign there demands:
        still integers, and at least the true product of the directions. What that leaves open is
        computed in full.
        """
        if not self.vectors:
            return True
        over = _rounded_up(vector, self._bits)
        products = np.maximum(over, 0) @ self._up + np.minimum(over, 0) @ self._down
        left = np.flatnonzero(products > 0).tolist()
        return all(_dot(vector, self.vectors[index]) <= 0 for index in left)


def _rounded(vectors: list[Vector], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(n, count) each: the vectors over powers of two, rounded down and rounded up."""
    down, up = [], []
    for vector in vectors:
        drop = max(0, max(vector).bit_length() - bits + 1)
        down.append([entry >> drop for entry in vector])
        up.append([-(-entry >> drop) for entry in vector])
    return np.array(down, np.int64).T, np.array(up, np.int64).T


def _rounded_up(vector: Vector, bits: int) -> NDArray[np.int64]:
    """(n,): the vector over a power of two, rounded up."""
    drop = max(0, max(map(abs, vector)).bit_length() - bits + 1)
    return np.array([-(-entry >> drop) for entry in vector], np.int64)


class _Sets:
    """The suffix sets, made again where they are needed: up to `reach` symbols, and of `depth`.

    `covers`: the same sets in floats, where there are any and `in_integers` is not wanted.
    """

    def __init__(self, problem: Problem, reach: int, depth: int, in_integers: bool) -> None:
        self._problem, self._cells, self._bits = problem, 0, 0
        self._is_planar = max(map(len, problem.finals)) <= 2
        self._is_conserving = _is_conserving(problem)
        self.reach, self._depth = reach, depth
        self.covers = None if in_integers else self._covers()
        self._exact = [[self._reduced([final]) for final in problem.finals]]
        self._cone: list[_Directions] = []
        self._made: dict[tuple[int, int], _Directions] = {}

    def _covers(self) -> Covers | None:
        """Sets of the same suffixes in floats, for the problems that have them."""
        steps = [matrix for matrix in self._problem.steps[0] if matrix is not None]
        is_whole = len(steps) == len(self._problem.steps[0])
        if len(self._problem.moves) > 1 or not is_whole or not self._is_conserving:
            return None
        return Covers(steps, self._problem.finals[0], _TOLERANCE)

    def cover(self, high: int | None, is_end: bool) -> Cover | None:
        """What stands for the suffixes of at most `high` symbols, or (`is_end`) of none."""
        if self.covers is None or (high is not None and high < 0):
            return None
        if is_end:
            return self.covers.of_length(0)
        if high is None or high > self.reach:
            return self.covers.of_depth(self._depth)
        return self.covers.of_length(high)

    def _vectors(self, length: int) -> list[list[Vector]]:
        while len(self._exact) <= length:
            self._exact.append(self._longer(self._exact[-1]))
        return self._exact[length]

    def _long(self, state: int) -> _Directions:
        """The cone of the suffixes of `depth` symbols or more."""
        if not self._cone:
            cone = [
                [tuple(int(i == j) for j in range(len(final))) for i in range(len(final))]
                for final in self._problem.finals
            ]
            for _ in range(self._depth):
                cone = self._longer(cone)
            self._cone = [_Directions(vectors) for vectors in cone]
        return self._cone[state]

    def _longer(self, known: list[list[Vector]]) -> list[list[Vector]]:
        result = []
        for row, matrices in zip(self._problem.moves, self._problem.steps, strict=True):
            vectors = [
                tuple([sum(map(mul, line, vector)) for line in matrix])
                for then, matrix in zip(row, matrices, strict=True)
                if matrix is not None
                for vector in known[then]
            ]
            result.append(self._reduced(vectors))
            # A set without vectors costs a little, too.
            self._cells += 1 + sum(map(len, result[-1]))
            self._bits += sum(len(line) * max(line).bit_length() for line in result[-1])
            if self._cells > _MOST_CELLS or self._bits > _MOST_BITS:
                raise _TooLargeError("The suffix sets of the certificate are too large.")
        return result

    def _reduced(self, vectors: list[Vector]) -> list[Vector]:
        """Directions only, each once; in the plane the two extreme ones."""
        kept = list(dict.fromkeys(_primitive(vector) for vector in vectors if any(vector)))
        if not self._is_planar or len(kept) <= 2 or len(kept[0]) < 2:
            return kept
        by_angle = sorted(kept, key=lambda v: Fraction(v[1], v[0] + v[1]))
        return [by_angle[0], by_angle[-1]]

    def are_nonpositive(self, state: int, vector: Vector, low: int, high: int | None) -> bool:
        """Whether vector . t <= 0 for every t that stands for suffixes of low..high symbols.

        Where a word weighs what its extensions weigh together, the suffix vector of a shorter
        suffix is a sum of those of longer ones, and only the longest need be looked at.
        """
        is_beyond = high is None or high > self.reach
        last = self.reach if high is None else min(high, self.reach)
        if self._is_conserving:
            parts = range(0) if is_beyond else range(last, last + 1)
        else:
            parts = range(low, last + 1)
        if not all(self._directions(state, j).are_nonpositive(vector) for j in parts):
            return False
        return not is_beyond or self._long(state).are_nonpositive(vector)

    def _directions(self, state: int, length: int) -> _Directions:
        key = state, length
        if key not in self._made:
            self._made[key] = _Directions(self._vectors(length)[state])
        return self._made[key]


def _is_conserving(problem: Problem) -> bool:
    """Whether each final vector, times one positive number, is what one symbol more makes of it."""
    totals = []
    for final, row, matrices in zip(problem.finals, problem.moves, problem.steps, strict=True):
        total = [0] * len(final)
        for then, matrix in zip(row, matrices, strict=True):
            if matrix is not None:
                lines = zip(total, matrix, strict=True)
                total = [t + _dot(line, problem.finals[then]) for t, line in lines]
        totals.append(total)
    over = [entry for total in totals for entry in total]
    under = [entry for final in problem.finals for entry in final]
    scale = next((Fraction(a, b) for a, b in zip(over, under, strict=True) if b), Fraction(0))
    return scale > 0 and all(a == scale * b for a, b in zip(over, under, strict=True))


@dataclass
class _Place:
    """A node: its control state, the lengths left, and the symbol that leads to it from `before`.

    `vector`: primitive, once it was asked for; `is_shown`: whether floats show what it claims.
    """

    state: int
    low: int
    high: int | None
    before: "_Place | None" = None
    symbol: int = 0
    vector: Vector | None = None
    is_shown: bool = False


class _Walk:
    """The tree, node by node in preorder."""

    def __init__(
        self, problem: Problem, ratio: Fraction, reach: int, depth: int, in_integers: bool
    ) -> None:
        self._problem, self._ratio = problem, ratio
        self._sets = _Sets(problem, reach, depth, in_integers)
        self._start = tuple(
            ratio.denominator * a - ratio.numerator * b
            for a, b in zip(problem.first, problem.second, strict=True)
        )

    def follow(self, tree: Sequence[Step], shortest: int, longest: int | None) -> None:
        """Check every node, and that the nodes are one whole tree."""
        places: list[_Place] = []
        layers: list[list[int]] = []
        pending = [(_Place(self._problem.initial, shortest, longest), 0)]
        for number, step in enumerate(tree):
            if not pending:
                raise CertificateError(f"Step {number} of the tree comes after its end.")
            place, depth = pending.pop()
            places.append(place)
            if depth == len(layers):
                layers.append([])
            layers[depth].append(number)
            if step == "split":
                children = self._children(number, place)
                pending += [(child, depth + 1) for child in reversed(children)]
        if pending:
            raise CertificateError("The tree ends before every word is covered.")
        self._look(tree, places, layers)
        for number, (place, step) in enumerate(zip(places, tree, strict=True)):
            if isinstance(step, tuple):
                target = step[0] if 0 <= step[0] < len(tree) else number
                is_split = tree[target] == "split"
                self._check_below(number, place, places[target] if is_split else None, step[1])
            elif not place.is_shown:
                check = self._check_split if step == "split" else self._check_cut
                check(number, place)

    def _look(self, tree: Sequence[Step], places: list[_Place], layers: list[list[int]]) -> None:
        """Mark what floats show; the others are asked about in integers."""
        covers = self._sets.covers
        if covers is None or not _FEWEST < self._ratio < 1 / _FEWEST:
            return
        rows, ratio = covers.start(self._problem.first, self._problem.second), float(self._ratio)
        # In preorder, the children of a layer's nodes are the next layer, in order.
        for layer in layers:
            if rows is None:
                return
            for kind in ("cut", "split"):
                chosen = [i for i, number in enumerate(layer) if tree[number] == kind]
                if not chosen:
                    continue
                here = Rows(rows.pairs[chosen], rows.slack)
                cover = self._sets.cover(places[layer[chosen[0]]].high, kind == "split")
                if cover is not None:
                    shown = covers.are_below(here, cover, ratio).tolist()
                    for i, is_shown in zip(chosen, shown, strict=True):
                        places[layer[i]].is_shown = is_shown
            # Of the loop's last kind, "split".
            rows = covers.children(here) if chosen else None

    def _vector(self, place: _Place) -> Vector:
        """The vector of a node, from the nearest one before it whose vector is known."""
        path = []
        while place.vector is None and place.before is not None:
            path.append(place)
            place = place.before
        if place.vector is None:
            place.vector = _primitive(self._start)
        vector = place.vector
        for child in reversed(path):
            matrix = self._problem.steps[place.state][child.symbol]
            vector = () if matrix is None else _primitive(_times(vector, matrix))
            place, child.vector = child, vector
        return vector

    def _check_cut(self, number: int, place: _Place) -> None:
        if place.high is not None and place.high < 0:
            return
        if not self._sets.are_nonpositive(place.state, self._vector(place), place.low, place.high):
            raise CertificateError(f"Step {number} of the tree cuts a prefix that may be exceeded.")

    def _check_split(self, number: int, place: _Place) -> None:
        final = self._problem.finals[place.state]
        ends_here = place.low == 0 and (place.high is None or place.high >= 0)
        if ends_here and _dot(self._vector(place), final) > 0:
            raise CertificateError(f"Step {number} of the tree is a word above the ratio.")

    def _children(self, number: int, place: _Place) -> list[_Place]:
        high = None if place.high is None else place.high - 1
        if high is not None and high < -1:
            raise CertificateError(f"Step {number} of the tree goes past the longest length.")
        moves, steps = self._problem.moves[place.state], self._problem.steps[place.state]
        low = max(place.low - 1, 0)
        return [
            _Place(then, low, high, place, symbol)
            for symbol, (then, matrix) in enumerate(zip(moves, steps, strict=True))
            if matrix is not None
        ]

    def _check_below(
        self, number: int, place: _Place, target: _Place | None, factor: Fraction
    ) -> None:
        if target is None:
            raise CertificateError(f"Step {number} of the tree refers to no split node.")
        covers = target.low <= place.low and (
            target.high is None or (place.high is not None and place.high <= target.high)
        )
        if target.state != place.state or not covers:
            raise CertificateError(f"Step {number} of the tree refers to a node that covers less.")
        over, under = factor.numerator, factor.denominator
        rest = tuple(
            under * a - over * b
            for a, b in zip(self._vector(place), self._vector(target), strict=True)
        )
        if any(rest) and not self._sets.are_nonpositive(place.state, rest, place.low, place.high):
            raise CertificateError(f"Step {number} of the tree is not below the node it names.")


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(map(mul, left, right))


def _times(vector: Vector, matrix: tuple[Vector, ...]) -> Vector:
    return tuple(_dot(vector, column) for column in zip(*matrix, strict=True))


def _primitive(vector: Vector) -> Vector:
    divisor = math.gcd(*vector)
    return vector if divisor <= 1 else tuple(entry // divisor for entry in vector)
