"""What the mechanisms that answer a query about a series share: from the query to its noisy answer.

Contract. `release(query, word)` computes the query's whole numbers (`privet.queries`), adds
independent discrete Laplace noise of one rational scale to each, and publishes a function of the
noisy numbers. The scale is a function of public things alone (framework, epsilon, query, word
lengths, nodes) and is rounded up. Of several words each is one person's series, independent of the
others; the scale is then the largest that any of their lengths asks for. A query that no node can
move gets no noise: its answer is known beforehand. The mechanism holds for the framework's chains:
words that none of them can produce are refused, by position.
"""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError, ParameterTypeError
from privet.exact import (
    exact_number,
    exp_down,
    float_up,
    log_up,
    read_count,
    read_epsilon,
    up,
)
from privet.exact.number import Number
from privet.mechanisms.base import Mechanism
from privet.mechanisms.series_sums import Question, Sums, answered
from privet.privacy import Guarantee, MarkovFramework, RecordLoss
from privet.privacy.loss import LOSS_BITS, loss_units
from privet.queries import Nodes, Pieces, Query, read_nodes, read_query
from privet.queries.base import Published, nearest
from privet.randomness.noise import LARGEST_SCALE
from privet.symbols import Alphabet, Words, read_words

AnyQuery = Query | str | dict[str, Any]
Lengths = int | Sequence[int] | npt.NDArray[np.integer[Any]] | Mapping[int, int]
"""The number of nodes of one word, or of each of several that are released together.

Of many, {number of nodes: how many words} says the same in less room.
"""

SeriesFramework = MarkovFramework
"""What says how the steps of a series depend on each other."""

SCALE_BITS = 64
"""A scale is rounded up to this many significant bits, or to a whole number beyond them."""

Choice = TypeVar("Choice", bound=str)


