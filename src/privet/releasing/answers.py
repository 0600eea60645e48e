"""What a receipt says of the answer to a query about series: the noise, and what each step lost.

Contract. Everything here is public: it follows from the chains, the query, the numbers of steps and
the epsilon, never from the states. Record losses are exact and kept for each length of a series, so
that an accountant can add them to those of other releases of the same people, person by person. A
mechanism without record loss (Wasserstein) has None there, and its receipt does not add up.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError
from privet.exact import exact_number, float_up
from privet.mechanisms import SeriesMechanism, Wasserstein
from privet.privacy import RecordLoss
from privet.privacy.loss import loss_units
from privet.queries import Nodes, Own, Query, read_query
from privet.releasing.receipt import Part

if TYPE_CHECKING:
    from privet.releasing.receipt import Receipt

PUBLIC_CHAINS = "the chains were public: known before the data were seen"
FITTED_CHAINS = (
    "the chains were public before, though they were fitted to the very series that are protected: "
    "what they tell of these is not covered by the promise"
)
CONSECUTIVE = "the entries of a series are its consecutive steps, none missing"

_SAME = 1e-6
"""Relative; other versions and machines may round bounds otherwise, and sharpen them a little."""

_LONG, _MANY_STATES, _MANY_LENGTHS = 1000, 8, 4
"""Up to so many steps, states and lengths the noise is found again when a receipt is read."""


@dataclass(frozen=True, kw_only=True)
class Answer(Part):
    """One query, answered by one mechanism about one or several series.

    `column`: of the states, or None; `symbols`: how many numbers were released; `expected_errors`:
    None, nothing is counted in symbols; `record_loss`: the largest of any step. `query`: its
    `to_json`; `nodes`: the steps read, None for all; `lengths`: {steps: how many series};
    `scale`: of the discrete Laplace noise, in units of `grid`; `divisor`: what noisy numbers are
    divided by; `expected_error`: expected absolute error of each published number; each of them
    lies within `half_width` of the truth with probability `confidence`; `losses`: {steps: record
    loss of a series}, None for a mechanism that has none.
    """

    query: dict[str, Any]
    nodes: Nodes
    lengths: dict[int, int]
    scale: Fraction
    grid: Fraction
    divisor: int
    expected_error: float
    confidence: Fraction
    half_width: float
    losses: dict[int, RecordLoss] | None

    @property
    def categories(self) -> int:
        """How many numbers were released: a query has no symbols of its own."""
        return self.symbols

    @property
    def noise_scale(self) -> Fraction:
        """The scale of the noise of each published number."""
        return self.scale * self.grid / self.divisor

    def loss_of(self, length: int) -> RecordLoss:
        """The record loss of a series of that many steps. Errors: ParameterError if there is none.

        A person whose series has another length was not part of the release.
        """
        if self.losses is None:
            raise ParameterError(
                "The release has no record loss, so it does not add up with others.",
                hint="Use MarkovLaplace where releases are to be added up.",
            )
        if length not in self.losses:
            raise ParameterError(
                f"No series of {length} steps was part of the release.", parameter="length"
            )
        return self.losses[length]

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up for the reader, then the same numbers exactly, as text."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta, "spent": self.spent}
        if self.record_loss is not None:
            numbers[self.loss_name] = self.record_loss
        losses = self.losses
        return {
            "column": self.column,
            "per": self.per,
            "query": self.query,
            "nodes": None if self.nodes is None else list(self.nodes),
            "numbers": self.symbols,
            "series_by_steps": {str(steps): n for steps, n in sorted(self.lengths.items())},
            **{name: float_up(number) for name, number in numbers.items()},
            "noise": {
                "law": "discrete Laplace",
                "scale": float_up(self.noise_scale),
                "expected_error": self.expected_error,
                "confidence": float(self.confidence),
                "half_width": self.half_width,
            },
            "record_losses_by_steps": (
                None
                if losses is None
                else {str(steps): loss.to_json() for steps, loss in sorted(losses.items())}
            ),
            "exact": {
                **{name: str(number) for name, number in numbers.items()},
                "scale_in_grid_units": str(self.scale),
                "grid": str(self.grid),
                "divided_by": str(self.divisor),
                "confidence": str(self.confidence),
            },
            "other": self.other,
            "missing": self.missing,
            "mechanism": self.mechanism,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Answer":
        """The inverse of `to_json`."""
        exact, losses, nodes = data["exact"], data["record_losses_by_steps"], data["nodes"]
        return cls(
            column=data["column"],
            mechanism=dict(data["mechanism"]),
            symbols=int(data["numbers"]),
            expected_errors=None,
            spent=exact_number(exact["spent"], "spent"),
            record_loss=(
                None
                if losses is None
                else exact_number(exact["record_loss_per_step"], "record loss")
            ),
            per="step",
            other=data["other"],
            missing=data["missing"],
            query=dict(data["query"]),
            nodes=None if nodes is None else (int(nodes[0]), int(nodes[1])),
            lengths={int(steps): int(n) for steps, n in data["series_by_steps"].items()},
            scale=exact_number(exact["scale_in_grid_units"], "scale"),
            grid=exact_number(exact["grid"], "grid"),
            divisor=int(exact["divided_by"]),
            expected_error=float(data["noise"]["expected_error"]),
            confidence=exact_number(exact["confidence"], "confidence"),
            half_width=float(data["noise"]["half_width"]),
            losses=(
                None
                if losses is None
                else {int(steps): RecordLoss.from_json(loss) for steps, loss in losses.items()}
            ),
        )


def describe_answer(
    mechanism: SeriesMechanism,
    query: Query,
    lengths: Mapping[int, int],
    *,
    nodes: Nodes,
    confidence: Fraction,
    column: str | None = None,
) -> Answer:
    """What the mechanism will do to series of those lengths ({steps: how many}).

    Errors: ParameterError and ModelError where the mechanism has no scale for them.
    """
    alphabet = mechanism.alphabet
    distinct = sorted(lengths)
    losses: dict[int, RecordLoss] | None = None
    if not isinstance(mechanism, Wasserstein):
        losses = {
            length: mechanism.record_loss(length, query, nodes, among=distinct)
            for length in distinct
        }
    _, half_width = mechanism.interval(query, 0, lengths, confidence, nodes)
    read = sum(_read(length, nodes) * count for length, count in lengths.items())
    answer = Answer(
        column=column,
        mechanism=mechanism.to_json(),
        symbols=query.size(alphabet),
        expected_errors=None,
        spent=mechanism.spent(distinct, query, nodes),
        record_loss=None if losses is None else max(loss.maximum for loss in losses.values()),
        per="step",
        query=query.to_json(),
        nodes=nodes,
        lengths=dict(lengths),
        scale=mechanism.grid_scale(query, distinct, nodes),
        grid=query.grid(alphabet),
        divisor=query.divisor(read),
        expected_error=mechanism.expected_error(query, lengths, nodes),
        confidence=confidence,
        half_width=float(half_width),
        losses=losses,
    )
    if not all(map(math.isfinite, (answer.half_width, answer.expected_error))):
        raise ParameterError(
            "The noise is larger than a double can hold.",
            hint="Give the query smaller levels, or ask for a larger epsilon.",
            parameter="query",
        )
    return answer


def _read(length: int, nodes: Nodes) -> int:
    return length if nodes is None else nodes[1] - nodes[0]


def check_answer(receipt: "Receipt", agree: Any) -> None:
    """Refuse the receipt of a query that contradicts itself: `agree(holds, otherwise)`."""
    answer = receipt.parts[0]
    if not isinstance(answer, Answer):
        agree(False, "its part is not that of a query")
        return
    lengths, sizes = answer.lengths, receipt.shape
    agree(
        bool(lengths)
        and all(steps > 0 and n > 0 for steps, n in lengths.items())
        and sizes["series"] == sum(lengths.values())
        and sizes["steps"] == sum(steps * n for steps, n in lengths.items())
        and (sizes["shortest"], sizes["longest"]) == (min(lengths), max(lengths)),
        "its shape and its part have other series",
    )
    agree(
        receipt.guarantee.epsilon == answer.epsilon and receipt.guarantee.delta == 0,
        "the epsilon promised is not that of its mechanism",
    )
    agree(receipt.spent == answer.spent, "the spent epsilon is given twice and differs")
    agree(answer.spent <= answer.epsilon, "it spends more than the epsilon of its mechanism")
    mechanism = receipt.mechanism()
    agree(
        isinstance(mechanism, SeriesMechanism)
        and isinstance(mechanism, Wasserstein) == (answer.losses is None),
        "its mechanism is none that answers queries, or its record losses are not the mechanism's",
    )
    if isinstance(mechanism, SeriesMechanism):
        _check_guarantee(receipt, answer, mechanism, agree)
        _check_losses(answer, mechanism, agree)


def _query_of(answer: Answer) -> Query | None:
    """The query described; of a function of the user's own all but the function.

    None for one whose constant is a function too.
    """
    if answer.query.get("query") != "own":
        return read_query(answer.query)
    given = {name: value for name, value in answer.query.items() if name != "query"}
    return None if given["constant"] is None else Own(lambda _: 0, **given)


def _check_guarantee(
    receipt: "Receipt", answer: Answer, mechanism: SeriesMechanism, agree: Any
) -> None:
    """The promise has the unit and all assumptions of the mechanism and query; more may be there.

    Assumptions were added for what was read, and a promise that assumes more says less.
    """
    query = _query_of(answer)
    if query is None:
        query = Own(lambda _: 0, constant=lambda _: 1, name=answer.query["name"])
    own, said = mechanism.guarantee_of(query), receipt.guarantee
    agree(said.unit == own.unit, "its guarantee protects something else than its mechanism does")
    stated = set(said.assumptions)
    agree(
        {*own.assumptions, CONSECUTIVE} <= stated and bool({PUBLIC_CHAINS, FITTED_CHAINS} & stated),
        "its guarantee leaves out an assumption of its mechanism or query",
    )


def _check_losses(answer: Answer, mechanism: SeriesMechanism, agree: Any) -> None:
    losses = answer.losses
    if losses is not None:
        largest = max((loss.maximum for loss in losses.values()), default=None)
        agree(
            set(losses) == set(answer.lengths)
            and all(loss.length == steps for steps, loss in losses.items())
            and largest == answer.record_loss,
            "its record losses are not those of its series",
        )
    query = _query_of(answer)
    if query is None:
        return  # Its constants are not written down, so nothing can be computed again.
    read = sum(_read(steps, answer.nodes) * n for steps, n in answer.lengths.items())
    agree(
        (answer.grid, answer.divisor, answer.symbols)
        == (
            query.grid(mechanism.alphabet),
            query.divisor(read),
            query.size(mechanism.alphabet),
        ),
        "the query does not have the grid, the divisor or the numbers written beside it",
    )
    for steps, loss in (losses or {}).items():
        constants = query.constants(mechanism.alphabet, steps, answer.nodes)
        again = RecordLoss(
            (stop, loss_units(constant / answer.scale) if constant else 0)
            for _, stop, constant in constants
        )
        agree(loss == again, "its record losses do not follow from its noise")
    if _is_quick(answer, mechanism):
        _check_noise(answer, mechanism, query, agree)


def _is_quick(answer: Answer, mechanism: SeriesMechanism) -> bool:
    """Whether the noise is found again in a moment."""
    return (
        max(answer.lengths) <= _LONG
        and len(answer.lengths) <= _MANY_LENGTHS
        and len(mechanism.alphabet) <= _MANY_STATES
    )


def _check_noise(answer: Answer, mechanism: SeriesMechanism, query: Query, agree: Any) -> None:
    fresh = describe_answer(
        mechanism,
        query,
        answer.lengths,
        nodes=answer.nodes,
        confidence=answer.confidence,
    )
    agree(
        all(
            math.isclose(float(one), float(two), rel_tol=_SAME)
            for one, two in (
                (answer.scale, fresh.scale),
                (answer.spent, fresh.spent),
                (answer.expected_error, fresh.expected_error),
                (answer.half_width, fresh.half_width),
            )
        ),
        "the mechanism does not have the noise, or spend the epsilon, written beside it",
    )
