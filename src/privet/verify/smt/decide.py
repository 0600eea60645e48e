"""Whether a claim is true of every word and all values: the solver's answer, checked.

Contract. "sat" is a word, and values of the parameters: they are evaluated again, in rationals, or
in algebraic numbers if no rational values were found beside them, and only what stands this is
Violated. "unsat" is Holds with a certificate that says whom one believes. Everything else, a
crash, a limit, "unknown", an interrupt, an answer that does not stand, is Undecided with the
reason. A word's weight is the sum of its continuations', so the longest length decides a range.
"""

import math
from fractions import Fraction
from importlib import metadata

from privet.chains import HiddenMarkovModel
from privet.errors import CertificateError, ModelError, UndecidedError
from privet.exact import read_count
from privet.verify.outcome import Bracket, Holds, Outcome, Undecided
from privet.verify.problem import Length, Secret, Threshold, read_limits
from privet.verify.question import Question
from privet.verify.smt.admission import admit
from privet.verify.smt.answers import SolverCertificate
from privet.verify.smt.claims import Claim, longest, read_claim
from privet.verify.smt.encodings import query
from privet.verify.smt.export import export
from privet.verify.smt.expressions import Constant
from privet.verify.smt.recheck import codes_of, rationalised, violated
from privet.verify.smt.solver import MEMORY_LIMIT, Solver, Unknown, Unsatisfiable
from privet.verify.smt.symbols import Entry, SymbolicModel, symbolic
from privet.verify.smt.words import AllWords, SomeWord, by_trying, by_words
from privet.weighted import Clock, Limits

TIME_LIMIT = 60.0
WORDS = "words"
_NO_NODES = 1
_NOT_CONFIRMED = "the solver's counterexample does not stand the exact check"


def for_all_parameters(
    model: SymbolicModel | HiddenMarkovModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Entry,
    length: Length,
    encoding: str = "words",
    time_limit: float | None = TIME_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> Outcome:
    """Whether P(word | first) <= ratio P(word | second) for all words and all allowed values.

    `first`, `second`: a state, {state: probability} or one probability a state, numbers or text
    such as "1 - p"; `ratio`: a number or text; `length`: an int or a range; `encoding`: "words"
    tries some values and decides one inequality a word, where there are few, before the linear
    encoding; "linear" and "published" [liu-wang-zhang-2022] are those alone; `time_limit` in
    seconds, `memory_limit` in megabytes.

    Returns Holds (the certificate says who found so, and is not independently checkable),
    ParametersViolated (values and a word, re-checked) or Undecided. Errors: ModelError for a row
    that is no law, a division by zero, a negative ratio, or constraints without values;
    MissingExtraError without z3.
    """
    claim = read_claim(model, first, second, ratio, length)
    clock = Clock(Limits(read_limits(time_limit, _NO_NODES).seconds, _NO_NODES))
    with Solver(clock, read_count(memory_limit, "memory_limit")) as solver:
        try:
            return decide(claim, encoding, solver)
        except KeyboardInterrupt:
            return undecided("interrupted")


def decide(claim: Claim, encoding: str, solver: Solver) -> Outcome:
    """The verdict on a question that has been read. Errors: ModelError for one that is refused."""
    by_word, encoding = encoding == WORDS, "linear" if encoding == WORDS else encoding
    asked = query(claim, encoding)
    reason = admit(claim, solver)
    if reason:
        return undecided(reason)
    if by_word and (outcome := _word_by_word(claim, solver)) is not None:
        return outcome
    verdict = solver.ask(asked)
    if isinstance(verdict, Unknown):
        return undecided(verdict.reason)
    if isinstance(verdict, Unsatisfiable):
        return Holds(certificate(claim, encoding, solver, verdict))
    values = rationalised(solver, asked, verdict.values, claim.model.parameters.names)
    try:
        return violated(claim, values)
    except (CertificateError, ModelError, UndecidedError):
        return undecided(_NOT_CONFIRMED)


def _word_by_word(claim: Claim, solver: Solver) -> Outcome | None:
    """The verdict if that decides in half of the time; otherwise nothing is known."""
    whole = solver.clock
    solver.clock = whole.part(0.5)
    try:
        if (tried := by_trying(claim, solver.clock)) is not None:
            return tried
        answer = by_words(claim, solver)
    finally:
        solver.clock = whole
    if isinstance(answer, AllWords):
        # Without a solver it is our own arithmetic that is to be believed, or the text asked anew.
        name, version = solver.name, answer.solver_version
        if not version:
            name, version = "privet", metadata.version("privet")
        text = export(claim, "linear")
        return Holds(SolverCertificate(name, version, "word by word", claim.length, text))
    if isinstance(answer, SomeWord):
        try:
            return violated(claim, answer.values)
        except (CertificateError, ModelError, UndecidedError):
            return None
    return None


def by_solver(
    question: Question, threshold: Threshold, encoding: str, limits: Limits, memory_limit: int
) -> Outcome:
    """A question about a model of numbers, put to the solver."""
    longest(question.lengths.longest)
    with Solver(Clock(limits), read_count(memory_limit, "memory_limit")) as solver:
        try:
            return decide_numbers(question, threshold, encoding, solver)
        except KeyboardInterrupt:
            return undecided("interrupted")


def decide_numbers(
    question: Question, threshold: Threshold, encoding: str, solver: Solver
) -> Outcome:
    """The same for a model of numbers, whose ratio may be enclosed only."""
    model, length = symbolic(question.model), longest(question.lengths.longest)
    for ratio in dict.fromkeys((threshold.low, threshold.high)):
        first, second = (tuple(map(Constant, law)) for law in (question.first, question.second))
        claim = Claim(model, first, second, Constant(ratio), length)
        verdict = solver.ask(query(claim, encoding))
        if isinstance(verdict, Unknown):
            return undecided(verdict.reason)
        if isinstance(verdict, Unsatisfiable) and ratio == threshold.low:
            return Holds(certificate(claim, encoding, solver, verdict))
        if isinstance(verdict, Unsatisfiable):
            break
        try:
            return question.violated(codes_of(claim, verdict.values), threshold)
        except CertificateError:
            if ratio == threshold.high:
                return undecided(_NOT_CONFIRMED)
    return question.tie(threshold)


def certificate(
    claim: Claim, encoding: str, solver: Solver, verdict: Unsatisfiable
) -> SolverCertificate:
    """Whom one believes."""
    text = export(claim, encoding)
    return SolverCertificate(solver.name, verdict.version, encoding, claim.length, text)


def undecided(reason: str) -> Undecided:
    """Nothing is known of the ratio."""
    if reason == "interrupted":
        hint = "Give it more time."
    elif reason == "time limit":
        hint = "Raise time_limit, shorten the words, or narrow the ranges of the parameters."
    else:
        hint = "Shorten the words, or hand verify.smt_lib(...) to another solver."
    return Undecided(Bracket(Fraction(0), math.inf, reason=reason), reason, hint)
