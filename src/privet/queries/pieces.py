"""Ranges of nodes, and constants that are the same on stretches of them.

Contract. Nodes count from 0. A range (start, stop) holds the nodes start .. stop - 1 and at least
one. Pieces (start, stop, value) follow one another from 0 to the length, and no two neighbours have
the same value.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.exact import read_count

Pieces = Sequence[tuple[int, int, Fraction]]
Nodes = tuple[int, int] | None
"""The nodes a query reads: (start, stop), or None for all."""

Offsets = npt.NDArray[np.int64]


def read_nodes(nodes: Nodes, length: int) -> tuple[int, int]:
    """(start, stop) of the nodes read out of `length`. Errors: ParameterError outside them."""
    size = read_count(length, "length")
    if nodes is None:
        return 0, size
    start, stop = read_range(nodes)
    if stop > size:
        raise ParameterError(
            f"The nodes {start} .. {stop - 1} are not a range of the nodes 0 .. {size - 1}.",
            hint="nodes=(start, stop) needs start < stop <= the number of nodes.",
            parameter="nodes",
        )
    return start, stop


def read_range(nodes: object) -> tuple[int, int]:
    """(start, stop) of nodes of words of whatever length. Errors: ParameterError for none."""
    if not isinstance(nodes, tuple | list) or len(nodes) != 2:
        raise ParameterTypeError(
            f"nodes is a {type(nodes).__name__}, not a pair (start, stop).",
            hint="Write nodes=(0, 30) for the first thirty, or None for all.",
            parameter="nodes",
        )
    start, stop = (read_count(end, "nodes", minimum=0) for end in nodes)
    if start >= stop:
        raise ParameterError(
            f"The range of nodes {start}:{stop} holds no node.",
            hint="nodes=(start, stop) needs start < stop: stop is the first node not read.",
            parameter="nodes",
        )
    return start, stop


def empty_words(first: int, count: int, words: int) -> DataError:
    """The error for words without symbols: the first, and how many of all words they are."""
    return DataError(f"Word {first} is empty; {count} of {words} are.")


def spread(length: int, start: int, stop: int, end: Fraction, inside: Fraction) -> Pieces:
    """`end` at the first and the last of the nodes start .. stop - 1, `inside` between, 0 beyond.

    A range of one node has `end` there.
    """
    zero = Fraction(0)
    return merged(
        [
            (0, start, zero),
            (start, start + 1, end),
            (start + 1, stop - 1, inside),
            (max(stop - 1, start + 1), stop, end),
            (stop, length, zero),
        ]
    )


def merged(pieces: Iterable[tuple[int, int, Fraction]]) -> Pieces:
    """The same values without empty pieces or neighbours of one value."""
    result: list[tuple[int, int, Fraction]] = []
    for start, stop, value in pieces:
        if start >= stop:
            continue
        if result and result[-1][2] == value:
            result[-1] = (result[-1][0], stop, value)
        else:
            result.append((start, stop, value))
    return result


def cut(
    codes: npt.NDArray[np.generic], offsets: Offsets, nodes: Nodes
) -> tuple[npt.NDArray[np.generic], Offsets]:
    """The codes and offsets of the nodes read of each word.

    Errors: DataError for no words and for a word without symbols; ParameterError for a range that
    does not lie in the shortest word.
    """
    lengths = np.diff(offsets)
    if lengths.size == 0:
        raise DataError("There is no word to answer a query about.")
    if (empty := np.flatnonzero(lengths == 0)).size:
        raise empty_words(int(empty[0]), int(empty.size), int(lengths.size))
    if nodes is None:
        return codes, offsets
    start, stop = read_nodes(nodes, int(lengths.min()))
    rows = offsets[:-1, None] + np.arange(start, stop)
    return codes[rows.reshape(-1)], np.arange(lengths.size + 1, dtype=np.int64) * (stop - start)
