"""The question, how large the ratio of two weights of one word can be.

Contract. A problem is exact and never changes. A word is a tuple of symbol codes. A deterministic
control says which words count: control state p has a vector space of `len(finals[p])` coordinates,
symbol x leads to `moves[p][x]` (-1: no such word) through the nonnegative integer matrix
`steps[p][x]`, and a word that ends in p weighs its row vector times `finals[p]`. Two row vectors
start it, so a word w has the two weights

    first . S_w . final    and    second . S_w . final,

and the question is the largest quotient over the words of some lengths. A word of weights (0, 0) is
no word of either and is left out; (positive, 0) is the ratio infinity. All numbers are scaled to
integers by factors common to both weights, which leaves every quotient as it is.

Two weighted automata with matrices of their own are the case of two blocks side by side; from the
control states on where their matrices agree, one block serves both, and the difference of the two
vectors alone decides. Errors: ModelError for shapes that do not fit and for negative weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul

from privet.errors import ModelError
from privet.weighted.limits import SHORT_WORD, Clock

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]
Word = tuple[int, ...]
Cell = tuple["Cell", int] | None
"""A word read backwards: its last symbol and the cell of what is before it; None: no symbol."""
Rational = int | Fraction
Rows = Sequence[Sequence[Rational]]
Ratio = Fraction | float
"""A Fraction, or math.inf."""


@dataclass(frozen=True)
class Control:
    """`moves` (Q, m): the next state or -1; `accepting` (Q,); words start in `initial`."""

    moves: tuple[tuple[int, ...], ...]
    accepting: tuple[bool, ...]
    initial: int = 0


@dataclass(frozen=True)
class WeightedAutomaton:
    """Weight of w = initial . matrices[w_0] ... matrices[w_t] . final.

    `initial`, `final`: (n,); `matrices`: m of (n, n); rationals, none negative.
    """

    initial: Sequence[Rational]
    matrices: Sequence[Rows]
    final: Sequence[Rational]


@dataclass(frozen=True)
class RatioProblem:
    """See the module; made by `shared_problem` and `two_automata_problem`."""

    moves: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[Matrix | None, ...], ...]
    finals: tuple[Vector, ...]
    initial: int
    first: Vector
    second: Vector

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return len(self.moves[0])

    @property
    def is_planar(self) -> bool:
        """Whether no vector has more than two coordinates."""
        return max(map(len, self.finals)) <= 2

    def step(self, state: int, vector: Sequence[int], symbol: int) -> Vector:
        """The row vector after one symbol; its move must exist."""
        matrix = self.steps[state][symbol]
        if matrix is None:
            raise ModelError("The control has no such move.")
        return times(vector, matrix)

    def weights(self, word: Word, clock: Clock | None = None) -> tuple[int, int]:
        """Both weights of a word, up to one common factor; (0, 0) where the control has no path.

        The integers grow with the word, so a long one takes time that grows with the square of its
        length. Errors: UndecidedError when the clock runs out on the way.
        """
        if len(word) <= SHORT_WORD:
            clock = None
        path, state = [], self.initial
        for symbol in word:
            matrix = self.steps[state][symbol]
            if matrix is None:
                return 0, 0
            path.append(matrix)
            state = self.moves[state][symbol]
        # From the end, so that one product serves both.
        suffix: Sequence[int] = self.finals[state]
        for matrix in reversed(path):
            if clock is not None:
                clock.check()
            suffix = [dot(row, suffix) for row in matrix]
        return dot(self.first, suffix), dot(self.second, suffix)

    def ratio(self, word: Word, clock: Clock | None = None) -> Ratio | None:
        """The quotient of the weights; None for (0, 0). Errors: as `weights`."""
        return quotient(*self.weights(word, clock))

    @cached_property
    def is_conserving(self) -> bool:
        """Whether a word weighs what its continuations by one symbol weigh together.

        Then the largest ratio never falls with the length, and a word longer than another that is
        above some ratio can be had by extending it.
        """
        if self._step_scale <= 0:
            return False
        for state, final in enumerate(self.finals):
            total = [0] * len(final)
            for symbol, then in enumerate(self.moves[state]):
                matrix = self.steps[state][symbol]
                if matrix is not None:
                    lines = zip(total, matrix, strict=True)
                    total = [t + dot(row, self.finals[then]) for t, row in lines]
            if tuple(total) != tuple(self._step_scale * entry for entry in final):
                return False
        return True

    @cached_property
    def _step_scale(self) -> int:
        """What one symbol multiplies the weights by, if the problem is conserving."""
        final, row = self.finals[self.initial], self.moves[self.initial]
        total = 0
        for matrix, then in zip(self.steps[self.initial], row, strict=True):
            if matrix is not None:
                total += sum(dot(line, self.finals[then]) for line in matrix)
        return total // sum(final) if sum(final) else 1

    def difference(self, ratio: Fraction) -> Vector:
        """first - ratio second, scaled to integers: where every search for `ratio` starts."""
        over, under = ratio.numerator, ratio.denominator
        return tuple(under * a - over * b for a, b in zip(self.first, self.second, strict=True))


def read_backwards(cell: Cell) -> Word:
    """The word of a chain of cells."""
    symbols = []
    while cell is not None:
        cell, symbol = cell
        symbols.append(symbol)
    return tuple(reversed(symbols))


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The inner product."""
    return sum(map(mul, left, right))


