"""A lower bound of the epsilon of any callable, from samples of it: claims about code refuted.

Contract. The mechanism is run the same number of times on each of two inputs, in pairs whose order
is drawn: a callable that alternates or drifts cannot tell the inputs apart by counting its calls.
The first half of the runs proposes and chooses an event and a direction, and is then put away; the
other half gives Clopper-Pearson bounds [clopper-pearson-1934] of the event's two probabilities,
each wrong with at most half of 1 - confidence. So with probability `confidence` at least, whatever
the choice was,

    epsilon_low <= ln((P(event | one) - delta) / P(event | other)) <= true epsilon,

if the runs are independent and follow one law [ding-wang-wang-zhang-kifer-2018]. The bounds are
rounded outward, and their tails re-checked in ball arithmetic. An audit proves nothing private: a
bound of 0 says that these events and this many samples show nothing. Errors of the mechanism come
out as they are; those of events, of == and of repr are named by the call and shown without outputs.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.errors import ParameterError, ParameterTypeError, PrivetError
from privet.exact import exact_number, float_down, log_down, read_count, read_delta
from privet.exact.enclosure import ball
from privet.exact.number import Number
from privet.randomness import current_source, uniform_below

Predicate = Callable[[Any], bool]
Events = Mapping[str, Predicate] | Iterable[Iterable[Hashable]] | None
Runs = tuple[Hashable, Hashable]
"""An output on the first input, and one on the second."""

Tally = Counter[Hashable]
FloatArray = npt.NDArray[np.float64]

_LEAST_SAMPLES = 8
_STEP = Fraction(1, 10**12)
_BITS = 256
_MOST_SETS = 64
_NOT_A_NUMBER = "nan"
"""Stands for NaN among the outputs, which is equal to nothing, itself included."""


@dataclass(frozen=True)
class Counts:
    """How often the event was seen in the half that judges: `hits` of `runs`."""

    hits: int
    runs: int


@dataclass(frozen=True)
class Audit:
    """What the samples show.

    `epsilon_low`: with probability `confidence`, epsilon at this `delta` is no smaller; `event`: a
    description of the set of outputs; `swapped`: whether it is likelier on the second input;
    `over`, `under`: how often it was seen on the input that makes it likelier, and on the other.
    """

    epsilon_low: float
    event: str
    swapped: bool
    over: Counts
    under: Counts
    confidence: Fraction
    delta: Fraction

    def __str__(self) -> str:
        """What was seen, in a sentence: counts and the event's description, which names outputs."""
        likelier, other = ("second", "first") if self.swapped else ("first", "second")
        return (
            f"With confidence {float(self.confidence):.6g}, epsilon is at least "
            f"{self.epsilon_low:.4g} at delta {float(self.delta):.4g}: {self.event} came in "
            f"{self.over.hits:,} of {self.over.runs:,} runs on the {likelier} input, and in "
            f"{self.under.hits:,} of {self.under.runs:,} on the {other}."
        )

    def refutes(self, epsilon: Number) -> bool:
        """Whether (epsilon, delta) is refuted at this confidence; False proves nothing."""
        claimed = exact_number(epsilon, "epsilon")
        return Fraction(self.epsilon_low) > claimed


@dataclass(frozen=True)
class _Event:
    """`call`: what asking it calls, for errors."""

    description: str
    holds: Predicate
    call: str = "Comparing outputs"


@dataclass(frozen=True)
class _HalfLine:
    end: Any
    is_upper: bool

    def __call__(self, output: Any) -> bool:
        # A NaN, or anything else that is no number, lies on no half-line.
        if isinstance(output, str) or not hasattr(output, "__le__"):
            return False
        return bool(output >= self.end if self.is_upper else output <= self.end)


