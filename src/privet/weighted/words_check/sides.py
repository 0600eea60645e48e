"""The boxes of a certificate: that they hold every prefix or suffix vector of the language."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.weighted.words_check.language import Language, Symmetry
from privet.weighted.words_check.reading import count, require, table
from privet.weighted.words_check.steps import (
    CHUNK,
    NODE_BITS,
    Flags,
    Ints,
    Steps,
    bit_lengths,
    shifted,
)

BOX_BITS = 20
MOST_EXPONENT = 60
_MOST_CELLS = 1 << 23
_MOST_STATES = 200

SIDE_FIELDS = ("depth", "exponent", "low", "high")


@dataclass(frozen=True)
class _Blocks:
    """Products (K, Q, Q) up and down, column s in units of 2^shift[:, s]; `rows` of the boxes."""

    rows: Ints
    over: Ints
    under: Ints
    shift: Ints


class Side:
    """One side's boxes: 2 Q rows; row p is the box of control p, row Q + p the closed vector.

    Entry i of both is in units of 2^(exponent[p, i] - 20). `steps_of` gives the matrix of an edge
    in the units of its two controls.
    """

    def __init__(
        self,
        language: Language,
        data: dict[str, Any],
        symmetries: list[Symmetry],
        is_right: bool,
    ) -> None:
        self.language, self.symmetries, self.is_right = language, symmetries, is_right
        name, size = "right" if is_right else "left", language.size
        require(size <= _MOST_STATES, "moves", "has too many states for a tree")
        cells = size * size * language.symbols
        require(cells <= _MOST_CELLS, "moves", "has too many states and symbols for a tree")
        self.depth = count(data["depth"], f"{name}.depth")
        require(1 <= self.depth <= 32, f"{name}.depth", "is 0 or too large")
        self.exponent = table(data["exponent"], size, -MOST_EXPONENT, MOST_EXPONENT, name)
        low = table(data["low"], size, 0, 1 << BOX_BITS, name)
        high = table(data["high"], size, -1, 1 << BOX_BITS, name)
        one = np.arange(size), np.arange(size)
        good = (
            (low[one] == 1 << BOX_BITS) & (high[one] == 1 << BOX_BITS) & (self.exponent[one] == 0)
        )
        require(bool(good.all()), name, "does not have 1 at the control itself")
        for symmetry in symmetries:
            grid = np.ix_(symmetry.states, symmetry.states)
            same = all(np.array_equal(t, t[grid]) for t in (self.exponent, low, high))
            require(same, name, "is changed by a symmetry")
        flags = np.array(language.accepting) if is_right else (np.arange(size) == language.initial)
        self.starts: Flags = flags
        closed_low, closed_high = self._closed(flags, name)
        self.low, self.high = np.vstack([low, closed_low]), np.vstack([high, closed_high])
        self.steps = Steps(language.edges(), size, language.symbols, language.q)

    def _closed(self, flags: Flags, name: str) -> tuple[Ints, Ints]:
        """The start vector in the units of each control; controls that do not start have 0s."""
        unit = np.where(flags[:, None] & flags[None, :], BOX_BITS - self.exponent, -1)
        fine = (unit <= BOX_BITS).all()
        require(bool(fine), name, "has units in which the start vector is too large")
        both = flags[:, None] & flags[None, :]
        low = np.where(both & (unit >= 0), 1 << np.clip(unit, 0, 62), 0)
        return low, np.where(both, np.maximum(low, 1), 0)

    def edges(self) -> tuple[Ints, Ints, Ints]:
        """(source, target, symbol) of the edges along which vectors of this side grow."""
        table = np.array(self.language.edges(), np.int64).reshape(-1, 3)
        if self.is_right:
            return table[:, 2], table[:, 0], table[:, 1]
        return table[:, 0], table[:, 2], table[:, 1]

    def matrices(
        self, source: Ints, target: Ints, symbols: Sequence[Ints]
    ) -> list[tuple[Ints, Ints]]:
        """For each of the symbols: (K, Q, Q) up and down, acting on row vectors, in one unit."""
        # Few are different, many are asked for.
        keys = np.ravel_multi_index(
            (source, target, *symbols),
            (self.language.size,) * 2 + (self.language.symbols,) * len(symbols),
        )
        _, some, place = np.unique(keys, return_index=True, return_inverse=True)
        pairs = self._matrices(source[some], target[some], [x[some] for x in symbols])
        return [(up[place], down[place]) for up, down in pairs]

    def _matrices(
        self, source: Ints, target: Ints, symbols: Sequence[Ints]
    ) -> list[tuple[Ints, Ints]]:
        rows, columns = self.exponent[source], self.exponent[target]
        if self.is_right:  # T_x acts on columns there: its transpose acts on rows
            tops = [self.steps.top(x, -columns, -rows) for x in symbols]
            top = np.max(tops, axis=0)
            pairs = [self.steps.scaled(x, -columns, -rows, top) for x in symbols]
            return [(up.transpose(0, 2, 1), down.transpose(0, 2, 1)) for up, down in pairs]
        top = np.max([self.steps.top(x, rows, columns) for x in symbols], axis=0)
        return [self.steps.scaled(x, rows, columns, top) for x in symbols]

    def check(self, name: str, watch: Callable[[], None]) -> None:
        """The boxes hold their image by blocks of `depth` edges. Errors: CertificateError."""
        self._watch = watch
        source, target, symbol = self.edges()
        ((up, down),) = self.matrices(source, target, [symbol])
        into = [np.flatnonzero(target == c) for c in range(self.language.size)]
        for control in range(self.language.size):
            if all(s.states[control] >= control for s in self.symmetries):
                self._check_control(control, into, source, up, down, name)

    def _check_control(
        self, control: int, into: list[Ints], source: Ints, up: Ints, down: Ints, name: str
    ) -> None:
        size = self.language.size
        ends = np.array([control])
        over = np.eye(size, dtype=np.int64)[None] << (NODE_BITS - 1)
        under, shift = over.copy(), np.zeros((1, size), np.int64)
        for _ in range(self.depth):
            exact = self.starts[ends]
            found = _Blocks(size + ends[exact], over[exact], under[exact], shift[exact])
            self._check_image(control, found, name)
            counts = np.array([len(into[c]) for c in ends], np.int64)
            require(int(counts.sum()) * size * size <= _MOST_CELLS, f"{name}.depth", "is too large")
            edge = np.concatenate([into[c] for c in ends])
            # 26 + 26 bits and at most 2^8 terms.
            over = up[edge] @ np.repeat(over, counts, axis=0)
            under = down[edge] @ np.repeat(under, counts, axis=0)
            ends = source[edge]
            if not len(ends):
                return
            drop = bit_lengths(over.max(axis=1)) - NODE_BITS
            over = shifted(over, drop[:, None, :], True)
            under = shifted(under, drop[:, None, :], False)
            shift = np.repeat(shift, counts, axis=0) + drop
        longest = self.language.longest
        if longest is None or longest > self.depth:  # else no word has a tail of so many symbols
            self._check_image(control, _Blocks(ends, over, under, shift), name)

    def _check_image(self, control: int, blocks: _Blocks, name: str) -> None:
        """(l M)_s lies between low and high times (l M)_control, for every l of the rows' boxes."""
        step = max(1, CHUNK // self.language.size**2)
        most, least = self.high[control], self.low[control]
        for start in range(0, len(blocks.rows), step):
            part = slice(start, start + step)
            self._watch()
            row, big, small = blocks.rows[part], blocks.over[part], blocks.under[part]
            low, high = self.low[row], self.high[row]
            # Each column has its own unit: of two, the coarser one is used.
            apart = blocks.shift[part] - blocks.shift[part][:, control, None]
            mine, other = np.maximum(-apart, 0)[:, None, :], np.maximum(apart, 0)[:, None, :]
            ref = shifted(small[:, :, control, None] * most, BOX_BITS, False)
            above = shifted(big, mine, True) - shifted(ref, other, False)
            bad = _exceeds(above, low, high) & (most >= 0)
            ref = shifted(big[:, :, control, None] * least, BOX_BITS, True)
            below = shifted(ref, other, True) - shifted(small, mine, False)
            bad |= _exceeds(below, low, high)
            bad[:, control] = False  # that entry is 1 by definition
            require(not bad.any(), name, f"does not hold its image at control {control}")


def _exceeds(gain: Ints, low: Ints, high: Ints) -> Flags:
    """(K, Q): whether sum_i gain[i, s] l_i can be above 0 for an l in the box (K, Q).

    Gains below 2^27 in size, boxes up to 2^20, at most 2^8 terms.
    """
    plus = np.maximum(gain, 0)
    endless = ((plus > 0) & (high < 0)[:, :, None]).any(axis=1)
    total = (plus * np.maximum(high, 0)[:, :, None] + (gain - plus) * low[:, :, None]).sum(axis=1)
    return np.asarray(endless | (total > 0))