def times(vector: Sequence[int], matrix: Matrix) -> Vector:
    """The row vector `vector` times `matrix`."""
    total = [0] * len(matrix[0])
    for factor, row in zip(vector, matrix, strict=True):
        if factor:
            total = [t + factor * entry for t, entry in zip(total, row, strict=True)]
    return tuple(total)


def quotient(over: int, under: int) -> Ratio | None:
    """over / under; infinity for a positive over 0, None for 0/0."""
    if under:
        return Fraction(over, under)
    return math.inf if over else None


def shared_problem(
    first: Sequence[Rational],
    second: Sequence[Rational],
    matrices: Sequence[Rows],
    final: Sequence[Rational] | None = None,
    control: Control | None = None,
) -> RatioProblem:
    """Both weights from the same m matrices (n, n) and two initial vectors (n,).

    `final`: (n,), ones unless given; `control`: every word unless given.
    """
    ending = [1] * len(first) if final is None else final
    return two_automata_problem(
        WeightedAutomaton(first, matrices, ending),
        WeightedAutomaton(second, matrices, ending),
        control,
    )


def two_automata_problem(
    first: WeightedAutomaton, second: WeightedAutomaton, control: Control | None = None
) -> RatioProblem:
    """The ratio of the weights that two automata over the same symbols give to a word."""
    for automaton in (first, second):
        _check_shapes(automaton)
    symbols = len(first.matrices)
    if len(second.matrices) != symbols:
        raise ModelError("The two automata have different numbers of symbols.")
    control = control or Control(((0,) * symbols,), (True,))
    _check_control(control, symbols)
    moves, states = _trimmed(control)
    initial = states.index(control.initial)
    accepting = [control.accepting[state] for state in states]
    return _blocks(first, second, moves, accepting, initial)


def _blocks(
    first: WeightedAutomaton,
    second: WeightedAutomaton,
    moves: list[list[int]],
    accepting: list[bool],
    initial: int,
) -> RatioProblem:
    """One block where the automata agree from a control state on, two elsewhere."""
    left = [_exact(m) for m in first.matrices]
    is_shared = second.matrices is first.matrices
    right = left if is_shared else [_exact(m) for m in second.matrices]
    agree = [is_shared or a == b for a, b in zip(left, right, strict=True)]
    merged = _merged(moves, agree, list(first.final) == list(second.final))
    size, other = len(first.initial), len(second.initial)
    finals: list[list[Rational]] = []
    steps: list[list[list[list[Rational]] | None]] = []
    for state, row in enumerate(moves):
        final = [*first.final] if merged[state] else [*first.final, *second.final]
        finals.append(final if accepting[state] else [0] * len(final))
        steps.append(
            [
                None
                if then < 0
                else _block(left[x], right[x], merged[state], merged[then], (size, other))
                for x, then in enumerate(row)
            ]
        )
    starts: tuple[list[Rational], list[Rational]] = [*first.initial], [*second.initial]
    if not merged[initial]:
        starts = [*first.initial, *[0] * other], [*[0] * size, *second.initial]
    return _scaled(moves, steps, finals, initial, starts)


