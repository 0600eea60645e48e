"""Boxes that hold every prefix vector, and every suffix vector, of a language.

Contract. One side is a set of controls (the states), edges src -> dst with a nonnegative matrix,
and one exact start vector. A vector of control c is the start times the matrices of a path to c,
divided by its entry c, which is never 0: for prefixes (left) e_initial T_w1 .. T_wt at the state
that w1..wt reaches; for suffixes (right) T_wt .. T_wn 1_accepting at a state that accepts wt..wn.
`find_boxes` looks for intervals, one for each control and entry, that hold their own image by
h-blocks: all start vectors times paths of fewer than h edges, and all vectors of the boxes times
paths of exactly h edges. Such boxes hold every vector of the language, by induction over the length
of its path; where no word has more than h symbols, paths of h edges do not occur. Floats find the
boxes; the certificate rounds them to integers and checks the inclusion.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privet.weighted.words.problem import Floats, Ints, WordProblem
from privet.weighted.words.symmetry import Symmetry
from privet.weighted.words.watch import OutOfTime, Watch

ENDLESS = 1e100
"""Stands for an upper end that is not bounded."""

SLACK = 4e-5
"""Every stage is wider than the image it must hold, by about this much (relative)."""

LEAST = 2.0**-16
"""Lower ends give way by this part of the upper end, below which rounding blurs them anyway."""

_MOST_CELLS = 2_000_000
_ENOUGH_CELLS = 1_200_000
_MOST_NARROWINGS = 10
_MOST_DEPTH = 14
_MOST_EXACT = 32
_MOST_ROUNDS = 60


@dataclass(frozen=True)
class Side:
    """`matrices` (m, Q, Q) act on rows; edges (`source`, `target`, `symbol`); `closed` (Q,).

    The start vector `closed` belongs to the controls in `starts`.
    """

    matrices: Floats
    source: Ints
    target: Ints
    symbol: Ints
    closed: Floats
    starts: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """The number of controls, and of entries of a vector."""
        return len(self.closed)


def sides(problem: WordProblem) -> tuple[Side, Side]:
    """The prefixes and the suffixes of the language."""
    state, symbol = np.nonzero(problem.moves >= 0)
    then = problem.moves[state, symbol]
    matrices = problem.steps[:-1]
    first = np.zeros(problem.states)
    first[problem.automaton.initial] = 1
    left = Side(matrices, state, then, symbol, first, first > 0)
    last = problem.accepting
    back = np.ascontiguousarray(matrices.transpose(0, 2, 1))
    return left, Side(back, then, state, symbol, last, last > 0)


@dataclass(frozen=True)
class Boxes:
    """`low`, `high` (Q, Q), row c for control c, `ENDLESS` where there is no end; `depth` h."""

    low: Floats
    high: Floats
    depth: int


@dataclass(frozen=True)
class _Blocks:
    """The products along paths into `control`: (B, Q, Q), from the controls in `source`.

    Source Q is the exact start vector; paths from it have fewer than h edges, others exactly h.
    """

    control: int
    source: Ints
    products: Floats


def _blocks(side: Side, control: int, depth: int, longer: bool) -> _Blocks:
    edges = [np.flatnonzero(side.target == c) for c in range(side.size)]
    ends: Ints = np.array([control])
    products: Floats = np.eye(side.size)[None]
    sources: list[Ints] = []
    found: list[Floats] = []
    for _ in range(depth):
        exact = side.starts[ends]
        sources.append(np.full(int(exact.sum()), side.size))
        found.append(np.asarray(products[exact]))
        counts = [len(edges[c]) for c in ends]
        edge = np.concatenate([edges[c] for c in ends])
        products = side.matrices[side.symbol[edge]] @ np.repeat(products, counts, axis=0)
        ends = side.source[edge]
        if not len(ends):
            break
    if longer:
        sources.append(ends)
        found.append(products)
    products = np.concatenate(found)
    products = products / products.max(axis=(1, 2), keepdims=True)
    return _Blocks(control, np.concatenate(sources).astype(np.int64), products)


def _count_blocks(side: Side, depth: int) -> int:
    paths: Floats = np.ones(side.size)
    for _ in range(min(depth, _MOST_EXACT)):
        further = np.bincount(side.target, weights=paths[side.source], minlength=side.size)
        paths = further.astype(np.float64)
    return int(min(paths.sum(), 1e15))


class _Image:
    """The hull of the image of boxes under h-blocks, one orbit of controls at a time.

    `chosen[i]` are the blocks of orbit i that were extreme for some box so far. A hull over these
    alone is cheap and nearly always the whole one.
    """

    def __init__(
        self,
        side: Side,
        depth: int,
        symmetries: list[Symmetry],
        clock: Watch,
        longer: bool = True,
    ) -> None:
        self.side = side
        self.depth = depth
        self._clock = clock
        self.copies: list[tuple[int, int, Ints]] = []
        seen: set[int] = set()
        self.blocks: list[_Blocks] = []
        for control in range(side.size):
            if control in seen:
                continue
            seen.add(control)
            clock.go_on()
            self.blocks.append(_blocks(side, control, depth, longer))
            for symmetry in symmetries:
                other = symmetry.states[control]
                if other not in seen:
                    seen.add(other)
                    self.copies.append((other, control, np.array(symmetry.states)))
        self.chosen = [np.zeros(len(blocks.source), np.bool_) for blocks in self.blocks]

    def hull(self, low: Floats, high: Floats, whole: bool) -> tuple[Floats, Floats]:
        """The hull of the image of (low, high), all (Q, Q); of the chosen blocks unless `whole`.

        Errors: OutOfTime.
        """
        least, most = np.full(low.shape, np.inf), np.full(high.shape, -np.inf)
        low, high = np.vstack([low, self.side.closed]), np.vstack([high, self.side.closed])
        for blocks, chosen in zip(self.blocks, self.chosen, strict=True):
            self._clock.go_on()
            c = blocks.control
            live = high[blocks.source].max(axis=1) >= 0
            index = np.flatnonzero(live if whole else live & chosen)
            if index.size:
                source = blocks.source[index]
                found = blocks.products[index], c, low[source], high[source]
                most[c], upper = _extreme(*found, 1)
                least[c], lower = _extreme(*found, -1)
                least[c, c] = most[c, c] = 1
                chosen[index[upper]] = chosen[index[lower]] = True
        for other, c, states in self.copies:
            least[other, states], most[other, states] = least[c], most[c]
        most[most > ENDLESS * 1e-40] = ENDLESS
        return least, most


def _extreme(
    products: Floats, ref: int, low: Floats, high: Floats, sign: int
) -> tuple[Floats, Ints]:
    """(Q,): the largest (sign 1) or smallest (-1) of (l M)_s / (l M)_ref over boxes.

    Dinkelbach's method for all blocks at once: a block stays as long as it goes beyond the best
    value so far in some entry. Also gives the blocks that raised a best value.
    """
    best = np.asarray(sign * (sign * _quotients(products, ref, low)).max(axis=0))
    index, raised = np.arange(len(products)), [np.zeros(0, np.int64)]
    for _ in range(60):
        gain = products - best * products[:, :, ref, None]
        pick = np.where(sign * gain > 0, high[:, :, None], low[:, :, None])
        value = sign * _quotients(products, ref, pick)
        beyond = value - sign * best > 1e-13 * best
        keep = beyond.any(axis=1)
        if not keep.any():
            break
        raised.append(index[value.argmax(axis=0)[beyond.any(axis=0)]])
        best = sign * np.maximum(sign * best, value.max(axis=0))
        products, low, high, index = products[keep], low[keep], high[keep], index[keep]
    return best, np.concatenate(raised)


def _quotients(products: Floats, ref: int, vectors: Floats) -> Floats:
    """(B, Q): entry s of l M over its entry ref, l being (B, Q) or one for each s, (B, Q, Q)."""
    if vectors.ndim == 2:
        vectors = vectors[:, :, None]
    over = (vectors * products).sum(axis=1)
    return np.asarray(over / (vectors * products[:, :, ref, None]).sum(axis=1))


def find_boxes(side: Side, symmetries: list[Symmetry], longest: int | None, clock: Watch) -> Boxes:
    """Boxes for words of up to `longest` symbols (None: any number).

    Where short words are few, the hull of all their vectors; else closed boxes of a depth a little
    above the smallest that closes; where none closes in time, those that begin at the orthant.
    """
    with np.errstate(all="ignore"):
        if (
            longest
            and longest <= _MOST_EXACT
            and _cells(side, symmetries, longest) <= _ENOUGH_CELLS
        ):
            try:
                image = _Image(side, longest, symmetries, clock, longer=False)
                return Boxes(*_all_of_them(image, symmetries, clock), longest)
            except OutOfTime:
                return open_boxes(side.size)
        return _closed_boxes(side, symmetries, clock)


def open_boxes(size: int) -> Boxes:
    """Boxes that hold everything."""
    low, high = np.eye(size), np.full((size, size), ENDLESS)
    np.fill_diagonal(high, 1)
    return Boxes(low, high, 1)


def _closed_boxes(side: Side, symmetries: list[Symmetry], clock: Watch) -> Boxes:
    found: Boxes | None = None
    first = _MOST_DEPTH
    try:
        for depth in range(1, _MOST_DEPTH + 1):
            cells = _cells(side, symmetries, depth)
            if depth > 1 and cells > (_MOST_CELLS if found is None else _ENOUGH_CELLS):
                break
            image = _Image(side, depth, symmetries, clock)
            if (ends := _fixed_point(image, clock)) is not None:
                found, first = Boxes(*ends, depth), min(first, depth)
            if depth >= first + 2:
                break
    except OutOfTime:
        return found or open_boxes(side.size)
    return found or Boxes(*_from_orthant(image), image.depth)


def _cells(side: Side, symmetries: list[Symmetry], depth: int) -> int:
    return _count_blocks(side, depth) * side.size**2 // (1 + len(symmetries))


def _all_of_them(image: _Image, symmetries: list[Symmetry], clock: Watch) -> tuple[Floats, Floats]:
    """The hull of the vectors of fewer symbols than the depth.

    Entries that are 0 in all of these get the size they have in longer ones: the units of the
    certificate follow the boxes, and must suit all paths.
    """
    shape = image.side.size, image.side.size
    low, high = _widened(*image.hull(*_nothing(shape), whole=True))
    further = _Image(image.side, 1, symmetries, clock)
    wide = low, high
    for _ in range(min(image.side.size**2, _MOST_ROUNDS)):
        least, most = further.hull(*wide, whole=True)
        wide = np.minimum(wide[0], least), np.minimum(np.maximum(wide[1], most), 1)
    high = np.where(high == 0, wide[1], high)
    unmet = ~np.isfinite(low)
    low[unmet], high[unmet] = 0, ENDLESS
    np.fill_diagonal(low, 1)
    np.fill_diagonal(high, 1)
    return low, high


def _nothing(shape: tuple[int, int]) -> tuple[Floats, Floats]:
    return np.full(shape, np.inf), np.full(shape, -np.inf)


def _fixed_point(image: _Image, clock: Watch) -> tuple[Floats, Floats] | None:
    """Boxes that hold their image with room to spare, if hulls from the start vector on settle."""
    shape = image.side.size, image.side.size
    low, high = _nothing(shape)
    growth: list[float] = []
    whole = True
    for _ in range(_MOST_ROUNDS):
        least, most = _widened(*image.hull(low, high, whole))
        if not (most < ENDLESS * 1e-50).all():
            return None
        grown = _growth(low, high, least, most)
        if whole and grown < SLACK / 2:
            return low, high
        low, high = np.minimum(low, least), np.maximum(high, most)
        if (not whole and _stalls(growth := [*growth, grown])) or clock.left < 0:
            return None
        # All blocks at first, until every control has a box, and whenever the chosen ones settle.
        whole = not np.isfinite(low).all() or (not whole and grown < SLACK / 4)
    return None


def _stalls(growth: list[float]) -> bool:
    if len(growth) < 8 or growth[-1] < 0.02 or not all(map(np.isfinite, growth[-4:])):
        return False
    return all(now > 0.75 * before for before, now in pairwise(growth[-4:]))


def _growth(low: Floats, high: Floats, least: Floats, most: Floats) -> float:
    """The largest change of an end, in logarithms; inf where a control is new."""
    if not np.isfinite(low).all():
        return float("inf")
    up = np.where(most > high, np.log(most / high), 0)
    down = np.where(least < low, np.log((low + high * LEAST) / (least + high * LEAST)), 0)
    return float(max(up.max(), down.max()))


def _widened(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    high = np.minimum(high * (1 + SLACK), ENDLESS)
    low = np.maximum(low * (1 - SLACK) - np.where(high < ENDLESS, high, 0) * LEAST, 0)
    np.fill_diagonal(low, 1)
    np.fill_diagonal(high, 1)
    return low, high


def _from_orthant(image: _Image) -> tuple[Floats, Floats]:
    """The image of everything, the image of that, and so on, each a little widened.

    Each holds its own image, because the image of a smaller box is smaller.
    """
    everything = open_boxes(image.side.size)
    low, high = everything.low, everything.high
    for _ in range(_MOST_NARROWINGS):
        try:
            least, most = _widened(*image.hull(low, high, whole=True))
        except OutOfTime:
            break
        settled = np.allclose(least, low, 1e-3, 0) and np.allclose(most, high, 1e-3, 0)
        low, high = np.maximum(low, least), np.minimum(high, most)
        if settled:
            break
    return low, high