def audit(
    mechanism: Callable[[Any], Any],
    first: Any,
    second: Any,
    *,
    samples: int,
    confidence: Number = "0.95",
    delta: Number = 0,
    events: Events = None,
) -> Audit:
    """A lower bound of what `mechanism` lets `first` and `second` be told apart by.

    `mechanism(input)` is called `samples` times on each; outputs must be hashable (lists and arrays
    count as tuples). `events`: {name: predicate} or sets of outputs to choose among; None for sets
    of the likeliest outputs by ratio, and half-lines if outputs are numbers. An output that is
    expected a few times only never shows anything: name events for outputs that do not recur.
    Errors: ParameterError, ParameterTypeError; what `mechanism` itself raises.
    """
    count = read_count(samples, "samples", minimum=_LEAST_SAMPLES)
    level, allowed = _read_confidence(confidence), read_delta(delta)
    runs = _runs(mechanism, first, second, count)
    choosing, judging = _halves(runs)
    error = (1 - level) / 2
    candidates = _read_events(events)
    if not candidates:
        # What orders the outputs must not choose among the orders: the rarest would always win.
        proposing, choosing = _halves(choosing)
        candidates = _candidates(proposing)
    event, swapped = _choose(candidates, choosing, len(judging), error, allowed)
    one, other = _hits(event, _tallies(judging))
    over, under = (other, one) if swapped else (one, other)
    low = _epsilon_low(over, under, len(judging), error, allowed)
    return Audit(
        low,
        event.description,
        swapped,
        Counts(over, len(judging)),
        Counts(under, len(judging)),
        level,
        allowed,
    )


def _runs(mechanism: Callable[[Any], Any], first: Any, second: Any, count: int) -> list[Runs]:
    """Pairs of outputs. Either input comes first in a pair with chance 1/2, anew in each pair."""
    runs: list[Runs] = []
    for turned in uniform_below(current_source(), 2, count).tolist():
        if turned:
            other = _output(mechanism(second))
            runs.append((_output(mechanism(first)), other))
        else:
            runs.append((_output(mechanism(first)), _output(mechanism(second))))
    return runs


@contextmanager
def _named(call: str, parameter: str = "mechanism") -> Iterator[None]:
    """Whatever code that is not ours raises is told by its kind: its text may hold an output."""
    try:
        yield
    except PrivetError:
        raise
    except Exception as error:
        raise ParameterError(
            f"{call} raised {type(error).__name__}.",
            hint="Every output needs hash, == and repr, and an event answers for every output.",
            parameter=parameter,
        ) from None


def probability_low(hits: int, runs: int, error: Fraction) -> Fraction:
    """A bound below the true probability, but for the chance `error`: P(>= hits) <= error there."""
    if hits == 0:
        return Fraction(0)
    bound, step = Fraction(float(_low(np.array(hits), runs, float(error)))), _STEP
    while not _tail_is_below(bound, hits, runs - hits + 1, error):
        bound, step = max(Fraction(0), bound * (1 - step)), step * 4
    return bound


def probability_high(hits: int, runs: int, error: Fraction) -> Fraction:
    """A bound above the true probability, but for the chance `error`: P(<= hits) <= error there."""
    if hits == runs:
        return Fraction(1)
    bound, step = Fraction(float(_high(np.array(hits), runs, float(error)))), _STEP
    while not _tail_is_below(1 - bound, runs - hits, hits + 1, error):
        bound, step = min(Fraction(1), bound * (1 + step)), step * 4
    return bound


def _epsilon_low(over: int, under: int, runs: int, error: Fraction, delta: Fraction) -> float:
    gain = probability_low(over, runs, error) - delta
    high = probability_high(under, runs, error)
    if gain <= high:
        return 0.0
    return float_down(log_down(gain / high))


def _tail_is_below(chance: Fraction, a: int, b: int, error: Fraction) -> bool:
    """Whether the incomplete beta I_chance(a, b) is surely at most `error`.

    It is P(at least a of a + b - 1 runs hit), each with `chance`.
    """
    if chance <= 0:
        return True
    with ctx.workprec(_BITS):
        tail = ball(chance).beta_lower(arb(a), arb(b), regularized=True)
        return bool(tail <= ball(error))


def _low(hits: npt.NDArray[np.int64], runs: int, error: float) -> FloatArray:
    """Clopper-Pearson from below in doubles, for many counts."""
    from scipy.special import betaincinv

    found = betaincinv(np.maximum(hits, 1), runs - hits + 1, error)
    return np.where(hits == 0, 0.0, found)


def _high(hits: npt.NDArray[np.int64], runs: int, error: float) -> FloatArray:
    """Clopper-Pearson from above in doubles, for many counts."""
    from scipy.special import betainccinv

    found = betainccinv(hits + 1, np.maximum(runs - hits, 1), error)
    return np.where(hits == runs, 1.0, found)


