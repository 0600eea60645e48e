"""How often states occur: all of them, or a chosen set, as counts or as shares of the nodes.

Contract. Counts are of the nodes read, over all words together. Shares are the noisy counts divided
by the number of nodes read, which is public. Noisy counts may be negative, and need not add up.
"""

from collections.abc import Collection, Hashable
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from privet.errors import ParameterError, ParameterTypeError
from privet.queries.base import Codes, Query
from privet.queries.pieces import Offsets
from privet.symbols import Alphabet


class Histogram(Query):
    """(k,) int64: how many nodes are in each state.

    Constant 2: a node that changes from x to y takes 1 from the count of x and adds 1 to that of y,
    and nothing else moves. Attained by every change.
    """

    kind: ClassVar[str] = "histogram"

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:
        """(k,)."""
        return (len(alphabet),)

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:
        """The states."""
        return alphabet.symbols

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002  # the same for all
        """2 everywhere."""
        return Fraction(2), Fraction(2)

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:  # noqa: ARG002  # words do not matter
        """The counts."""
        counts: list[int] = np.bincount(codes, minlength=len(alphabet)).tolist()
        return counts


class Frequency(Histogram):
    """(k,) float64: the share of the nodes in each state.

    The counts get the noise, so the constants are those of `Histogram`; dividing by the public
    number of nodes comes afterwards.
    """

    kind: ClassVar[str] = "frequency"
    is_share: ClassVar[bool] = True
    is_whole = False


class Count(Query):
    """How many nodes are in a state, or in one of several.

    `states`: one state, or a collection of states; None is the second of two. Constant 1: a node
    that changes is in the set before and after, or neither, or moves the count by 1. Attained as
    the set is neither empty nor everything, which is refused.
    """

    kind: ClassVar[str] = "count"

    def __init__(self, states: Hashable | Collection[Hashable] | None = None) -> None:
        if isinstance(states, list | set | frozenset | tuple) and not states:
            raise ParameterError("No state was named to count.", parameter="states")
        if isinstance(states, set | frozenset):
            states = tuple(sorted(states, key=repr))
        self.states: Any = tuple(states) if isinstance(states, list) else states
        try:
            hash(self.states)
        except TypeError:
            raise ParameterTypeError(
                f"states is a {type(states).__name__}, which cannot be one.",
                hint="Write count('state') or count(['state', 'other state']).",
                parameter="states",
            ) from None

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:  # noqa: ARG002  # one number
        """()."""
        return ()

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:
        """The states counted, as text."""
        return (" or ".join(str(alphabet.symbols[code]) for code in self._chosen(alphabet)),)

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002  # the same for all
        """1 everywhere."""
        if self.states is not None:  # which of many states it is would not matter
            self._chosen(alphabet)
        return Fraction(1), Fraction(1)

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:  # noqa: ARG002  # words do not matter
        """[the count]."""
        counted = np.array(self.weights(alphabet), bool)
        return [int(np.count_nonzero(counted[codes]))]

    def weights(self, alphabet: Alphabet) -> tuple[int, ...]:
        """1 for the states counted, 0 for the others."""
        chosen = self._chosen(alphabet)
        return tuple(int(code in chosen) for code in range(len(alphabet)))

    def parameters(self) -> dict[str, Any]:
        """{"states": one state or a list}."""
        states = self.states
        return {"states": list(states) if isinstance(states, tuple) else states}

    def _chosen(self, alphabet: Alphabet) -> tuple[int, ...]:
        return _codes_of(alphabet, self.states)


class Share(Count):
    """The share of the nodes (of the time) that is spent in a state, or in one of several.

    The count gets the noise, so the constants are those of `Count`.
    """

    kind: ClassVar[str] = "share"
    is_share: ClassVar[bool] = True
    is_whole = False


@lru_cache(maxsize=64)
def _codes_of(alphabet: Alphabet, states: Hashable) -> tuple[int, ...]:
    """The codes of the states named. Errors: DomainError, ParameterError."""
    if states is None:
        if len(alphabet) == 2:
            return (1,)
        raise ParameterError(
            f"Which of the {len(alphabet)} states to count was not said.",
            hint="Write count('state') or count(['state', 'other state']).",
            parameter="states",
        )
    single = states in alphabet or not isinstance(states, tuple)
    named = (states,) if single or not isinstance(states, tuple) else states
    codes = tuple(sorted({alphabet.index(state) for state in named}))
    if len(codes) == len(alphabet):
        raise ParameterError(
            "Every state is counted, so the count is the number of nodes.",
            hint="Name some of the states.",
            parameter="states",
        )
    return codes


def histogram() -> Histogram:
    """How many nodes are in each state: (k,) int64."""
    return Histogram()


def frequency() -> Frequency:
    """The share of the nodes in each state: (k,) float64."""
    return Frequency()


def count(states: Hashable | Collection[Hashable] | None = None) -> Count:
    """How many nodes are in a state, or in one of a list or set of states: int."""
    return Count(states)


def share(states: Hashable | Collection[Hashable] | None = None) -> Share:
    """The share of the time spent in a state, or in one of a list or set of states: float."""
    return Share(states)