class SeriesMechanism(Mechanism):
    """A mechanism that answers queries about series whose steps depend on each other.

    `framework`: the chains the series may follow; `epsilon`: what the answer may cost.
    """

    framework: MarkovFramework

    def __init__(self, framework: MarkovFramework, *, epsilon: Number) -> None:
        if not isinstance(framework, MarkovFramework):
            raise ParameterTypeError(
                f"A {type(framework).__name__} is not a MarkovFramework.",
                hint="Write MarkovFramework(chain).",
                parameter="framework",
            )
        self.framework = framework
        self.epsilon = read_epsilon(epsilon)
        self._known: dict[Hashable, Fraction] = {}

    @property
    def alphabet(self) -> Alphabet:
        """The states, in the order of every histogram and table."""
        return self.framework.alphabet

    # What a subclass states.

    @abstractmethod
    def _scale_in_grid(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        """The scale that one word of `length` needs, in units of the query's grid, rounded up.

        Not called for a query that no node can move.
        """

    # What follows from it.

    @property
    def guarantee(self) -> Guarantee:
        """What an answer promises, whichever query it answers (see `guarantee_of`)."""
        return Guarantee(
            self.epsilon,
            Fraction(0),
            "Any one step of a series, that is its state at any one time",
            (
                *self.framework.assumptions(),
                "the series of different people do not depend on each other",
            ),
            ("how many steps each series has",),
        )

    def guarantee_of(self, query: AnyQuery) -> Guarantee:
        """The guarantee, with what the query assumes besides (a constant that was only stated)."""
        return self.guarantee.with_assumptions(*read_query(query).assumptions())

    def release(self, query: AnyQuery, word: Any, nodes: Nodes = None) -> Any:
        """The query's answer about one word (list, array, Codes) or many (Words), with noise.

        `query`: one of `privet.queries`, or its name; `nodes`: (start, stop), the nodes read of
        each word, None for all. Gives what the query's `finish` says: a number, or an array of its
        shape. Errors: DomainError by position; DataError for an empty word; ParameterError for
        nodes out of range, a scale above 2^40 grid units, or a stated constant that a search
        refutes; what the framework's `check_words` raises for words that it rules out.
        """
        return answered(self, self._ask(query, word, nodes))

    def check(self, query: AnyQuery, word: Any, nodes: Nodes = None) -> None:
        """Refuse what `release` would refuse, without drawing any noise. Errors: as `release`."""
        self._ask(query, word, nodes)

    def noise_scale(self, query: AnyQuery, length: Lengths, nodes: Nodes = None) -> Fraction:
        """The scale of the noise in units of the statistic, before it is divided by the nodes read.

        `length`: of one word, or the lengths of several released together.
        """
        asked = read_query(query)
        return self.grid_scale(asked, length, nodes) * asked.grid(self.alphabet)

    def grid_scale(self, query: AnyQuery, length: Lengths, nodes: Nodes = None) -> Fraction:
        """The scale of the noise on the query's whole numbers; 0 if no node can move them.

        Errors: ParameterError if it is above 2^40.
        """
        asked = read_query(query)
        deciding = self._deciding(asked, read_lengths(length), nodes)
        scale = max(self._scale_of(asked, each, nodes) for each in deciding)
        if scale > LARGEST_SCALE:
            raise ParameterError(
                "The noise needs a scale above 2^40 units of the query's grid.",
                hint="Ask for a larger epsilon, or give the query a coarser grid.",
                parameter="epsilon",
            )
        return scale

    def record_loss(
        self,
        length: int,
        query: AnyQuery = "count",
        nodes: Nodes = None,
        *,
        among: Lengths | None = None,
    ) -> RecordLoss:
        """What the answer tells about each node of a word of `length`: its constant over the scale.

        `among`: the lengths of all words released together, if not this one alone: they share the
        noise of the word that needs most. Each word has its own record loss.
        """
        asked = read_query(query)
        scale = self.grid_scale(asked, length if among is None else among, nodes)
        return RecordLoss(
            (stop, loss_units(constant / scale) if constant else 0)
            for _, stop, constant in asked.constants(self.alphabet, length, nodes)
        )

    def spent(
        self, length: Lengths = 1, query: AnyQuery = "count", nodes: Nodes = None
    ) -> Fraction:
        """An upper bound of the epsilon really spent, never above `epsilon`.

        What the framework says of the record loss, for the word that costs most.
        """
        lengths = read_lengths(length)
        deciding = self._deciding(read_query(query), lengths, nodes)
        losses = (self.record_loss(each, query, nodes, among=deciding) for each in deciding)
        return min(self.epsilon, max(self.framework.epsilon(loss) for loss in losses))

    def expected_error(self, query: AnyQuery, length: Lengths, nodes: Nodes = None) -> float:
        """The expected absolute error of each published number, which is that of the noise.

        E|X| = 2 q / (1 - q^2) grid units for the scale b, q = e^(-1/b), divided as the statistic
        is. A statistic that does not lie on its grid was moved before, by at most half of it.
        """
        asked = read_query(query)
        mean = mean_magnitude(self.grid_scale(asked, length, nodes))
        return mean * float(asked.grid(self.alphabet) / self._divisor(asked, length, nodes))

    def interval(
        self,
        query: AnyQuery,
        released: Published,
        length: Lengths,
        confidence: Number = Fraction(95, 100),
        nodes: Nodes = None,
    ) -> tuple[Any, Any]:
        """(low, high) that hold each true number with at least that probability.

        Floats, or float64 arrays shaped as `released`. Exact for the discrete Laplace law: the
        noise is at most h grid units, h the smallest whole number that P(|X| > h) allows, and
        putting the statistic on its grid is allowed for. The ends are computed exactly and rounded
        once, as the true number would be, which so lies between them as a double too. For each
        number by itself; the interval is not cut to what counts or shares can be.
        """
        asked = read_query(query)
        units = self._half_width(asked, length, nodes, confidence)
        grid, divisor = asked.grid(self.alphabet), self._divisor(asked, length, nodes)
        half = (units * grid + asked.rounding(self.alphabet)) / divisor
        origin, step = asked.origin(self.alphabet), grid / divisor
        middle = np.asarray(released)
        ends = [_ends(value, half, origin, step) for value in middle.ravel().tolist()]
        low, high = (
            np.array(side, np.float64).reshape(middle.shape) for side in zip(*ends, strict=True)
        )
        return (float(low), float(high)) if middle.ndim == 0 else (low, high)

    def parameters(self) -> dict[str, Any]:
        """{"epsilon": exact text}."""
        return {"epsilon": str(self.epsilon)}

    def to_json(self) -> dict[str, Any]:
        """{"mechanism": name, "framework": {...}, parameters...}."""
        return {
            "mechanism": self.name,
            "framework": self.framework.to_json(),
            **self.parameters(),
        }

    def _identity(self) -> Hashable:
        # Not by to_json, which symbols without a JSON form do not have.
        return self.framework, repr(self.parameters())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({self.framework!r}, {shown})"

    def _ask(self, query: AnyQuery, word: Any, nodes: Nodes) -> Question:
        encoded = read_words(self.alphabet, word)
        sums = Sums(self, query, nodes)
        sums.add(Words(self.alphabet, encoded.codes, encoded.offsets))
        return sums.question()

    def _deciding(self, query: Query, lengths: Iterable[int], nodes: Nodes) -> tuple[int, ...]:
        """The lengths that need a bound of their own, the longest first.

        The first T steps of a longer series have the law of a series of T steps, whichever start is
        assumed. A release that reads these alone, with no larger constants, is a release about the
        longer series whose loss is nowhere above that of the longer one: what was found for the
        longer one holds for it.
        """
        longest, *others = sorted(set(lengths), reverse=True)
        whole = query.constants(self.alphabet, longest, nodes)
        return (
            longest,
            *(
                each
                for each in others
                if not _is_below(query.constants(self.alphabet, each, nodes), whole)
            ),
        )

    def _scale_of(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        constants = query.constants(self.alphabet, length, nodes)
        if not any(constant for _, _, constant in constants):
            return Fraction(0)
        return self._scale_in_grid(query, length, nodes)

    def _divisor(self, query: Query, length: Lengths, nodes: Nodes) -> int:
        read = 0
        for each, count in read_lengths(length).items():
            start, stop = read_nodes(nodes, each)
            read += (stop - start) * count
        return query.divisor(read)

    def _half_width(self, query: Query, length: Lengths, nodes: Nodes, confidence: Number) -> int:
        level = exact_number(confidence, "confidence")
        if not 0 < level < 1:
            raise ParameterError(
                "confidence must lie between 0 and 1.", hint="0.95, say.", parameter="confidence"
            )
        return largest_noise(self.grid_scale(query, length, nodes), 1 - level)


def _ends(value: float, half: Fraction, origin: Fraction, step: Fraction) -> tuple[float, float]:
    """The ends around the point of the grid that was published as `value`, or around `value`."""
    if isinstance(value, float) and not math.isfinite(value):
        return value, value
    given = Fraction(value)
    point = origin + round((given - origin) / step) * step
    middle = point if nearest(point) == value else given
    return nearest(middle - half), nearest(middle + half)


def read_lengths(length: Lengths) -> dict[int, int]:
    """{length: how many words}: at least one word, of at least one node each."""
    if isinstance(length, int | np.integer):
        return {read_count(length, "length"): 1}
    if isinstance(length, str | bytes) or not isinstance(length, Sequence | Mapping | np.ndarray):
        raise ParameterTypeError(
            f"length is a {type(length).__name__}, not a whole number or a list of them.",
            parameter="length",
        )
    if len(length) == 0:
        raise ParameterError("There is no word: length is an empty list.", parameter="length")
    if isinstance(length, Mapping):
        return {
            read_count(each, "length"): read_count(count, "length")
            for each, count in length.items()
        }
    return dict(Counter(read_count(each, "length") for each in np.asarray(length).tolist()))


def read_choice(value: str, name: str, choices: tuple[Choice, ...]) -> Choice:
    """The one of `choices` that `value` is. Errors: ParameterError."""
    for choice in choices:
        if value == choice:
            return choice
    listed = ", ".join(repr(choice) for choice in choices)
    raise ParameterError(f"{name} is none of {listed}.", parameter=name)


def round_up(scale: Fraction) -> Fraction:
    """The scale with 64 significant bits, or whole beyond them, not below."""
    size = scale.numerator.bit_length() - scale.denominator.bit_length()
    return up(scale, max(0, SCALE_BITS - size))


def round_for_losses(scale: Fraction, constants: Pieces) -> Fraction:
    """The scale, rounded up so that each constant over it is a whole number of loss units.

    A release then records exactly what its scale was computed for, and fits a budget of exactly
    its epsilon. Where that would raise the scale by more than 2^-34 of it, as `round_up`.
    """
    common = lcm(*(constant.denominator for _, _, constant in constants))
    units = int((1 << LOSS_BITS) / (scale * common))
    if units < 1 << 34:
        return round_up(scale)
    return Fraction(1 << LOSS_BITS, units * common)


def mean_magnitude(scale: Fraction) -> float:
    """E|X| = 2 q / (1 - q^2) of discrete Laplace noise with q = e^(-1 / scale); 0 for scale 0."""
    if scale == 0:
        return 0.0
    rate = float_up(1 / scale)
    return 2 * math.exp(-rate) / -math.expm1(-2 * rate)


def largest_noise(scale: Fraction, share: Fraction) -> int:
    """A whole h with P(|X| > h) = 2 q^(h+1) / (1 + q) <= share, the smallest but for rounding up.

    h + 1 >= scale * log(2 / (share (1 + q))).
    """
    if scale == 0:
        return 0
    ratio = exp_down(-1 / scale) if 1 / scale < 1 << 16 else Fraction(0)
    bound = scale * log_up(2 / (share * (1 + ratio)))
    return max(0, -(-bound.numerator // bound.denominator) - 1)


def _is_below(shorter: Pieces, longer: Pieces) -> bool:
    """Whether the constants of a word are at no node above those of a longer one."""
    return all(
        one <= other
        for start, stop, one in shorter
        for begin, end, other in longer
        if begin < stop and start < end
    )
