"""Before asking: how much noise each mechanism would put on a query about series.

Contract. Planning looks at public things only (the chains, the query, how many steps and people,
the epsilon) and draws nothing. Every row has the same guarantee: the state of any one step of a
series, epsilon, for every chain of the framework. A mechanism that cannot run is a row that says
why. The recommendation is the row with the smallest noise among those with a record loss, which can
be added up with other releases.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError, PrivetError
from privet.exact import float_up, read_count, read_epsilon
from privet.exact.number import Number
from privet.mechanisms import MarkovLaplace, MarkovQuilt, SeriesMechanism, Wasserstein
from privet.mechanisms.series import AnyQuery, SeriesFramework
from privet.queries import Nodes, Query, read_nodes, read_query
from privet.releasing.charging import Charge, read_account
from privet.releasing.notes import weak_parameters
from privet.releasing.plan import budget_sentences, capital, factor
from privet.releasing.quoting import Quote, Quotes

if TYPE_CHECKING:
    from privet.ledger import Account

_LITTLE = Fraction(99, 100)
"""Noise from this share of group DP's on is no help."""

_SAME = 1 + 1e-6
"""Scales closer than this, relatively, count as equal: bounds of one thing found in two ways."""

GROUP, APPROXIMATE, QUILT = "group DP", "MQM approximate", "MQM exact"
PROPAGATION, BEST, TRANSPORT = "propagation", "best of both", "Wasserstein"

Make = Callable[[SeriesFramework, Fraction], SeriesMechanism]

_MECHANISMS: dict[str, tuple[str, Make]] = {
    GROUP: ("group", lambda chains, e: MarkovLaplace(chains, epsilon=e, method="group")),
    APPROXIMATE: (
        "approximate",
        lambda chains, e: MarkovQuilt(chains, epsilon=e, method="approximate"),
    ),
    QUILT: ("published", lambda chains, e: MarkovQuilt(chains, epsilon=e, method="exact")),
    PROPAGATION: (
        "propagation",
        lambda chains, e: MarkovLaplace(chains, epsilon=e, method="propagation"),
    ),
    BEST: ("best", lambda chains, e: MarkovLaplace(chains, epsilon=e, method="best")),
    TRANSPORT: ("wasserstein", lambda chains, e: Wasserstein(chains, epsilon=e)),
}
"""By title: the method that chooses it, and how it is made."""

_NO_RECORD_LOSS = "has no record loss: it does not add up with other releases"

METHODS = ("best", "propagation", "quilt", "group", "published", "approximate", "wasserstein")


def series_mechanism(
    framework: SeriesFramework, epsilon: Number, method: str = "best"
) -> SeriesMechanism:
    """The mechanism that a method names: one of `METHODS`. Errors: ParameterError, ModelError."""
    if method == "quilt":
        return MarkovLaplace(framework, epsilon=epsilon, method="quilt")
    for name, make in _MECHANISMS.values():
        if name == method:
            return make(framework, read_epsilon(epsilon))
    raise ParameterError(
        f"There is no method '{method}' for queries.",
        hint=f"Choose {', '.join(METHODS)}.",
        parameter="method",
    )


def helps_little(scale: Fraction, group: Fraction) -> bool:
    """Whether the noise is all but that of group DP."""
    return scale >= _LITTLE * group


def framework_notes(framework: SeriesFramework) -> tuple[str, ...]:
    """What the framework itself has to say before a release: that a box bounds nothing."""
    said: tuple[str, ...] = getattr(framework, "notes", tuple)()
    return said


def group_scale(
    mechanism: SeriesMechanism, query: Query, lengths: Sequence[int], nodes: Nodes
) -> Fraction:
    """The scale of group DP at the same epsilon, in units of the query's grid."""
    group = MarkovLaplace(mechanism.framework, epsilon=mechanism.epsilon, method="group")
    return group.grid_scale(query, lengths, nodes)


