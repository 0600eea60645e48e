"""One question about a hidden Markov model, put to the exact engine and its answer checked again.

Contract. Nothing leaves this module unchecked: a word is evaluated by the forward recursion in
rationals, a proof by the checker that imports no engine. Both engines share what stands here, so an
SMT solver's counterexample passes the same door as one of the exact engine.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from flint import fmpz_mat

from privet.chains import HiddenMarkovModel
from privet.errors import CertificateError
from privet.verify.certificate import (
    ModelCertificate,
    check_found,
    check_proof_found,
    problem_in_memory,
)
from privet.verify.outcome import Bracket, Holds, Outcome, Undecided, Violated, ratio_of
from privet.verify.problem import Law, Secret, Threshold, read_secret
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
    shared_problem,
)
from privet.weighted.check import check_word
from privet.weighted.support import infinite_word

_SECONDS_FOR_A_GUESS = 2.0


def hidden_markov_problem(model: HiddenMarkovModel, first: Law, second: Law) -> RatioProblem:
    """The weighted automaton of the model, started from either law."""
    # Whole numbers, one factor for all: ratios are the same, and fractions would take longer.
    rows, _ = _over_one_denominator(model.exact_transition)
    seen, _ = _over_one_denominator(model.exact_emission)
    matrices = [
        [[seen[i][x] * entry for entry in row] for i, row in enumerate(rows)]
        for x in range(len(model.observations))
    ]
    return shared_problem(first, second, matrices)


def word_probability(model: HiddenMarkovModel, law: Law, codes: Sequence[int]) -> Fraction:
    """P(word | the first state has this law), by the forward recursion [rabiner-1989].

    On whole numbers: all entries of a matrix over their common denominator.
    """
    return _word_probabilities(model, [law], codes)[0]


def _word_probabilities(
    model: HiddenMarkovModel, laws: Sequence[Law], codes: Sequence[int]
) -> list[Fraction]:
    """As `word_probability`, of several laws at once."""
    rows, row_scale = _over_one_denominator(model.exact_transition)
    seen, seen_scale = _over_one_denominator(model.exact_emission)
    start, scale = _over_one_denominator(laws)
    steps, size = fmpz_mat(rows), len(rows)
    seeing = {
        code: fmpz_mat([[seen[i][code] if i == j else 0 for j in range(size)] for i in range(size)])
        for code in set(codes)
    }
    here = fmpz_mat(start) * seeing[codes[0]]
    for code in codes[1:]:
        here = here * steps * seeing[code]
    length = len(codes)
    scale *= seen_scale**length * row_scale ** (length - 1)
    return [Fraction(sum(map(int, law)), scale) for law in here.tolist()]


def _over_one_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    scale = math.lcm(*(entry.denominator for row in rows for entry in row))
    return [[e.numerator * (scale // e.denominator) for e in row] for row in rows], scale


def _limits_of_a_guess(clock: Clock) -> Limits:
    """The time is over, and a low end of the bracket is worth a little more of it."""
    seconds = clock.limits.seconds
    return Limits(min(_SECONDS_FOR_A_GUESS, math.inf if seconds is None else seconds / 4))


def _unproved(refused: CertificateError) -> str:
    return f"the check did not follow the proof that was found: {refused.message}"


class Question:
    """Two secrets of a model, some lengths, and the engine for them."""

    def __init__(
        self, model: HiddenMarkovModel, first: Secret, second: Secret, lengths: Lengths
    ) -> None:
        self.model, self.lengths = model, lengths
        self.first = read_secret(model, first, "first")
        self.second = read_secret(model, second, "second")
        self.problem = hidden_markov_problem(model, self.first, self.second)
        self._engine = Engine(self.problem)

    def at(self, lengths: Lengths) -> "Question":
        """The same secrets, other lengths."""
        other = object.__new__(Question)
        other.__dict__.update(self.__dict__, lengths=lengths)
        return other

    def worst(self, limits: Limits) -> Bracket:
        """The worst ratio, its witness evaluated again and its proof checked."""
        found = self._engine.worst(self.lengths, limits)
        if found.certificate is not None:
            try:
                claim = check_proof_found(found.certificate, self.lengths)
            except CertificateError as refused:
                found = replace(found, high=math.inf, certificate=None, reason=_unproved(refused))
            else:
                if claim.ratio != found.high:
                    raise AssertionError("the proof is about another bound than the engine reports")
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
            return self.violated(word, threshold)
        seen = self._engine.glance(threshold.low, self.lengths, clock)
        if isinstance(seen, Proved):
            return self._holds(seen, threshold)
        word = self._engine.guess_above(threshold.high, self.lengths, clock.part(0.5))
        if word is not None:
            return self.violated(word, threshold)
        outcome = self._engine.decide(threshold.low, self.lengths, clock)
        if isinstance(outcome, Exceeded) and not self._is_above(outcome, threshold):
            # A word above the lower end of the enclosure only: is one above the upper end?
            outcome = self._engine.decide(threshold.high, self.lengths, clock)
            if isinstance(outcome, Proved):
                return self.tie(threshold)
            if isinstance(outcome, Stopped):
                return self._undecided(outcome, Threshold(threshold.high, threshold.high), clock)
        if isinstance(outcome, Exceeded):
            return self.violated(outcome.word, threshold)
        if isinstance(outcome, Proved):
            return self._holds(outcome, threshold)
        return self._undecided(outcome, threshold, clock)

    def _is_above(self, outcome: Exceeded, threshold: Threshold) -> bool:
        ratio = self.problem.ratio(outcome.word)
        return ratio is not None and ratio > threshold.high

    def violated(self, codes: tuple[int, ...], threshold: Threshold) -> Violated:
        """The answer for a word above the ratio. Errors: CertificateError if it is not above."""
        check_word(problem_in_memory(self.problem), codes, threshold.high)
        over, under = self._probabilities(codes)
        if not over > threshold.high * under:
            raise AssertionError("the two evaluations of a counterexample differ")
        return Violated(list(self._symbols(codes)), over, under, ratio_of(over, under))

    def _holds(self, outcome: Proved, threshold: Threshold) -> Holds | Undecided:
        """The answer for a proof, if the check that knows no engine follows it."""
        certificate = ModelCertificate(
            self.model,
            self.first,
            self.second,
            threshold.low,
            self.lengths,
            outcome.certificate,
        )
        try:
            check_found(certificate)
        except CertificateError as refused:
            reason = _unproved(refused)
            unknown = Bracket(Fraction(0), math.inf, reason=reason)
            return Undecided(unknown, reason, "Ask about shorter words or a larger ratio.")
        return Holds(certificate)

    def tie(self, threshold: Threshold) -> Undecided:
        """The answer where a word lies inside the enclosure of e^epsilon, and none above it."""
        bracket = Bracket(threshold.low, threshold.high, reason="tie")
        return Undecided(
            bracket,
            "tie: the worst ratio lies in the enclosure of e^epsilon",
            "Give the ratio itself, such as ratio=2 for epsilon = ln 2.",
        )

    def _undecided(self, stopped: Stopped, threshold: Threshold, clock: Clock) -> Undecided:
        ratio, word = self._engine.guess(self.lengths, Clock(_limits_of_a_guess(clock)))
        high = self._engine.bound_of(stopped, threshold.low, self.lengths, clock.limits)
        witness = None if word is None else self._symbols(word)
        bracket = Bracket(ratio, high, witness, stopped.reason)
        if witness is None and ratio > threshold.high:
            hint = "Shorter words are above the ratio, and so are some of these: ask about them."
        elif self.lengths.longest is None:
            hint = "Ask about one length or a range, or a ratio a little larger."
        else:
            hint = "Raise time_limit or node_limit, or ask about a ratio a little larger."
        return Undecided(bracket, stopped.reason, hint)

    def _probabilities(self, codes: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        over, under = _word_probabilities(self.model, [self.first, self.second], codes)
        return over, under

    def _symbols(self, codes: Sequence[int]) -> tuple[object, ...]:
        return tuple(self.model.observations[code] for code in codes)