def _block(
    left: list[list[Rational]],
    right: list[list[Rational]],
    here: bool,
    there: bool,
    sizes: tuple[int, int],
) -> list[list[Rational]]:
    if here:
        return left
    if there:
        return left + right
    return [*([*row, *[0] * sizes[1]] for row in left), *([*[0] * sizes[0], *row] for row in right)]


def _merged(moves: list[list[int]], agree: list[bool], same_final: bool) -> list[bool]:
    """Whether the automata are one and the same on every word readable from a control state."""
    merged = [same_final] * len(moves)
    changed = True
    while changed:
        changed = False
        for state, row in enumerate(moves):
            good = all(then < 0 or (agree[x] and merged[then]) for x, then in enumerate(row))
            if merged[state] and not good:
                merged[state] = False
                changed = True
    return merged


def _scaled(
    moves: list[list[int]],
    steps: list[list[list[list[Rational]] | None]],
    finals: list[list[Rational]],
    initial: int,
    starts: tuple[list[Rational], list[Rational]],
) -> RatioProblem:
    """Integers: one factor for all steps, one for all finals, one for both starts."""
    entries = [x for row in steps for m in row if m for line in m for x in line if x]
    scale = math.lcm(*(x.denominator for x in entries)) if entries else 1
    shared = math.gcd(*(_times(x, scale) for x in entries)) or 1
    ending = _factor([x for row in finals for x in row])
    opening = _factor([*starts[0], *starts[1]])
    return RatioProblem(
        tuple(map(tuple, moves)),
        tuple(tuple(_whole(matrix, scale, shared) for matrix in row) for row in steps),
        tuple(tuple(int(x * ending) for x in row) for row in finals),
        initial,
        tuple(int(x * opening) for x in starts[0]),
        tuple(int(x * opening) for x in starts[1]),
    )


def _whole(matrix: list[list[Rational]] | None, scale: int, shared: int) -> Matrix | None:
    if matrix is None:
        return None
    return tuple(tuple(_times(x, scale) // shared if x else 0 for x in line) for line in matrix)


def _times(entry: Rational, scale: int) -> int:
    """entry scale, a multiple of its denominator: whole numbers alone are faster than fractions."""
    return entry.numerator * (scale // entry.denominator)


def _factor(entries: Sequence[Rational]) -> Fraction:
    """What makes the entries integers without a common divisor."""
    scale = math.lcm(*(x.denominator for x in entries))
    return Fraction(scale, math.gcd(*(int(x * scale) for x in entries)) or 1)


def _exact(matrix: Rows) -> list[list[Rational]]:
    return [[*row] for row in matrix]


def _trimmed(control: Control) -> tuple[list[list[int]], list[int]]:
    """Only states that some accepted word visits, the initial one always; and their old numbers."""
    alive = {state for state, accepts in enumerate(control.accepting) if accepts}
    grew = True
    while grew:
        more = {s for s, row in enumerate(control.moves) if alive & set(row)} - alive
        alive |= more
        grew = bool(more)
    order, number = [control.initial], {control.initial: 0}
    for state in order:
        for then in control.moves[state]:
            if then in alive and then not in number:
                number[then] = len(order)
                order.append(then)
    moves = [[number[t] if t in alive else -1 for t in control.moves[s]] for s in order]
    return moves, order


def _check_control(control: Control, symbols: int) -> None:
    states = len(control.moves)
    fits = len(control.accepting) == states and 0 <= control.initial < states
    if not fits or any(len(row) != symbols for row in control.moves):
        raise ModelError("The control does not have one row per state and one column per symbol.")
    if any(not -1 <= then < states for row in control.moves for then in row):
        raise ModelError("The control moves to a state that it does not have.")


def _check_shapes(automaton: WeightedAutomaton) -> None:
    size = len(automaton.initial)
    if not size or not automaton.matrices or len(automaton.final) != size:
        raise ModelError("A weighted automaton needs states, symbols, and a final weight a state.")
    for number, matrix in enumerate(automaton.matrices):
        if len(matrix) != size or any(len(row) != size for row in matrix):
            raise ModelError(f"Matrix {number} is not square with {size} rows.", matrix=number)
        if any(entry < 0 for row in matrix for entry in row):
            raise ModelError(f"Matrix {number} has a negative entry.", matrix=number)
    if min(automaton.initial) < 0 or min(automaton.final) < 0:
        raise ModelError("An initial or final weight is negative.")