def _halves(runs: list[Runs]) -> tuple[list[Runs], list[Runs]]:
    """The runs that choose the event, and the runs that judge it."""
    return runs[: len(runs) // 2], runs[len(runs) // 2 :]


def _choose(
    candidates: Sequence[_Event],
    choosing: list[Runs],
    runs: int,
    error: Fraction,
    delta: Fraction,
) -> tuple[_Event, bool]:
    """The event and direction that promise the largest bound."""
    tallies = _tallies(choosing)
    seen = np.array([_hits(event, tallies) for event in candidates], np.int64)
    # As if the other half had the same shares; these floats choose and do not judge.
    expected = np.floor(seen * (runs / len(choosing))).astype(np.int64)
    low = _low(expected, runs, float(error))
    high = _high(expected, runs, float(error))
    gains = np.maximum(low - float(delta), 0) / high[:, ::-1]
    best = int(np.argmax(gains))
    return candidates[best // 2], bool(best % 2)


def _tallies(runs: list[Runs]) -> tuple[Tally, Tally]:
    with _named("Comparing outputs"):
        return Counter(one for one, _ in runs), Counter(other for _, other in runs)


def _hits(event: _Event, tallies: tuple[Tally, Tally]) -> tuple[int, int]:
    with _named(event.call, "events"):
        one, other = (
            sum(times for output, times in tally.items() if event.holds(output))
            for tally in tallies
        )
    return one, other


def _candidates(runs: list[Runs]) -> list[_Event]:
    """Outputs seen twice in the order of their ratio, one more at a time; half-lines of numbers."""
    one, other = _tallies(runs)
    with _named("Comparing outputs"):
        ordered = sorted({**one, **other}, key=lambda x: (one[x] + 0.5) / (other[x] + 0.5))
        again = [x for x in ordered if one[x] + other[x] > 1] or ordered[:1]
        sizes = _sizes(len(again))
        found = [_set_event(outputs[:size]) for outputs in (again, again[::-1]) for size in sizes]
        return found + _half_lines(ordered)


def _sizes(count: int) -> list[int]:
    """Every size of a set while there are few outputs, then some 64 of them."""
    if count <= _MOST_SETS:
        return list(range(1, count + 1))
    return sorted({1 + (count - 1) * i // _MOST_SETS for i in range(_MOST_SETS + 1)})


def _half_lines(outputs: Sequence[Hashable]) -> list[_Event]:
    numbers: list[Any] = [x for x in outputs if isinstance(x, int | float | Fraction | np.number)]
    if len(numbers) < len(outputs):
        return []
    ordered = sorted(numbers)
    ends = [ordered[size - 1] for size in _sizes(len(ordered))]
    return [
        _Event(f"at {'least' if is_upper else 'most'} {end}", _HalfLine(end, is_upper))
        for end in ends
        for is_upper in (False, True)
    ]


def _set_event(outputs: Iterable[Hashable]) -> _Event:
    with _named("Comparing outputs"):
        members = frozenset(outputs)
    with _named("repr() of an output"):
        shown = ", ".join(sorted(map(repr, members))[:5])
    more = f" and {len(members) - 5} more" if len(members) > 5 else ""
    return _Event(f"one of {shown}{more}", members.__contains__)


def _read_events(events: Events) -> list[_Event]:
    if events is None:
        return []
    if isinstance(events, Mapping):
        found = [
            _Event(str(name), holds, f"The event {str(name)!r}") for name, holds in events.items()
        ]
    else:
        found = [_set_event(_output(x) for x in outputs) for outputs in events]
    if not found:
        raise ParameterError(
            "events is empty: there is nothing to look at.",
            hint="Leave it out, or name at least one event.",
            parameter="events",
        )
    if any(not callable(event.holds) for event in found):
        raise ParameterTypeError("An event is not a function of the output.", parameter="events")
    return found


def _read_confidence(value: Number) -> Fraction:
    level = exact_number(value, "confidence")
    if not 0 < level < 1:
        raise ParameterError(
            "confidence must lie strictly between 0 and 1.",
            hint="'0.95', say.",
            parameter="confidence",
        )
    return level


def _output(value: Any) -> Hashable:
    """The output as something to be counted; every NaN is the same output."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(_output(x) for x in value)
    try:
        hash(value)
    except Exception:
        raise ParameterTypeError(
            f"The mechanism gave a {type(value).__name__}, which cannot be counted.",
            hint="Let it give a number, a text or a tuple.",
            parameter="mechanism",
        ) from None
    is_nan = isinstance(value, float | np.floating) and math.isnan(value)
    return _NOT_A_NUMBER if is_nan else value
