"""Re-checks a certificate or a counterexample in integers, knowing nothing of how it was found.

Contract. Imports no engine: the JSON form is read again here, strictly, and every claim follows
from integer dot products alone. Unknown fields, other types, negative entries, shapes that do not
fit and trees that leave a word out are refused. A CertificateError says which step fails and why.
`privet.weighted.certificate` explains why a valid tree proves the bound.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz
from numpy.typing import NDArray

from privet.errors import CertificateError

Vector = tuple[int, ...]

_FIELDS = ("kind", "version", "problem", "ratio", "shortest", "longest", "reach", "depth", "tree")
_PROBLEM_FIELDS = ("moves", "steps", "finals", "initial", "first", "second")
_NATURAL = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_RATIONAL = re.compile(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", re.ASCII)
_MOST_CELLS = 1 << 22
"""Numbers in the suffix sets of one certificate: no file makes a reader run out of memory."""

_MOST_BITS = 1 << 28
"""Binary digits of those numbers."""


@dataclass(frozen=True)
class Problem:
    """As in `privet.weighted.problem`, read from a file."""

    moves: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[tuple[Vector, ...] | None, ...], ...]
    finals: tuple[Vector, ...]
    initial: int
    first: Vector
    second: Vector


@dataclass(frozen=True)
class Claim:
    """What a valid certificate proves: no word of these lengths has a ratio above `ratio`."""

    problem: Problem
    ratio: Fraction
    shortest: int
    longest: int | None


def check_certificate(document: object) -> Claim:
    """The claim of a certificate in JSON form. Errors: CertificateError naming what fails."""
    data = _fields(document, _FIELDS, "the certificate")
    _require(data["kind"] == "weighted-ratio-certificate", "kind", "is another")
    _require(type(data["version"]) is int and data["version"] == 1, "version", "is not 1")
    problem = read_problem(data["problem"])
    ratio = _rational(data["ratio"], "ratio")
    shortest = _count(data["shortest"], "shortest")
    longest = None if data["longest"] is None else _count(data["longest"], "longest")
    _require(longest is None or longest >= shortest, "longest", "is below the shortest length")
    reach, depth = _count(data["reach"], "reach"), _count(data["depth"], "depth")
    _require(depth <= reach + 1, "depth", "leaves out suffixes longer than the exact ones")
    _require(isinstance(data["tree"], list), "tree", "is not a list")
    _Walk(problem, ratio, _Sets(problem, reach, depth)).follow(data["tree"], shortest, longest)
    return Claim(problem, ratio, shortest, longest)


def weights(problem: Problem, word: Sequence[int]) -> tuple[int, int]:
    """The two weights of a word, up to one common factor; (0, 0) where no path reads it."""
    state, first, second = problem.initial, problem.first, problem.second
    for symbol in word:
        matrix = problem.steps[state][symbol]
        if matrix is None:
            return 0, 0
        first, second = _times(first, matrix), _times(second, matrix)
        state = problem.moves[state][symbol]
    final = problem.finals[state]
    return _dot(first, final), _dot(second, final)


def check_counterexample(document: object, word: Sequence[int], ratio: Fraction) -> tuple[int, int]:
    """The weights of a word whose ratio is above `ratio`. Errors: CertificateError if it is not."""
    problem = read_problem(document)
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
    """The suffix sets, made again: exact[j][p] for j = 0..reach, and the cone of `depth`."""

    def __init__(self, problem: Problem, reach: int, depth: int) -> None:
        self._problem, self._cells, self._bits = problem, 0, 0
        self._is_planar = max(map(len, problem.finals)) <= 2
        self._is_conserving = _is_conserving(problem)
        exact = [[self._reduced([final]) for final in problem.finals]]
        for _ in range(reach):
            exact.append(self._longer(exact[-1]))
        cone = [
            [tuple(int(i == j) for j in range(len(final))) for i in range(len(final))]
            for final in problem.finals
        ]
        for _ in range(depth):
            cone = self._longer(cone)
        self.reach = reach
        self._exact, self._cone = exact, [_Directions(vectors) for vectors in cone]
        self._made: dict[tuple[int, int], _Directions] = {}

    def _longer(self, known: list[list[Vector]]) -> list[list[Vector]]:
        result = []
        for row, matrices in zip(self._problem.moves, self._problem.steps, strict=True):
            vectors = [
                tuple(_dot(line, vector) for line in matrix)
                for then, matrix in zip(row, matrices, strict=True)
                if matrix is not None
                for vector in known[then]
            ]
            result.append(self._reduced(vectors))
            # A set without vectors costs a little, too.
            self._cells += 1 + sum(map(len, result[-1]))
            self._bits += sum(entry.bit_length() for line in result[-1] for entry in line)
            if self._cells > _MOST_CELLS or self._bits > _MOST_BITS:
                raise CertificateError("The suffix sets of the certificate are too large.")
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
        return not is_beyond or self._cone[state].are_nonpositive(vector)

    def _directions(self, state: int, length: int) -> _Directions:
        key = state, length
        if key not in self._made:
            self._made[key] = _Directions(self._exact[length][state])
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


@dataclass(frozen=True)
class _Place:
    """A split node: its control state, primitive vector, and the lengths left."""

    state: int
    vector: Vector
    low: int
    high: int | None


class _Walk:
    """The tree, node by node in preorder."""

    def __init__(self, problem: Problem, ratio: Fraction, sets: _Sets) -> None:
        self._problem, self._sets = problem, sets
        self._start = tuple(
            ratio.denominator * a - ratio.numerator * b
            for a, b in zip(problem.first, problem.second, strict=True)
        )

    def follow(self, tree: list[Any], shortest: int, longest: int | None) -> None:
        """Check every node, and that the nodes are one whole tree."""
        splits: dict[int, _Place] = {}
        below: list[tuple[int, _Place, int, Fraction]] = []
        pending = [_Place(self._problem.initial, _primitive(self._start), shortest, longest)]
        for number, step in enumerate(tree):
            if not pending:
                raise CertificateError(f"Step {number} of the tree comes after its end.")
            place = pending.pop()
            if step == "cut":
                self._check_cut(number, place)
            elif step == "split":
                splits[number] = place
                pending += reversed(self._children(number, place))
            else:
                target, factor = _below(step, number)
                below.append((number, place, target, factor))
        if pending:
            raise CertificateError("The tree ends before every word is covered.")
        for number, place, target, factor in below:
            self._check_below(number, place, splits.get(target), factor)

    def _check_cut(self, number: int, place: _Place) -> None:
        if place.high is not None and place.high < 0:
            return
        if not self._sets.are_nonpositive(place.state, place.vector, place.low, place.high):
            raise CertificateError(f"Step {number} of the tree cuts a prefix that may be exceeded.")

    def _children(self, number: int, place: _Place) -> list[_Place]:
        final = self._problem.finals[place.state]
        ends_here = place.low == 0 and (place.high is None or place.high >= 0)
        if ends_here and _dot(place.vector, final) > 0:
            raise CertificateError(f"Step {number} of the tree is a word above the ratio.")
        high = None if place.high is None else place.high - 1
        if high is not None and high < -1:
            raise CertificateError(f"Step {number} of the tree goes past the longest length.")
        moves, steps = self._problem.moves[place.state], self._problem.steps[place.state]
        return [
            _Place(then, _primitive(_times(place.vector, matrix)), max(place.low - 1, 0), high)
            for then, matrix in zip(moves, steps, strict=True)
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
        rest = tuple(under * a - over * b for a, b in zip(place.vector, target.vector, strict=True))
        if any(rest) and not self._sets.are_nonpositive(place.state, rest, place.low, place.high):
            raise CertificateError(f"Step {number} of the tree is not below the node it names.")


def _below(step: object, number: int) -> tuple[int, Fraction]:
    is_triple = isinstance(step, list) and len(step) == 3 and step[0] == "below"
    if not isinstance(step, list) or not is_triple or type(step[1]) is not int:
        raise CertificateError(f"Step {number} of the tree is of no known form.")
    factor = _rational(step[2], f"step {number} of the tree")
    _require(factor > 0, f"step {number} of the tree", "has the factor 0")
    return step[1], factor


def read_problem(document: object) -> Problem:
    """The problem of a JSON form, every shape and sign checked. Errors: CertificateError."""
    data = _fields(document, _PROBLEM_FIELDS, "the problem")
    finals = tuple(_vector(row, "finals") for row in _list(data["finals"], "finals"))
    moves = tuple(
        tuple(_index(then, "moves") for then in _list(row, "moves"))
        for row in _list(data["moves"], "moves")
    )
    states = len(moves)
    _require(bool(moves and moves[0] and all(finals)), "moves", "or finals is empty")
    _require(len(finals) == states, "finals", "has not one row a state")
    _require(all(len(row) == len(moves[0]) for row in moves), "moves", "is ragged")
    _require(all(then < states for row in moves for then in row), "moves", "leaves the states")
    initial = _count(data["initial"], "initial")
    _require(initial < states, "initial", "is no state")
    steps = _steps(data["steps"], moves, finals)
    first, second = _vector(data["first"], "first"), _vector(data["second"], "second")
    size = len(finals[initial])
    _require(len(first) == size and len(second) == size, "first", "or second has another size")
    return Problem(moves, steps, finals, initial, first, second)


def _steps(
    value: object, moves: tuple[tuple[int, ...], ...], finals: tuple[Vector, ...]
) -> tuple[tuple[tuple[Vector, ...] | None, ...], ...]:
    rows = _list(value, "steps")
    _require(len(rows) == len(moves), "steps", "has not one row a state")
    result = []
    for state, row in enumerate(rows):
        _require(len(_list(row, "steps")) == len(moves[0]), "steps", "is ragged")
        matrices: list[tuple[Vector, ...] | None] = []
        for then, matrix in zip(moves[state], row, strict=True):
            _require((matrix is None) == (then < 0), "steps", "does not fit moves")
            if matrix is None:
                matrices.append(None)
                continue
            lines = tuple(_vector(line, "steps") for line in _list(matrix, "steps"))
            fits = all(len(line) == len(finals[then]) for line in lines)
            _require(fits and len(lines) == len(finals[state]), "steps", "has a wrong shape")
            matrices.append(lines)
        result.append(tuple(matrices))
    return tuple(result)


def _fields(document: object, names: tuple[str, ...], what: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise CertificateError(f"What should be {what} is not an object.")
    for name in names:
        if name not in document:
            raise CertificateError(f"In {what} the field '{name}' is missing.", field=name)
    for name in document:
        if name not in names:
            raise CertificateError(f"In {what} the field {name!r} is unknown.", field=name)
    return document


def _require(holds: bool, field: str, complaint: str) -> None:
    if not holds:
        raise CertificateError(f"The field '{field}' of the certificate {complaint}.", field=field)


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise CertificateError(f"The field '{field}' of the certificate is not a list there.")
    return value


def _vector(value: object, field: str) -> Vector:
    return tuple(_natural(entry, field) for entry in _list(value, field))


def _natural(value: object, field: str) -> int:
    """A nonnegative integer written as text."""
    if not isinstance(value, str) or not _NATURAL.fullmatch(value):
        _require(False, field, "has an entry that is not a nonnegative integer in text")
    return _parsed(str(value))


def _rational(value: object, field: str) -> Fraction:
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise CertificateError(f"The field '{field}' is not a nonnegative fraction in text.")
    over, under = _parsed(match[1]), _parsed(match[2] or "1")
    is_lowest = math.gcd(over, under) == 1 and match[2] != "1"
    _require(is_lowest, field, "is not in lowest terms")
    return Fraction(over, under)


def _parsed(digits: str) -> int:
    # int() itself refuses text of more than some thousand digits.
    return int(fmpz(digits))


def _count(value: object, field: str) -> int:
    if type(value) is not int or value < 0:
        raise CertificateError(f"The field '{field}' is not a whole number of 0 or more.")
    return value


def _index(value: object, field: str) -> int:
    if type(value) is not int or value < -1:
        raise CertificateError(f"The field '{field}' is not a state or -1.")
    return value


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(map(mul, left, right))


def _times(vector: Vector, matrix: tuple[Vector, ...]) -> Vector:
    return tuple(_dot(vector, column) for column in zip(*matrix, strict=True))


def _primitive(vector: Vector) -> Vector:
    divisor = math.gcd(*vector)
    return vector if divisor <= 1 else tuple(entry // divisor for entry in vector)
