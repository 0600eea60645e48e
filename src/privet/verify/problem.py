"""The question asked about a hidden Markov model, read once and exactly.

Contract. Two secrets are two laws of the first state; the claim is that every word of some lengths
is at most `ratio` times as likely under the first as under the second. A secret is the name of a
state, a mapping from states to probabilities, or a row of probabilities in the order of the states;
it must be a probability law, for an all-zero one would make every claim vacuously true. Words have
at least one symbol. Errors: ModelError for a secret, ParameterError for the rest.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.chains import HiddenMarkovModel
from privet.chains.stochastic import read_distribution
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import exact_number, exp_down, exp_up, read_count, read_epsilon
from privet.exact.number import Number
from privet.weighted import Lengths, Limits

Law = tuple[Fraction, ...]
Secret = Hashable | Mapping[Any, Any] | Any
"""A state, {state: probability}, or probabilities in the order of the states."""

Length = int | range | None


@dataclass(frozen=True)
class Threshold:
    """A ratio c with `low` <= c <= `high`, equal if it was given as a ratio, not as an epsilon."""

    low: Fraction
    high: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether c is a known rational."""
        return self.low == self.high


def read_model(model: object) -> HiddenMarkovModel:
    """The model itself. Errors: ParameterTypeError for anything else."""
    if isinstance(model, HiddenMarkovModel):
        return model
    raise ParameterTypeError(
        f"The model is a {type(model).__name__}, not a HiddenMarkovModel.",
        hint="Make one with HiddenMarkovModel(transition, emission).",
        parameter="model",
    )


def read_secret(model: HiddenMarkovModel, value: Secret, name: str) -> Law:
    """(states,) Fractions that sum to 1: the law of the first state that `value` denotes."""
    if isinstance(value, Mapping):
        return _checked(model, _in_order(model, value, name), name)
    if isinstance(value, Hashable) and value in model.states:
        return tuple(Fraction(int(value == state)) for state in model.states)
    if isinstance(value, str | bytes | int):
        raise ModelError(
            f"{name} is not one of the states of the model.",
            hint="Give a state, {state: probability}, or one probability for each state.",
            parameter=name,
        )
    return _checked(model, value, name)


def _in_order(model: HiddenMarkovModel, value: Mapping[Any, Any], name: str) -> list[Any]:
    for state in value:
        if state not in model.states:
            raise ModelError(f"{name} names a state that the model does not have.", parameter=name)
    return [value.get(state, 0) for state in model.states]


def _checked(model: HiddenMarkovModel, value: Any, name: str) -> Law:
    law = read_distribution(value, name).exact[0]
    if len(law) != len(model.states):
        raise ModelError(
            f"{name} has {len(law)} probabilities, and the model has {len(model.states)} states.",
            hint="Give one probability for each state, in the order of the states.",
            parameter=name,
        )
    return law


def read_threshold(ratio: Number | None, epsilon: Number | None) -> Threshold:
    """The claimed ratio; exactly one of the two is given."""
    if (ratio is None) == (epsilon is None):
        raise ParameterError(
            "Give either ratio or epsilon.",
            hint="ratio=2 claims epsilon = ln 2 exactly; epsilon=1 claims the ratio e.",
            parameter="ratio",
        )
    if epsilon is not None:
        if exact_number(epsilon, "epsilon") == 0:
            raise ParameterError(
                "epsilon must be greater than 0.",
                hint="ratio=1 claims epsilon = 0, that no word tells the two secrets apart.",
                parameter="epsilon",
            )
        exponent = read_epsilon(epsilon)
        return Threshold(exp_down(exponent), exp_up(exponent))
    # A ratio that was computed here may be longer than what a person types.
    number = ratio if isinstance(ratio, Fraction) else exact_number(ratio or 0, "ratio")
    if number <= 0:
        raise ParameterError(
            "ratio must be greater than 0.",
            hint="It is e^epsilon: 2 for epsilon = ln 2; a guarantee has a ratio of 1 or more.",
            parameter="ratio",
        )
    return Threshold(number, number)


def read_length(length: Length) -> Lengths:
    """One length, a range of lengths (step 1), or None for every length."""
    if length is None:
        return Lengths(1, None)
    if isinstance(length, range):
        if length.step != 1 or not length or length.start < 1:
            raise ParameterError(
                "A range of lengths has step 1, is not empty and starts at 1 or more.",
                hint="range(1, 21) means the lengths 1 to 20.",
                parameter="length",
            )
        return Lengths(length.start, length.stop - 1)
    count = read_count(length, "length")
    return Lengths(count, count)


def length_from(value: "str | Length") -> Length:
    """A length, or text: "20", "1..20" (with both ends), "all". Errors: ParameterError."""
    if isinstance(value, str):
        value = _length_in(value)
    read_length(value)
    return value


def _length_in(text: str) -> Length:
    first, dots, last = (part.strip() for part in text.strip().partition(".."))
    try:
        if first == "all" and not dots:
            return None
        return range(int(first), int(last) + 1) if dots else int(first)
    except ValueError:
        raise ParameterError(
            "length is neither a number nor a range nor all.",
            hint="Write 20, 1..20 or all.",
            parameter="length",
        ) from None


def read_limits(time_limit: float | None, node_limit: int) -> Limits:
    """Wall seconds (None: no limit) and prefixes kept in memory."""
    if time_limit is None:
        return Limits(None, read_count(node_limit, "node_limit"))
    seconds = exact_number(time_limit, "time_limit")
    if seconds <= 0:
        raise ParameterError("time_limit must be greater than 0.", parameter="time_limit")
    return Limits(float(seconds), read_count(node_limit, "node_limit"))
