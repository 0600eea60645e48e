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
from fractions import Fraction
from typing import Literal, get_args

from privet.chains import HiddenMarkovModel
from privet.errors import ParameterError, UndecidedError
from privet.exact import read_count
from privet.exact.number import Number
from privet.verify.outcome import INTERRUPTED, Bracket, Outcome, interrupted
from privet.verify.problem import (
    Length,
    Secret,
    read_length,
    read_limits,
    read_model,
    read_threshold,
)
from privet.verify.question import Question, hidden_markov_problem, word_probability
from privet.verify.smt.decide import by_solver, for_all_parameters
from privet.verify.smt.expressions import value_of
from privet.verify.smt.solver import MEMORY_LIMIT
from privet.verify.smt.symbols import SymbolicModel, read_symbolic_ratio, read_symbolic_secret
from privet.weighted import Lengths, largest_excess

__all__ = [
    "NODE_LIMIT",
    "TIME_LIMIT",
    "delta_bracket",
    "hidden_markov",
    "hidden_markov_problem",
    "ratio_bracket",
    "ratio_by_length",
    "word_probability",
    "worst_ratio",
]

EngineName = Literal["auto", "exact", "smt", "smt-published"]
_EXACT = ("auto", "exact")
TIME_LIMIT = 60.0
NODE_LIMIT = 100_000


def hidden_markov(
    model: HiddenMarkovModel | SymbolicModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Number | None = None,
    epsilon: Number | None = None,
    length: Length = None,
    engine: EngineName = "auto",
    time_limit: float | None = TIME_LIMIT,
    node_limit: int = NODE_LIMIT,
    memory_limit: int = MEMORY_LIMIT,
) -> Outcome:
    """Whether no word is more than `ratio` times as likely under `first` as under `second`.

    `first`, `second`: a state, {state: probability}, or one probability for each state; `ratio`:
    exact, or `epsilon` for e^epsilon (enclosed in rationals, between which nothing is decided: for
    epsilon = ln 2 give ratio=2); `length`: an int, a range, or None for words of every length;
    `time_limit` in seconds and `node_limit` in prefixes. The claim is one-sided: ask twice, with
    the secrets exchanged, for a Pufferfish guarantee [kifer-machanavajjhala-2014].

    `engine`: "auto" asks the exact engine about numbers, also those of a SymbolicModel without
    parameters, and an SMT solver about all values of the parameters of one that has some; "smt" and
    "smt-published" ask the solver in any case, with `memory_limit` in megabytes, about a finite
    length. A solver's word is re-checked; its Holds is not checkable, and the certificate says so.

    Returns Holds, Violated or Undecided; Violated, and Holds of the exact engine, were re-checked.
    Errors: ModelError and ParameterError for input that cannot be read, MissingExtraError.
    """
    if engine not in get_args(EngineName):
        raise ParameterError(
            f"engine is none of {', '.join(map(repr, get_args(EngineName)))}.",
            hint="'auto' is the exact engine for numbers and the solver for parameters.",
            parameter="engine",
        )
    encoding = {"smt": "linear", "smt-published": "published"}.get(engine, "words")
    if isinstance(model, SymbolicModel) and not model.parameters.names and engine in _EXACT:
        first, second, ratio = _numbers(model, first, second, ratio)
        model = model.at({})
    if isinstance(model, SymbolicModel):
        return for_all_parameters(
            model,
            first,
            second,
            ratio=_symbolic_ratio(ratio, epsilon, engine),
            length=length,
            encoding=encoding,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
    question = Question(read_model(model), first, second, read_length(length))
    threshold = read_threshold(ratio, epsilon)
    limits = read_limits(time_limit, node_limit)
    if engine in ("smt", "smt-published"):
        return by_solver(question, threshold, encoding, limits, memory_limit)
    try:
        return question.decide(threshold, limits)
    except KeyboardInterrupt:
        return interrupted()


def _numbers(
    model: SymbolicModel, first: Secret, second: Secret, ratio: Number | None
) -> tuple[Secret, Secret, Fraction | None]:
    """Both secrets and the ratio of a model without parameters, as numbers. Errors: ModelError."""
    laws = [
        [value_of(entry, {}) for entry in read_symbolic_secret(model, secret, name)]
        for secret, name in ((first, "first"), (second, "second"))
    ]
    claimed = None if ratio is None else value_of(read_symbolic_ratio(model, ratio), {})
    return laws[0], laws[1], claimed


def _symbolic_ratio(ratio: Number | None, epsilon: Number | None, engine: EngineName) -> Number:
    """The ratio claimed of a model with parameters. Errors: ParameterError."""
    if engine == "exact":
        raise ParameterError(
            "The exact engine decides models of numbers, and this one has parameters.",
            hint="Give it model.at(values), or use engine='auto'.",
            parameter="engine",
        )
    if ratio is None or epsilon is not None:
        raise ParameterError(
            "A model with parameters needs ratio, not epsilon.",
            hint="ratio=2 claims epsilon = ln 2 exactly.",
            parameter="ratio",
        )
    return ratio


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
    question = Question(read_model(model), first, second, read_length(length))
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
    """Entry k-1: the worst ratio of words of k symbols, k = 1..longest. The limits are for each.

    After an interrupt nothing is known of the lengths that were still to come.
    """
    limits = read_limits(time_limit, node_limit)
    count = read_count(longest, "longest")
    question = Question(read_model(model), first, second, Lengths(1, 1))
    found: list[Bracket] = []
    for k in range(1, count + 1):
        if found and found[-1].reason == INTERRUPTED:
            found.append(Bracket(Fraction(0), math.inf, reason=INTERRUPTED))
        else:
            found.append(question.at(Lengths(k, k)).worst(limits))
    return found


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
    question = Question(read_model(model), first, second, Lengths(count, count))
    threshold, limits = read_threshold(ratio, epsilon), read_limits(time_limit, node_limit)
    high = largest_excess(question.problem, threshold.low, count, limits)
    if threshold.is_exact:
        return Bracket(high.low, high.high, reason=high.reason)
    if high.reason == INTERRUPTED:
        return Bracket(Fraction(0), high.high, reason=INTERRUPTED)
    low = largest_excess(question.problem, threshold.high, count, limits)
    return Bracket(low.low, high.high, reason=high.reason or low.reason or "e^epsilon is enclosed")
