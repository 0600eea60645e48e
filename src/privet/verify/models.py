"""Hidden Markov models: two secrets that no observed word may tell apart by more than a ratio.

Contract. The probability of a word w under a law pi of the first state is

    pi D_{w_0} A D_{w_1} A ... D_{w_t} A 1,    D_x = diag(P(x | state)), A the transition matrix,

(the last A 1 = 1), so the claim "P(w | first) <= c P(w | second) for every w" is a question about a
weighted automaton [liu-wang-zhang-2022], which `privet.weighted` answers exactly. It is hard
in general (NP-hard in the length); what the limits cut short is Undecided. Before a verdict leaves
this module, its certificate or its word is checked again by code that shares nothing with the
search: the word by the forward recursion above in rationals.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from privet.chains import HiddenMarkovModel
from privet.errors import ParameterError, UndecidedError
from privet.exact import read_count
from privet.exact.number import Number
from privet.verify.certificate import ModelCertificate, check_model_certificate
from privet.verify.outcome import Bracket, Holds, Outcome, Undecided, Violated, ratio_of
from privet.verify.problem import (
    Law,
    Length,
    Secret,
    Threshold,
    read_length,
    read_limits,
    read_model,
    read_secret,
    read_threshold,
)
from privet.weighted import (
    Clock,
    Engine,
    Exceeded,
    Lengths,
    Limits,
    Proved,
    RatioProblem,
    Stopped,
    Worst,
    check_certificate,
    check_counterexample,
    largest_excess,
    shared_problem,
)
from privet.weighted.certificate import problem_to_json
from privet.weighted.support import infinite_word

TIME_LIMIT = 60.0
NODE_LIMIT = 100_000


def hidden_markov(
    model: HiddenMarkovModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Number | None = None,
    epsilon: Number | None = None,
    length: Length = None,
    engine: Literal["auto", "exact"] = "auto",
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
) -> Outcome:
    """Whether no word is more than `ratio` times as likely under `first` as under `second`.

    `first`, `second`: a state, {state: probability}, or one probability for each state; `ratio`:
    exact, or `epsilon` for e^epsilon (enclosed in rationals, between which nothing is decided: for
    epsilon = ln 2 give ratio=2); `length`: an int, a range, or None for words of every length;
    `time_limit` in seconds and `node_limit` in prefixes. The claim is one-sided: ask twice, with
    the secrets exchanged, for a Pufferfish guarantee [kifer-machanavajjhala-2014].

    Returns Holds, Violated or Undecided; the first two were re-checked. Errors: ModelError and
    ParameterError for input that cannot be read.
    """
    question = _Question(read_model(model), first, second, read_length(length))
    threshold = read_threshold(ratio, epsilon)
    if engine not in ("auto", "exact"):
        raise ParameterError(
            "engine is neither 'auto' nor 'exact'.",
            hint="Models of numbers are decided by the exact engine.",
            parameter="engine",
        )
    limits = read_limits(time_limit, node_limit)
    try:
        return question.decide(threshold, limits)
    except KeyboardInterrupt:
        bracket = Bracket(Fraction(0), math.inf, reason="interrupted")
        return Undecided(bracket, "interrupted", "Give it more time.")


def worst_ratio(
    model: HiddenMarkovModel,
    first: Secret,
    second: Secret,
    length: int,
    *,
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
) -> tuple[Fraction | float, list[object]]:
    """The largest P(w | first) / P(w | second) over words of one length, and a word that has it.

    Exact: a Fraction, or math.inf if some word is possible under `first` only. Never smaller for a
    greater length. Errors: UndecidedError with `low` and `high` if a limit comes first.
    """
    read_count(length, "length")
    bracket = ratio_bracket(
        model, first, second, length, time_limit=time_limit, node_limit=node_limit
    )
    if not bracket.is_closed or bracket.witness is None:
        raise UndecidedError(
            f"The worst ratio at length {length} lies in {bracket}: {bracket.reason}.",
            hint="Raise time_limit or node_limit, or use ratio_bracket.",
            low=bracket.low,
            high=bracket.high,
        )
    return bracket.low, list(bracket.witness)


def ratio_bracket(
    model: HiddenMarkovModel,
    first: Secret,
    second: Secret,
    length: Length,
    *,
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
) -> Bracket:
    """The worst ratio as far as the limits let it be known; `length` as in `hidden_markov`.

    `low` is the exact ratio of `witness`; `high` is proved.
    """
    question = _Question(read_model(model), first, second, read_length(length))
    return question.worst(read_limits(time_limit, node_limit))


def ratio_by_length(
    model: HiddenMarkovModel,
    first: Secret,
    second: Secret,
    longest: int,
    *,
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
) -> list[Bracket]:
    """Entry k-1: the worst ratio of words of k symbols, k = 1..longest. The limits are for each."""
    limits = read_limits(time_limit, node_limit)
    count = read_count(longest, "longest")
    question = _Question(read_model(model), first, second, Lengths(1, 1))
    return [question.at(Lengths(k, k)).worst(limits) for k in range(1, count + 1)]


def delta_bracket(
    model: HiddenMarkovModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Number | None = None,
    epsilon: Number | None = None,
    length: int,
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
) -> Bracket:
    """The smallest delta with P(W | first) <= c P(W | second) + delta for every set W of words.

    That is sum over words of max(0, P(w | first) - c P(w | second)), the words of one length. A
    bracket in rationals, closed where `low` equals `high`.
    """
    count = read_count(length, "length")
    question = _Question(read_model(model), first, second, Lengths(count, count))
    threshold, limits = read_threshold(ratio, epsilon), read_limits(time_limit, node_limit)
    high = largest_excess(question.problem, threshold.low, count, limits)
    if threshold.is_exact:
        return Bracket(high.low, high.high, reason=high.reason)
    low = largest_excess(question.problem, threshold.high, count, limits)
    return Bracket(low.low, high.high, reason=high.reason or low.reason or "e^epsilon is enclosed")


def hidden_markov_problem(model: HiddenMarkovModel, first: Law, second: Law) -> RatioProblem:
    """The weighted automaton of the model, started from either law."""
    rows, seen = model.exact_transition, model.exact_emission
    matrices = [
        [_scaled_row(row, seen[i][x]) for i, row in enumerate(rows)]
        for x in range(len(model.observations))
    ]
    return shared_problem(first, second, matrices)


def _scaled_row(row: Law, factor: Fraction) -> list[Fraction]:
    return [factor * entry if factor and entry else Fraction(0) for entry in row]


def word_probability(model: HiddenMarkovModel, law: Law, codes: Sequence[int]) -> Fraction:
    """P(word | the first state has this law), by the forward recursion [rabiner-1989].

    On whole numbers: all entries of a matrix over their common denominator.
    """
    rows, row_scale = _over_one_denominator(model.exact_transition)
    seen, seen_scale = _over_one_denominator(model.exact_emission)
    (start,), scale = _over_one_denominator([law])
    states = range(len(law))
    here = [start[s] * seen[s][codes[0]] for s in states]
    for code in codes[1:]:
        here = [sum(here[r] * rows[r][s] for r in states) * seen[s][code] for s in states]
    length = len(codes)
    return Fraction(sum(here), scale * seen_scale**length * row_scale ** (length - 1))


def _over_one_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    scale = math.lcm(*(entry.denominator for row in rows for entry in row))
    return [[int(entry * scale) for entry in row] for row in rows], scale


class _Question:
    """Two secrets of a model, some lengths, and the engine for them."""

    def __init__(
        self, model: HiddenMarkovModel, first: Secret, second: Secret, lengths: Lengths
    ) -> None:
        self.model, self.lengths = model, lengths
        self.first = read_secret(model, first, "first")
        self.second = read_secret(model, second, "second")
        self.problem = hidden_markov_problem(model, self.first, self.second)
        self._engine = Engine(self.problem)

    def at(self, lengths: Lengths) -> "_Question":
        """The same secrets, other lengths."""
        other = object.__new__(_Question)
        other.__dict__.update(self.__dict__, lengths=lengths)
        return other

    def worst(self, limits: Limits) -> Bracket:
        """The worst ratio, its witness evaluated again and its proof checked."""
        found = self._engine.worst(self.lengths, limits)
        if found.certificate is not None:
            check_certificate(found.certificate.to_json())
        return self._bracket(found)

    def _bracket(self, found: Worst) -> Bracket:
        if found.word is None:
            return Bracket(found.low, found.high, None, found.reason)
        over, under = self._probabilities(found.word)
        if ratio_of(over, under) != found.low:
            raise AssertionError("the witness does not have the ratio that the engine reports")
        return Bracket(found.low, found.high, self._symbols(found.word), found.reason)

    def decide(self, threshold: Threshold, limits: Limits) -> Outcome:
        """The verdict."""
        clock = Clock(limits)
        word, _ = infinite_word(self.problem, self.lengths, clock.part(0.25))
        if word is not None:
            return self._violated(word, threshold)
        if (word := self._engine.guess_above(threshold.high, self.lengths)) is not None:
            return self._violated(word, threshold)
        outcome = self._engine.decide(threshold.low, self.lengths, clock)
        if isinstance(outcome, Exceeded) and not self._is_above(outcome, threshold):
            # A word above the lower end of the enclosure only: is one above the upper end?
            outcome = self._engine.decide(threshold.high, self.lengths, clock)
            if not isinstance(outcome, Exceeded):
                return self._tie(threshold)
        if isinstance(outcome, Exceeded):
            return self._violated(outcome.word, threshold)
        if isinstance(outcome, Proved):
            return self._holds(outcome, threshold)
        return self._undecided(outcome, threshold, clock)

    def _is_above(self, outcome: Exceeded, threshold: Threshold) -> bool:
        ratio = self.problem.ratio(outcome.word)
        return ratio is not None and ratio > threshold.high

    def _violated(self, codes: tuple[int, ...], threshold: Threshold) -> Violated:
        check_counterexample(problem_to_json(self.problem), codes, threshold.high)
        over, under = self._probabilities(codes)
        if not over > threshold.high * under:
            raise AssertionError("the two evaluations of a counterexample differ")
        return Violated(list(self._symbols(codes)), over, under, ratio_of(over, under))

    def _holds(self, outcome: Proved, threshold: Threshold) -> Holds:
        certificate = ModelCertificate(
            self.model,
            self.first,
            self.second,
            threshold.low,
            self.lengths,
            outcome.certificate,
        )
        check_model_certificate(certificate.to_json())
        return Holds(certificate)

    def _tie(self, threshold: Threshold) -> Undecided:
        bracket = Bracket(threshold.low, threshold.high, reason="tie")
        return Undecided(
            bracket,
            "tie: the worst ratio lies in the enclosure of e^epsilon",
            "Give the ratio itself, such as ratio=2 for epsilon = ln 2.",
        )

    def _undecided(self, stopped: Stopped, threshold: Threshold, clock: Clock) -> Undecided:
        ratio, word = self._engine.guess(self.lengths, clock)
        high = self._engine.bound_of(stopped, threshold.low, self.lengths)
        witness = None if word is None else self._symbols(word)
        bracket = Bracket(ratio, high, witness, stopped.reason)
        if self.lengths.longest is None:
            hint = "Ask about one length or a range, or a ratio a little larger."
        else:
            hint = "Raise time_limit or node_limit, or ask about a ratio a little larger."
        return Undecided(bracket, stopped.reason, hint)

    def _probabilities(self, codes: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        return (
            word_probability(self.model, self.first, codes),
            word_probability(self.model, self.second, codes),
        )

    def _symbols(self, codes: Sequence[int]) -> tuple[object, ...]:
        return tuple(self.model.observations[code] for code in codes)
