"""Looking for two words that break a constant.

Contract. The words come from chance, or from a public chain; the protected data are no input.
Whatever is found is a proof that the constant is wrong; to find nothing proves nothing, unless all
words were tried, as they are where there are few.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privet.exact import read_count
from privet.queries.base import Query
from privet.randomness import current_source, uniform_below, uniform_integer
from privet.symbols import Alphabet
from privet.symbols.alphabet import CodeArray

MOST_VALUES = 600
"""How many words are evaluated; fewer where words are long, but at least `LEAST_VALUES`."""

LEAST_VALUES = 24
MOST_SYMBOLS = 1 << 20
CHANGES = 4
"""How many changes of one node are tried on a word."""

SLACK = Fraction(1, 10**9)
"""A statistic computed in floats may exceed its constant by this share before that is reported."""


class Chain(Protocol):
    """A public model that words can be drawn from."""

    def sample(self, length: int) -> list[Any]:
        """One word of that length."""


@dataclass(frozen=True)
class Counterexample:
    """Two words that differ at `node` alone, and whose values are further apart than `allowed`.

    `first`, `second`: the words, lists of states; `first_value`, `second_value`: the d numbers
    computed from each; `distance`: the sum over the d numbers of their differences; both in units
    of the statistic, or `in_grid` units after the grid.
    """

    first: list[Any]
    second: list[Any]
    first_value: list[float]
    second_value: list[float]
    node: int
    distance: float
    allowed: float
    in_grid: bool


def search_counterexample(
    query: Query,
    alphabet: Alphabet,
    length: int,
    *,
    chain: Chain | None = None,
    values: int = MOST_VALUES,
) -> Counterexample | None:
    """Two words of `length` nodes that break the query's constants, or None if none was found.

    `chain`: words are drawn from it as well (a MarkovChain, say; it must be public); `values`: how
    many words are evaluated. All words are tried if there are no more than that. Otherwise words of
    several kinds are drawn (uniform, in blocks, nearly constant, periodic), each is changed at some
    nodes, the ends among them, and what came closest to its constant is varied further.
    """
    size = read_count(length, "length")
    if len(alphabet) ** min(size, 64) <= values:
        return _all_words(query, alphabet, size)
    return _Search(query, alphabet, size, chain).run(
        max(LEAST_VALUES, min(values, MOST_SYMBOLS // size))
    )


def _all_words(query: Query, alphabet: Alphabet, length: int) -> Counterexample | None:
    judge = _Judge(query, alphabet, length)
    words = [
        np.array(word, alphabet.code_dtype)
        for word in itertools.product(range(len(alphabet)), repeat=length)
    ]
    values = {word.tobytes(): judge.values(word) for word in words}
    for word in words:
        for node, state in itertools.product(range(length), range(len(alphabet))):
            other = word.copy()
            other[node] = state
            if state > word[node] and (
                found := judge.compare(
                    word, other, node, values[word.tobytes()], values[other.tobytes()]
                )[1]
            ):
                return found
    return None


_Values = tuple[list[Fraction], list[Fraction]]


class _Judge:
    """Compares the values of two words that differ at one node with the constant of that node."""

    def __init__(self, query: Query, alphabet: Alphabet, length: int) -> None:
        self.query, self.alphabet, self.length = query, alphabet, length
        self.offsets = np.array([0, length], np.int64)
        self.raw_limits = query.node_constants(alphabet, length)
        self.limits = query.stated_constants(alphabet, length)

    def values(self, word: CodeArray) -> _Values:
        values = self.query.values(self.alphabet, word, self.offsets)
        in_grid = self.query.put_on_grid(values, self.alphabet)
        return values, [Fraction(number) for number in in_grid]

    def compare(
        self, first: CodeArray, second: CodeArray, node: int, one: _Values, other: _Values
    ) -> tuple[Fraction, Counterexample | None]:
        """How much of the constant is used, and the counterexample if it is more than all."""
        inside = int(0 < node < self.length - 1)
        used = Fraction(0)
        # In units of the grid there is no slack: this is what the noise is scaled to.
        for number, (limits, slack) in enumerate(
            ((self.limits, SLACK), (self.raw_limits, Fraction(0)))
        ):
            a, b = one[number], other[number]
            moved = sum((abs(x - y) for x, y in zip(a, b, strict=True)), Fraction(0))
            allowed = limits[inside]
            size = max(allowed, *map(abs, a), *map(abs, b))
            if moved > allowed + slack * size:
                return used, self._report(first, second, node, (a, b, moved, allowed), number == 1)
            used = max(used, moved / allowed if allowed else Fraction(0))
        return used, None

    def _report(
        self, first: CodeArray, second: CodeArray, node: int, numbers: Any, in_grid: bool
    ) -> Counterexample:
        a, b, moved, allowed = numbers
        return Counterexample(
            self.alphabet.decode(first),
            self.alphabet.decode(second),
            [float(x) for x in a],
            [float(x) for x in b],
            node,
            float(moved),
            float(allowed),
            in_grid,
        )


class _Search:
    def __init__(self, query: Query, alphabet: Alphabet, length: int, chain: Chain | None) -> None:
        self.judge = _Judge(query, alphabet, length)
        self.alphabet, self.length, self.chain = alphabet, length, chain
        self.states = len(alphabet)
        self.source = current_source()

    def run(self, values: int) -> Counterexample | None:
        best, closest = Fraction(-1), None
        left = values
        for word in self._words():
            if closest is not None and self._below(2):
                word = self._varied(closest)
            one = self.judge.values(word)
            for node in self._nodes():
                other = word.copy()
                other[node] = (int(word[node]) + 1 + self._below(self.states - 1)) % self.states
                used, found = self.judge.compare(word, other, node, one, self.judge.values(other))
                if found is not None:
                    return found
                if used > best:
                    best, closest = used, word
            left -= 1 + CHANGES
            if left <= 0:
                break
        return None

    def _nodes(self) -> list[int]:
        nodes = [self._below(self.length) for _ in range(CHANGES - 1)]
        return [*nodes, (0, self.length - 1)[self._below(2)]]

    def _words(self) -> Iterator[CodeArray]:
        while True:
            yield self._uniform(self.length)
            yield self._in_blocks()
            yield self._nearly_constant()
            yield self._periodic()
            if self.chain is not None:
                yield self.alphabet.encode(self.chain.sample(self.length))

    def _in_blocks(self) -> CodeArray:
        blocks = 1 + self._below(min(8, self.length))
        cuts = np.sort(uniform_below(self.source, self.length, blocks - 1)).astype(np.int64)
        lengths = np.diff(np.concatenate([[0], cuts, [self.length]]))
        return np.repeat(self._uniform(blocks), lengths)

    def _nearly_constant(self) -> CodeArray:
        word = np.repeat(self._uniform(1), self.length)
        return self._varied(word)

    def _periodic(self) -> CodeArray:
        return np.resize(self._uniform(1 + self._below(3)), self.length)

    def _varied(self, word: CodeArray) -> CodeArray:
        other = word.copy()
        for _ in range(1 + self._below(3)):
            other[self._below(self.length)] = self._below(self.states)
        return other

    def _uniform(self, size: int) -> CodeArray:
        codes: npt.NDArray[np.uint64] = uniform_below(self.source, self.states, size)
        return codes.astype(self.alphabet.code_dtype)

    def _below(self, bound: int) -> int:
        return uniform_integer(self.source, bound)
