"""The chain that true words follow, learnt from released ones alone.

Contract. Released words came from a mechanism that answers each symbol independently; what is
learnt is a function of the release and of public inputs, so it costs no privacy. The estimate is
the chain under which the released words are most likely, the mechanism's noise being part of the
likelihood: counting the transitions of released words would give the chain of the noise. Words are
taken as independent runs of one chain, and standard errors hold if that is what they are: words
that differ in kind, or remember more than one state, make the likeliest chain another one than
counting the true words would give, and that is not noise. Where the release says too little,
standard errors are infinite, intervals are [0, 1], and a note says so; nothing is made up.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains import MarkovChain
from privet.chains.fitting import read_possible
from privet.chains.markov import Support
from privet.chains.show import LARGEST_TABLE, step_rows
from privet.errors import DataError, ParameterError
from privet.estimate.channel import read_channel
from privet.estimate.hidden.information import (
    Free,
    Information,
    choose,
    covariance,
    information_matrix,
)
from privet.estimate.hidden.learning import (
    Learner,
    Learnt,
    Parameters,
    ReleasedWords,
    moment_start,
    spread_start,
)
from privet.estimate.hidden.response import read_response
from privet.estimate.intervals import read_confidence
from privet.estimate.word_tally import WordTally
from privet.exact import exact_number, read_count
from privet.exact.number import Number
from privet.languages import Language
from privet.plain_text import text_table

FloatArray = npt.NDArray[np.float64]

_EDGE = 1e-6
"""A probability below which an estimate lies at the edge of the simplex."""

_LARGEST_PSEUDOCOUNT = 10**12

_LARGE = 0.2
"""A standard error of a probability above which the release is said to tell little."""


@dataclass(frozen=True, eq=False)
class TransitionEstimate:
    """A chain learnt from released words, and how sure it is.

    `chain`: the estimate, its states in the order of the alphabet; `standard_errors` (k, k) and
    `initial_standard_errors` (k,): of `chain.transition` and `chain.initial`, 0 where the support
    forbids one, infinite where the release does not tell; `log_likelihood`: of the released words;
    `iterations`, `converged`: of the search; `departures`: (k,) expected number of transitions out
    of each state; `information`: how standard errors were computed; `notes`: what to beware of;
    `words`, `symbols`: how many were released. Printed, it is a table and its `description`.
    """

    chain: MarkovChain
    standard_errors: FloatArray
    initial_standard_errors: FloatArray
    log_likelihood: float
    iterations: int
    converged: bool
    confidence: float
    departures: FloatArray
    information: str
    notes: tuple[str, ...]
    words: int
    symbols: int

    @property
    def initial(self) -> FloatArray:
        """(k,): the estimated law of the first state."""
        return self.chain.initial

    @property
    def intervals(self) -> FloatArray:
        """(k, k, 2): lower and upper ends for each transition, one at a time, within [0, 1]."""
        return self._around(self.chain.transition, self.standard_errors)

    @property
    def initial_intervals(self) -> FloatArray:
        """(k, 2): the same for the first state."""
        return self._around(self.chain.initial, self.initial_standard_errors)

    @property
    def description(self) -> str:
        """What it was learnt from, and what its numbers are, in sentences."""
        plural = "s" if self.words != 1 else ""
        rest = "came to rest" if self.converged else "was stopped"
        first = (
            f"The most likely chain behind {self.words:,} released word{plural} of "
            f"{self.symbols:,} symbols; the search {rest} after {self.iterations} iterations. "
            "Standard errors hold if the words are independent runs of one chain; they are 0 where "
            "the support leaves no choice and unknown where the release does not tell. Intervals "
            f"have confidence {self.confidence:g}, one at a time."
        )
        return " ".join((first, *self.notes))

    @property
    def all_standard_errors(self) -> FloatArray:
        """(k + 1, k): those of the first symbol above those of the transitions."""
        return np.vstack([self.initial_standard_errors, self.standard_errors])

    def __str__(self) -> str:
        """The probabilities with their standard errors as a table, unless there are very many."""
        if len(self.chain.states) > LARGEST_TABLE:
            return f"{self.chain!r}. {self.description}"
        table = text_table(*step_rows(self.chain, self.all_standard_errors))
        return f"Probability of the next symbol\n{table}\n\n{self.description}"

    def __repr__(self) -> str:
        return f"TransitionEstimate({self.chain!r}, {self.words} words, {self.symbols} symbols)"

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary for each pair of states: from, to, probability, standard error, ends."""
        intervals, symbols = self.intervals, self.chain.states
        return [
            {
                "from": symbols[i],
                "to": symbols[j],
                "probability": float(self.chain.transition[i, j]),
                "standard_error": float(self.standard_errors[i, j]),
                "lower": float(intervals[i, j, 0]),
                "upper": float(intervals[i, j, 1]),
            }
            for i in range(len(symbols))
            for j in range(len(symbols))
        ]

    def _around(self, estimate: FloatArray, errors: FloatArray) -> FloatArray:
        reach = NormalDist().inv_cdf((1 + self.confidence) / 2) * errors
        return np.clip(np.stack([estimate - reach, estimate + reach], axis=-1), 0.0, 1.0)