@dataclass(frozen=True)
class QueryRow:
    """One mechanism at the guarantee of the plan.

    `method`: what chooses it; `mechanism`: None if it cannot run, `note` then says why; `scale`: of
    the noise of each published number; `expected_error`: the expected absolute error of each;
    `half_width`: of a 95 % interval; `spent`: upper bound of the epsilon really spent; `ledger`:
    what it would cost the account that the plan was made for.
    """

    title: str
    method: str
    mechanism: SeriesMechanism | None
    scale: Fraction | None = None
    expected_error: float | None = None
    half_width: float | None = None
    spent: Fraction | None = None
    note: str = ""
    ledger: Quote | None = None

    @property
    def allowed(self) -> bool:
        """Whether the account, if there is one, has enough left."""
        return self.ledger is None or self.ledger.allowed

    @property
    def composes(self) -> bool:
        """Whether the mechanism runs and its releases add up with others."""
        return self.scale is not None and not isinstance(self.mechanism, Wasserstein)

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up, and the same numbers exactly as text."""
        scale, spent = self.scale, self.spent
        return {
            "title": self.title,
            "method": self.method,
            "scale": None if scale is None else float_up(scale),
            "expected_error": self.expected_error,
            "half_width": self.half_width,
            "spent": None if spent is None else float_up(spent),
            "composes": self.composes,
            "note": self.note,
            "ledger": None if self.ledger is None else self.ledger.to_json(),
            "exact": {
                "scale": None if scale is None else str(scale),
                "spent": None if spent is None else str(spent),
            },
        }


@dataclass(frozen=True)
class QueryPlan:
    """All mechanisms on series at one guarantee, for one query.

    `length`: steps of each series; `nodes`: the steps read; `persons`: how many series.
    """

    framework: SeriesFramework
    query: Query
    epsilon: Fraction
    length: int
    nodes: Nodes
    persons: int
    rows: tuple[QueryRow, ...]

    def row(self, title: str) -> QueryRow:
        """The row of that title. Errors: KeyError."""
        return {row.title: row for row in self.rows}[title]

    @property
    def recommended(self) -> QueryRow:
        """The row with the smallest noise among those that add up; "best of both" among equals."""
        able = [row for row in self.rows if row.composes]
        able = [row for row in able if row.allowed] or able
        least = min(row.scale for row in able if row.scale is not None)
        equal = [
            row for row in able if row.scale is not None and row.scale <= least * Fraction(_SAME)
        ]
        return next((row for row in equal if row.title == BEST), equal[0])

    @property
    def mqm_helps(self) -> bool:
        """Whether the exact Markov Quilt Mechanism needs clearly less noise than group DP."""
        quilt, group = self.row(QUILT).scale, self.row(GROUP).scale
        return quilt is not None and group is not None and not helps_little(quilt, group)

    @property
    def reason(self) -> str:
        """What the table says, in a few sentences."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        best = self.recommended
        if not best.scale:
            yield "No step can move this answer: it is known beforehand and needs no noise."
            return
        others = [self.row(title) for title in ((QUILT, GROUP) if self.mqm_helps else (GROUP,))]
        less = [
            f"{factor(float(row.scale), float(best.scale))} times less than {row.title}"
            for row in others
            if row.scale is not None and row.scale > best.scale * Fraction(_SAME)
        ]
        refused = [row for row in self.rows if row.composes and not row.allowed]
        which = "MarkovLaplace (best of both, the default)" if best.title == BEST else best.title
        among = "Of what the account allows, " if refused and best.allowed else ""
        which = f"{among}{which}" if among else capital(which)
        if less:
            yield f"{which} needs the least noise: {' and '.join(less)}."
        else:
            yield f"{which} is recommended, and no mechanism needs less noise."
        yield from budget_sentences(best.ledger, len(refused))
        yield from self._slow(best)
        transport = self.row(TRANSPORT)
        if transport.scale is not None and transport.scale * Fraction(_SAME) < best.scale:
            less_still = factor(float(best.scale), float(transport.scale))
            yield (
                f"The Wasserstein mechanism needs {less_still} times less still, but its release "
                "does not add up with others: it is for the only one there will be."
            )
        for note in weak_parameters(self.epsilon):
            yield f"{capital(note)}."

    def _slow(self, best: QueryRow) -> Iterator[str]:
        """Where quilts, or everything, amount to group DP."""
        group = self.row(GROUP).scale
        if self.mqm_helps or group is None or best.scale is None:
            return
        because, remedy = self._cause()
        text = (
            f"The Markov Quilt Mechanism cannot help here: {because}, and its noise is that of "
            "protecting all steps at once (group DP)"
        )
        if helps_little(best.scale, group):
            yield f"{text}; nor can any other. {remedy}"
        else:
            gain = factor(float(group), float(best.scale))
            yield f"{text}; propagation still needs {gain} times less."

    def _cause(self) -> tuple[str, str]:
        """Why quilts amount to group DP, and what may change it."""
        if framework_notes(self.framework):
            because = "the bounds allow some step to have probability 0, so far steps may tell all"
            remedy = "Bounds above 0 may change it, from more words or of fewer states."
        else:
            steps = f"series of {self.length} steps at epsilon = {float(self.epsilon):g}"
            because = f"these chains are too slow for {steps}"
            remedy = "A longer series, or a larger epsilon, may change it."
        return because, remedy

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return {
            "query": self.query.to_json(),
            "epsilon": float_up(self.epsilon),
            "exact": {"epsilon": str(self.epsilon)},
            "length": self.length,
            "nodes": None if self.nodes is None else list(self.nodes),
            "persons": self.persons,
            "framework": self.framework.to_json(),
            "mechanisms": [row.to_json() for row in self.rows],
            "recommended": self.recommended.title,
            "recommended_method": self.recommended.method,
            "mqm_helps": self.mqm_helps,
            "reason": self.reason,
        }


