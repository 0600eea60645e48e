"""A claim for all values, word by word: one polynomial inequality each, decided without a solver.

Contract. Before all, the exact engine is asked at some values. For entries without divisions,
ratio P(word | second) - P(word | first) is a polynomial in the parameters. Words are followed
symbol by symbol with the vector of such polynomials, words with the same vector up to a positive
number are one, and a word none of whose polynomials can be negative is not followed: neither is any
of its continuations above the ratio, if the rows are laws. What is left at full length is decided
by coefficients on boxes (`privet.verify.smt.boxes`), then by the solver, one word at a time, the
cheapest first. None: not decided so, and nothing is claimed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from privet.errors import ModelError
from privet.verify.smt.algebraic import Real
from privet.verify.smt.answers import ParametersViolated
from privet.verify.smt.boxes import Box, Point, box_of, flint, is_nonnegative, never_negative
from privet.verify.smt.claims import Claim, laws
from privet.verify.smt.encodings import domain, letter, number, parameter, plus
from privet.verify.smt.expressions import Expression, divisors, fold
from privet.verify.smt.recheck import violated_at
from privet.verify.smt.solver import Query, Satisfiable, Solver, Unsatisfiable
from privet.verify.smt.symbols import Row
from privet.weighted import Clock, Limits

_SHARES = (Fraction(1, 2), Fraction(1, 100), Fraction(99, 100))
_MOST_POINTS = 81
"""Values to try, so far along the range of each parameter, and how many in all."""

_NODES = 500

MOST_WORDS = 3000
"""Vectors that are followed; beyond them the solver gets the whole question at once."""

_MOST_NAMES = 4
_ROUNDS = (8, 64, 512)
"""Boxes to look at for each word, in one round after the other."""

Vector = tuple[fmpq_mpoly, ...]
Codes = tuple[int, ...]


@dataclass(frozen=True)
class AllWords:
    """No word is above the ratio; `solver_version`: of the solver, "" if it was not needed."""

    solver_version: str


@dataclass(frozen=True)
class SomeWord:
    """Values of all constants at which a word is above, to be checked again."""

    values: dict[str, Real]


def by_trying(claim: Claim, clock: Clock) -> ParametersViolated | None:
    """A violation at one of some values, by the exact engine; None says nothing."""
    box = box_of(claim.model.parameters.names, claim.model.parameters.comparisons)
    if not claim.model.parameters.names or box is None:
        return None
    sides = [[low + (high - low) * share for share in _SHARES] for low, high in box]
    for point in islice(product(*sides), _MOST_POINTS):
        values = dict(zip(claim.model.parameters.names, point, strict=True))
        if clock.left <= 0:
            break
        if claim.model.parameters.allow(values):
            try:
                found = violated_at(claim, values, Limits(clock.part(0.1).limits.seconds, _NODES))
            except ModelError:
                # A model of numbers has no entry below the range of floats, this one may.
                continue
            if found is not None:
                return found
    return None


def by_words(claim: Claim, solver: Solver) -> AllWords | SomeWord | None:
    """The answer; the question has been admitted."""
    box = box_of(claim.model.parameters.names, claim.model.parameters.comparisons)
    if not 0 < len(claim.model.parameters.names) <= _MOST_NAMES or box is None or _divides(claim):
        return None
    left = _Words(claim, box, solver).at_full_length()
    if left is None:
        return None
    return _Decision(claim, box, solver).of(left)


def _divides(claim: Claim) -> bool:
    entries = [entry for _, row in laws(claim) for entry in row]
    return any(True for entry in (*entries, claim.ratio) for _ in divisors(entry))


class _Words:
    """The words that may be above the ratio, with their vectors."""

    def __init__(self, claim: Claim, box: Box, solver: Solver) -> None:
        self._claim, self._box, self._clock = claim, box, solver.clock
        names = claim.model.parameters.names
        self._context = fmpq_mpoly_ctx.get(list(names), Ordering.lex)
        self._places = dict(zip(names, self._context.gens(), strict=True))
        self._rows = self._matrix(claim.model.transition)
        self._seen = self._matrix(claim.model.emission)

    def at_full_length(self) -> list[tuple[fmpq_mpoly, Codes]] | None:
        """(polynomial, word) of each word that is not decided on the way; None if too many are."""
        claim = self._claim
        ratio = self._polynomial(claim.ratio)
        pairs = zip(claim.first, claim.second, strict=True)
        start = tuple(ratio * self._polynomial(b) - self._polynomial(a) for a, b in pairs)
        layer: dict[object, tuple[Vector, Codes]] = {None: (start, ())}
        for place in range(claim.length):
            longer: dict[object, tuple[Vector, Codes]] = {}
            for vector, word in layer.values():
                for code, after in enumerate(self._after(vector, place)):
                    longer.setdefault(_key(after), (_scaled(after), (*word, code)))
                if len(longer) > MOST_WORDS or self._clock.left <= 0:
                    return None
            layer = {key: pair for key, pair in longer.items() if not self._is_safe(pair[0])}
        nothing = self._context.constant(0)
        totals = {_key((g,)): (g, w) for v, w in layer.values() for g in (sum(v, nothing),)}
        return sorted(totals.values(), key=lambda pair: len(pair[0].to_dict()))

    def _after(self, vector: Vector, place: int) -> Iterator[Vector]:
        """The vectors after each symbol."""
        nothing = self._context.constant(0)
        if place:
            columns = range(len(vector))
            vector = tuple(
                sum((v * row[s] for v, row in zip(vector, self._rows, strict=True)), nothing)
                for s in columns
            )
        for code in range(len(self._seen[0])):
            yield tuple(v * seen[code] for v, seen in zip(vector, self._seen, strict=True))

    def _is_safe(self, vector: Vector) -> bool:
        return all(is_nonnegative(entry, self._box) for entry in vector)

    def _matrix(self, rows: tuple[Row, ...]) -> list[Vector]:
        return [tuple(map(self._polynomial, row)) for row in rows]

    def _polynomial(self, expression: Expression) -> fmpq_mpoly:
        return fold(
            expression,
            lambda value: self._context.constant(flint(value)),
            self._places.__getitem__,
            _combined,
        )


def _combined(sign: str, left: fmpq_mpoly, right: fmpq_mpoly) -> fmpq_mpoly:
    """One operation; divisors are numbers."""
    if sign == "/":
        return left * (1 / fmpq(right.leading_coefficient()))
    return {"+": left.__add__, "-": left.__sub__, "*": left.__mul__}[sign](right)


def _key(vector: Vector) -> object:
    """The same for vectors that are the same up to a positive factor."""
    return tuple(frozenset(entry.to_dict().items()) for entry in _scaled(vector))


def _scaled(vector: Vector) -> Vector:
    """Divided by the size of the first coefficient."""
    leading = next((entry.leading_coefficient() for entry in vector if entry), fmpq(1))
    factor = 1 / abs(leading)
    return tuple(entry * factor for entry in vector)


class _Decision:
    """Polynomial after polynomial, round after round."""

    def __init__(self, claim: Claim, box: Box, solver: Solver) -> None:
        self._claim, self._box, self._solver = claim, box, solver
        self._parameters = claim.model.parameters

    def of(self, left: list[tuple[fmpq_mpoly, Codes]]) -> AllWords | SomeWord | None:
        """Whether some polynomial is negative somewhere."""
        for most in _ROUNDS:
            open_ones = []
            for polynomial, word in left:
                found = never_negative(
                    polynomial, self._box, self._allows, self._solver.clock, most
                )
                if isinstance(found, tuple):
                    return self._some(word, dict(self._named(found)))
                if not found:
                    open_ones.append((polynomial, word))
            left = open_ones
        return self._by_solver(left)

    def _named(self, point: Point) -> Iterator[tuple[str, Fraction]]:
        return zip(self._parameters.names, point, strict=True)

    def _allows(self, point: Point) -> bool:
        return self._parameters.allow(dict(self._named(point)))

    def _some(self, word: Codes, values: "dict[str, Fraction]") -> SomeWord:
        constants: dict[str, Real] = {parameter(name): value for name, value in values.items()}
        constants.update((letter(place), Fraction(code)) for place, code in enumerate(word))
        return SomeWord(constants)

    def _by_solver(self, left: list[tuple[fmpq_mpoly, Codes]]) -> AllWords | SomeWord | None:
        names = tuple(map(parameter, self._parameters.names))
        version = ""
        for polynomial, word in left:
            goal = f"(assert (< {self._term(polynomial)} 0.0))"
            script = "\n".join([*domain(self._parameters), goal])
            verdict = self._solver.ask(Query(script, names, "QF_NRA"))
            if isinstance(verdict, Satisfiable):
                letters = {letter(place): Fraction(code) for place, code in enumerate(word)}
                return SomeWord({**verdict.values, **letters})
            if not isinstance(verdict, Unsatisfiable):
                return None
            version = verdict.version
        return AllWords(version)

    def _term(self, polynomial: fmpq_mpoly) -> str:
        names = [parameter(name) for name in self._parameters.names]
        terms = []
        for powers, c in polynomial.to_dict().items():
            factors = [
                name for name, power in zip(names, powers, strict=True) for _ in range(power)
            ]
            coefficient = number(Fraction(int(c.p), int(c.q)))
            terms.append(f"(* {' '.join([coefficient, *factors])})" if factors else coefficient)
        return plus(terms)