def transitions(
    released: Any,
    mechanism: object,
    *,
    restarts: int = 4,
    pseudocount: Number = 0,
    support: Support = None,
    start: npt.ArrayLike | None = None,
    confidence: Number = 0.95,
    information: Information = "auto",
    iterations: int = 1000,
    tolerance: Number = 1e-6,
) -> TransitionEstimate:
    """The most likely chain behind released words, with standard errors.

    `released`: Words (or one long word), a Release of them, or the sum of the `WordTally` of its
    parts; `mechanism`: the one that released them; `restarts`: fixed further starting points
    beside the moment estimate, of which the best is carried on;
    `pseudocount`: added to every expected count, 0 for maximum likelihood; `support`: the public
    knowledge of what is possible, a Language, a MarkovChain for its words, or (k, k) bool for
    transitions, and `start`: (k,) bool for first symbols; `confidence` of the intervals;
    `information`: "observed", "words" or "auto" (see `privet.estimate.hidden.information`);
    `iterations`, `tolerance`: when the search stops, the latter in units of probability.

    Errors: DataError if no word has two symbols; ParameterTypeError for mechanisms that do not
    answer each symbol independently, ParameterError where the release is independent of the data
    and for numbers out of range; ModelError for a support or start of the wrong form.
    """
    alphabet, log_response = read_response(mechanism)
    _, channel = read_channel(mechanism)
    level = read_confidence(confidence)
    extra = _read_pseudocount(pseudocount)
    rest = _read_tolerance(tolerance)
    if information not in ("auto", "observed", "words"):
        raise ParameterError("information is none of 'auto', 'observed' and 'words'.")
    size = len(alphabet)
    if isinstance(support, MarkovChain):
        support = Language.from_chain(support)
    possible = np.vstack(read_possible(support, start, alphabet))
    tally = released if isinstance(released, WordTally) else WordTally.of(released, alphabet)
    if tally.alphabet != alphabet:
        raise DataError("The tally of words is over other symbols than the mechanism's.")
    if tally.longest < 2:
        raise DataError(
            "No released word has two symbols, so there are no transitions to learn from.",
            hint="Shares of single symbols are estimated by privet.estimate.frequencies.",
        )
    words = ReleasedWords(tally, log_response)
    learner = Learner(words, possible, extra)
    tables = [moment_start(words, channel)]
    tables += [spread_start(n, size) for n in range(read_count(restarts, "restarts", 0))]
    starts = [Parameters.of(learner.tidy(table)) for table in tables]
    learnt = learner.learn(starts, read_count(iterations, "iterations"), rest)
    table = learnt.parameters.table
    free = Free.of(table, possible)
    kind = choose(information, words, len(free.rows))
    errors = _standard_errors(kind, words, table, free)
    departures = (table * learnt.score.gradient)[1:].sum(axis=1)
    chain = MarkovChain(table[0], table[1:], alphabet)
    return TransitionEstimate(
        chain=chain,
        standard_errors=errors[1:],
        initial_standard_errors=errors[0],
        log_likelihood=learnt.score.log_likelihood,
        iterations=learnt.iterations,
        converged=learnt.converged,
        confidence=level,
        departures=departures,
        information=kind,
        notes=_notes(learnt, errors, chain),
        words=tally.words,
        symbols=tally.symbols,
    )


