"""The most likely path of states [viterbi-1967], in logarithms, many words at a time.

Contract. Sums of logarithms only, so no word is too long. The forward pass keeps the best score of
each state and no pointers: on the way back the predecessor of the one state that matters is found
again. Ties are decided from the last position to the first, each for the state that comes first;
scores are floats, so words whose probabilities agree to about 12 digits may be taken for ties, or
ties for different. Scores of impossible paths are -inf.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privet.estimate.hidden.batches import Batch, backwards, batches
from privet.estimate.hidden.model import HiddenModel, check_possible

FloatArray = npt.NDArray[np.float64]

_NUMBERS = 1 << 15
_RECENTRE = 64
"""Positions between two subtractions of the best score, which keep the floats small."""


@dataclass(frozen=True, eq=False)
class _Scores:
    """`best`: (k, w) log weight of the best path to each state, less a constant for each word."""

    best: FloatArray

    @property
    def size(self) -> int:
        return self.best.size


class BestPath:
    """The search for one model. Predecessors are listed by slot, so sparse chains cost less."""

    def __init__(self, model: HiddenModel) -> None:
        self._initial = model.log_initial[:, None]
        self._response = model.log_response
        possible = model.transition > 0
        slots = int(possible.sum(axis=0).max())
        # Row by row the possible predecessors come first, in the order of the states; the rest of
        # the slots are impossible steps, whose weight is -inf.
        order = np.argsort(~possible, axis=0, kind="stable")[:slots]
        self._before = order
        self._weight = np.take_along_axis(model.log_transition, order, axis=0)
        self._at_once = max(1, _NUMBERS // (slots * model.size))

    def decode(
        self, codes: npt.NDArray[np.unsignedinteger], offsets: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.unsignedinteger]:
        """The best states, flat, of the dtype of `codes`. Errors: DataError, an impossible word."""
        out = np.empty_like(codes)
        for batch in batches(codes, offsets, self._at_once):
            self._decode(batch, out)
        return out

    def _decode(self, batch: Batch, out: npt.NDArray[np.unsignedinteger]) -> None:
        active = batch.active()
        first = _Scores(self._initial + self._seen(batch, 0, active[0]))

        def advance(scores: _Scores, position: int) -> _Scores:
            count = active[position]
            paths = scores.best[:, :count][self._before]
            paths += self._weight[:, :, None]
            best = paths.max(axis=0)
            best += self._seen(batch, position, count)
            if position % _RECENTRE == 0:
                best -= best.max(axis=0)
            return _Scores(best)

        states = np.zeros(0, np.intp)
        for position, scores in backwards(first, advance, batch.longest):
            count, going_on = active[position], len(states)
            chosen = np.empty(count, np.intp)
            if going_on:
                before = self._before[:, states]
                paths = scores.best[before, np.arange(going_on)] + self._weight[:, states]
                slot = paths.argmax(axis=0)
                chosen[:going_on] = before[slot, np.arange(going_on)]
            if going_on < count:
                last = scores.best[:, going_on:]
                chosen[going_on:] = last.argmax(axis=0)
                scored = np.zeros(int(batch.words.max()) + 1)
                scored[batch.words[going_on:count]] = last.max(axis=0)
                check_possible(scored)
            out[batch.starts[:count] + position] = chosen
            states = chosen

    def _seen(self, batch: Batch, position: int, count: int) -> FloatArray:
        """(k, count): log P(released | state)."""
        return np.take(self._response, batch.symbols(position, count), axis=1)
