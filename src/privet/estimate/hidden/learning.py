"""The most likely chain behind released words, by expectation and maximisation.

Contract. The response of the mechanism is known and fixed, so only the initial law and the steps
are learnt [baum-petrie-soules-weiss-1970]. Each iteration replaces a probability by its expected
share of steps given the release, which never lowers the likelihood; every third one is
extrapolated [varadhan-roland-2008] and taken back if it does. Steps outside the support stay 0;
all others stay at least `FLOOR`, so that no float vanishes on the way. Deterministic: the starts
are a moment estimate and fixed well-spread points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privet.estimate.channel import Channel
from privet.estimate.hidden.arithmetic import FloatArray
from privet.estimate.hidden.model import HiddenModel, check_possible
from privet.estimate.word_tally import WordTally

FLOOR = 1e-10
"""The least probability of a possible step while learning."""

_SHORT_RUN = 5
"""Cycles that each start gets before the best one goes on alone."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """`initial`: (k,); `steps`: (k, k); rows sum to 1."""

    initial: FloatArray
    steps: FloatArray

    @property
    def table(self) -> FloatArray:
        """(k + 1, k): the initial law above the steps."""
        return np.vstack([self.initial, self.steps])

    @classmethod
    def of(cls, table: FloatArray) -> "Parameters":
        """The inverse of `table`."""
        return cls(table[0], table[1:])


@dataclass(frozen=True, eq=False)
class Score:
    """`log_likelihood`; `gradient`: (k + 1, k), its derivative in every entry of the table.

    `by_word`: (w, k + 1, k), the same for each distinct word, if asked for.
    """

    log_likelihood: float
    gradient: FloatArray
    by_word: FloatArray | None = None


class ReleasedWords:
    """Distinct released words with how often each occurs: repeated words cost nothing."""

    def __init__(self, tally: WordTally, log_response: FloatArray) -> None:
        self.codes, self.offsets, self.times = tally.distinct()
        self.log_response = log_response
        self.size = len(log_response)

    def score(self, at: Parameters, by_word: bool = False) -> Score:
        """Log likelihood and its derivatives. Errors: DataError for an impossible word."""
        model = HiddenModel(at.initial, at.steps, self.log_response)
        shape = (self.size + 1, self.size)
        gradient = np.zeros(shape)
        each = np.zeros((self.times.size, *shape)) if by_word else None
        likelihood = np.zeros(self.times.size)
        for batch, arithmetic in model.schedule(self.codes, self.offsets):
            message = arithmetic.ends(0)
            for position, count, forward in arithmetic.forwards(batch):
                words = batch.words[: len(message)]
                state = forward.state[: len(message)]
                if each is None:
                    gradient[1:] += arithmetic.steps(state, message, self.times[words])
                else:
                    each[words, 1:] += arithmetic.steps(state, message, None)
                backward = arithmetic.retreat(message, count)
                symbols = batch.symbols(position, count)
                likelihood[batch.words[:count]] += arithmetic.log_scale(forward.scale)
                message = arithmetic.message(backward, symbols, forward.scale)
            first = arithmetic.plain(message)
            if each is None:
                gradient[0] += self.times[batch.words] @ first
            else:
                each[batch.words, 0] = first
        check_possible(likelihood)
        if each is not None:
            gradient = np.einsum("wij,w->ij", each, self.times)
        return Score(float(likelihood @ self.times), gradient, each)


@dataclass(frozen=True, eq=False)
class Learnt:
    """Where the iterations ended, and whether they had come to rest there."""

    parameters: Parameters
    score: Score
    iterations: int
    converged: bool


class Learner:
    """The search for one data set. `possible`: (k + 1, k) bool; `pseudocount`: added to each."""

    def __init__(
        self, words: ReleasedWords, possible: npt.NDArray[np.bool_], pseudocount: float
    ) -> None:
        self._words, self._possible, self._pseudocount = words, possible, pseudocount
        self.iterations = 0

    def learn(self, starts: Sequence[Parameters], most: int, tolerance: float) -> Learnt:
        """The best of short runs from every start, carried on until it rests."""
        runs = [self._run(start.table, _SHORT_RUN, tolerance) for start in starts]
        table, _, rested = max(runs, key=lambda run: run[1])
        while not rested and self.iterations < most:
            table, _, rested = self._run(table, 1, tolerance)
        end = Parameters.of(table)
        return Learnt(end, self._words.score(end), self.iterations, rested)

    def tidy(self, table: FloatArray) -> FloatArray:
        """Impossible entries at 0, the others at FLOOR or more, rows summing to 1."""
        kept = np.where(self._possible, np.maximum(table, FLOOR), 0.0)
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))

    def _run(
        self, table: FloatArray, cycles: int, tolerance: float
    ) -> tuple[FloatArray, float, bool]:
        """(table, objective there or a little before, whether it had come to rest)."""
        objective, rested = -np.inf, False
        for _ in range(cycles):
            once, _ = self._improve(table)
            twice, objective = self._improve(once)
            step, bend = once - table, twice - 2 * once + table
            ahead = twice
            size = float(np.linalg.norm(bend))
            length = max(1.0, float(np.linalg.norm(step)) / size) if size > 0 else 1.0
            if length > 1:
                trial = self.tidy(table + 2 * length * step + length**2 * bend)
                better, reached = self._improve(trial)
                if reached >= objective:
                    ahead, objective = better, reached
            moved, table = float(abs(ahead - table).max()), ahead
            # The extrapolated length is how much further plain steps would go.
            rested = moved * max(1.0, length) < tolerance
            if rested:
                break
        return table, objective, rested

    def _improve(self, table: FloatArray) -> tuple[FloatArray, float]:
        """One iteration: the next table, and the objective of the one given."""
        self.iterations += 1
        score = self._words.score(Parameters.of(table))
        expected = table * score.gradient + self._pseudocount * self._possible
        total = expected.sum(axis=1, keepdims=True)
        # A state that is never visited keeps its row.
        following = np.where(total > 0, expected / np.where(total > 0, total, 1.0), table)
        prior = float(np.log(table[self._possible]).sum()) if self._pseudocount else 0.0
        return self.tidy(following), score.log_likelihood + self._pseudocount * prior


def moment_start(words: ReleasedWords, channel: Channel) -> FloatArray:
    """(k + 1, k): first symbols and neighbouring pairs with the response undone, clipped.

    Pairs are counted over all positions: their law is a mixture of laws of pairs with the same
    steps, so the rows are consistent, and only clipping keeps them from being unbiased.
    """
    size = channel.size
    flat, starts = words.codes.astype(np.int64), words.offsets[:-1]
    times = np.repeat(words.times, np.diff(words.offsets))
    later = np.ones(flat.size, bool)
    later[starts] = False
    where = np.flatnonzero(later)
    steps = flat[where - 1] * size + flat[where]
    pairs: FloatArray = np.bincount(steps, times[where], minlength=size**2).astype(np.float64)
    firsts: FloatArray = np.bincount(flat[starts], words.times, minlength=size).astype(np.float64)
    table = np.vstack(
        [
            channel.invert(firsts, 0),
            channel.invert(channel.invert(pairs.reshape(size, size), 0), 1),
        ]
    )
    table = np.maximum(table, 0.0)
    total = table.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, table / np.where(total > 0, total, 1.0), 1 / size)
    # A start on the border would stay there.
    return np.asarray(0.95 * shares + 0.05 / size)


def spread_start(number: int, size: int) -> FloatArray:
    """(k + 1, k): a fixed point of the product of simplices, well away from the other numbers'.

    Exponentials of a Weyl sequence, which has the spread of random points without being random.
    """
    golden = (5**0.5 - 1) / 2
    place = np.arange(1, (size + 1) * size + 1) + number * (size + 1) * size
    weights = -np.log1p(-((place * golden) % 1.0)).reshape(size + 1, size) + 0.05
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