def _read_pseudocount(given: Number) -> float:
    extra = exact_number(given, "pseudocount")
    if extra < 0:
        raise ParameterError("pseudocount must not be negative.", parameter="pseudocount")
    if extra > _LARGEST_PSEUDOCOUNT:
        raise ParameterError(
            "pseudocount is above a million million.",
            hint="Beside so many transitions the release says nothing; 1 is usual.",
            parameter="pseudocount",
        )
    return float(extra)


def _read_tolerance(given: Number) -> float:
    tolerance = exact_number(given, "tolerance")
    if not 0 < tolerance < 1:
        raise ParameterError(
            "tolerance must be above 0 and below 1.",
            hint="It is a probability below which changes do not count; 1e-6 is usual.",
            parameter="tolerance",
        )
    return float(tolerance)


def _standard_errors(
    kind: Information, words: ReleasedWords, table: FloatArray, free: Free
) -> FloatArray:
    """(k + 1, k) standard errors, infinite where the release does not tell."""
    matrix = information_matrix(kind, words, table, free)
    every = np.ones(len(free.rows), bool)
    # At the edge of the simplex the likelihood need not be concave in the probabilities that are 0.
    # Few words say little about their first symbols and may still say much about steps.
    inner, steps = table[free.rows, free.columns] > _EDGE, free.rows > 0
    spread = free.spread(table.shape)
    errors = np.where(spread.any(axis=1), np.inf, 0.0).reshape(table.shape)
    for chosen, known in ((every, every), (inner, every), (steps, steps), (inner & steps, steps)):
        inverse = covariance(matrix[np.ix_(chosen, chosen)])
        if inverse is None or not chosen.any():
            continue
        jacobian = spread[:, chosen]
        variances = np.einsum("ij,jk,ik->i", jacobian, inverse, jacobian)
        first = 0 if known is every else 1
        errors[first:] = np.sqrt(np.maximum(variances, 0.0)).reshape(table.shape)[first:]
        # Each probability at the edge on its own beside the inner ones, the others there held at 0.
        for number in np.flatnonzero(known & ~chosen).tolist():
            beside = np.append(np.flatnonzero(chosen), number)
            inverse = covariance(matrix[np.ix_(beside, beside)])
            error = np.inf if inverse is None else float(np.sqrt(inverse[-1, -1]))
            row, rest = free.rows[number], free.rests[number]
            errors[row, free.columns[number]] = error
            # The rest of the row is what the others leave: unsure of one, unsure of it.
            errors[row, rest] = np.hypot(errors[row, rest], error)
        break
    return errors


def _notes(learnt: Learnt, errors: FloatArray, chain: MarkovChain) -> tuple[str, ...]:
    """What a reader must know before using the estimate."""
    notes = []
    if not learnt.converged:
        notes.append(
            f"The search had not come to rest after {learnt.iterations} iterations; allow more, "
            "or expect the estimate to move."
        )
    steps, unknown = errors[1:], np.isinf(errors[1:])
    if unknown.any() and not np.isfinite(steps[steps > 0]).any():
        notes.append(
            "The release does not tell the transitions apart: there is too little data for this "
            "epsilon. The chain is one of many that fit equally well."
        )
        return tuple(notes)
    if float(errors[0].max()) > _LARGE:
        notes.append("There are too few words to say much about the law of the first state.")
    if (edge := (chain.transition < _EDGE) & (steps > 0)).any():
        notes.append(
            f"{int(edge.sum())} kinds of transitions are estimated at 0, the edge of what is "
            "possible: their intervals are rough, and the other standard errors may take them as 0."
        )
    for state, row in zip(chain.states, steps, strict=True):
        worst = float(row[np.isfinite(row)].max(initial=0.0))
        if worst > _LARGE:
            notes.append(
                f"Steps out of state {state} have standard errors up to {worst:.2g}: the release "
                "says little about them."
            )
    return tuple(notes)