def plan_query(
    framework: SeriesFramework,
    query: AnyQuery,
    *,
    epsilon: Number,
    length: int,
    nodes: Nodes = None,
    persons: int = 1,
    ledger: "Account | None" = None,
) -> QueryPlan:
    """Compare the noise of every mechanism on a query, without touching data.

    `framework`: a MarkovFramework; `query`: one of `privet.queries`, or its name; `length`: steps
    of each series; `nodes`: (start, stop), the steps read of each; `persons`: how many series of
    that length are asked about together. Errors: ParameterError out of range, or where the query
    does not fit the states.
    """
    account = read_account(ledger)
    total, asked = read_epsilon(epsilon), read_query(query)
    size, count = read_count(length, "length"), read_count(persons, "persons")
    start, stop = read_nodes(nodes, size)
    within = None if nodes is None else (start, stop)
    asked.constants(framework.alphabet, size, within)
    divisor = asked.divisor((stop - start) * count)
    rows = tuple(
        _row(title, framework, asked, total, size, within, divisor) for title in _MECHANISMS
    )
    if account is not None:
        rows = _quoted(rows, account, framework, asked, size, within)
    return QueryPlan(framework, asked, total, size, within, count, rows)


def _quoted(
    rows: Sequence[QueryRow],
    account: "Account",
    framework: SeriesFramework,
    query: Query,
    length: int,
    nodes: Nodes,
) -> tuple[QueryRow, ...]:
    """The rows with what each would cost the account; none for a mechanism that cannot run."""
    quotes, quoted = Quotes(account), []
    for row in rows:
        found = None if row.scale is None else quotes.unknown
        if row.composes and row.mechanism is not None:
            charge = Charge(row.mechanism.record_loss(length, query, nodes), "step", 1, framework)
            charge.check(account)
            found = quotes.of(charge.loss)
        quoted.append(replace(row, ledger=found))
    return tuple(quoted)


def _row(
    title: str,
    framework: SeriesFramework,
    query: Query,
    epsilon: Fraction,
    length: int,
    nodes: Nodes,
    divisor: int,
) -> QueryRow:
    method, make = _MECHANISMS[title]
    try:
        mechanism = make(framework, epsilon)
        scale = mechanism.noise_scale(query, length, nodes)
        spent = mechanism.spent(length, query, nodes)
    except PrivetError as error:
        return QueryRow(title, method, None, note=error.message.rstrip("."))
    # Numbers of one series are divided by its own steps, of several by those of all.
    share = query.divisor(length if nodes is None else nodes[1] - nodes[0]) / divisor
    _, half_width = mechanism.interval(query, 0, length, nodes=nodes)
    return QueryRow(
        title,
        method,
        mechanism,
        scale / divisor,
        mechanism.expected_error(query, length, nodes) * share,
        float(half_width) * share,
        spent,
        _NO_RECORD_LOSS if title == TRANSPORT else "",
    )


@dataclass(frozen=True)
class ScaleCurve:
    """The noise scale of one mechanism against epsilon; None where it cannot run."""

    title: str
    epsilons: tuple[float, ...]
    scales: tuple[float | None, ...]


def scale_curves(
    framework: SeriesFramework,
    query: AnyQuery,
    *,
    epsilons: Sequence[Number],
    length: int,
    nodes: Nodes = None,
    persons: int = 1,
) -> list[ScaleCurve]:
    """Noise scale against epsilon: a curve for each mechanism that runs anywhere.

    Without "best of both", which is the lower one of quilts and propagation. Errors: `plan_query`.
    """
    asked, size = read_query(query), read_count(length, "length")
    start, stop = read_nodes(nodes, size)
    divisor = asked.divisor((stop - start) * read_count(persons, "persons"))
    targets = [read_epsilon(epsilon) for epsilon in epsilons]
    curves = []
    for title, (_, make) in _MECHANISMS.items():
        if title == BEST:
            continue
        found = [_scale(make, framework, epsilon, asked, size, nodes) for epsilon in targets]
        if any(scale is not None for scale in found):
            scales = tuple(None if scale is None else float(scale / divisor) for scale in found)
            curves.append(ScaleCurve(title, tuple(map(float, targets)), scales))
    return curves


def _scale(
    make: Make,
    framework: SeriesFramework,
    epsilon: Fraction,
    query: Query,
    length: int,
    nodes: Nodes,
) -> Fraction | None:
    try:
        return make(framework, epsilon).noise_scale(query, length, nodes)
    except PrivetError:
        return None
