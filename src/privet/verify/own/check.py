"""Any mechanism of the registry on a small case: its claims beside its law.

Contract. `guarantee` compares the law with the epsilon (and delta) promised, `spent` with what the
mechanism says it spends on that length, `record_loss` with the losses it reports, for all pairs of
inputs; the last is None for a mechanism that has no record loss. A claim is kept only where every
comparison was decided in its favour. What is compared is the law: that the sampler draws it is a
matter of statistics (`verify.audit`).
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from privet.errors import ParameterError, ParameterTypeError
from privet.exact import read_count
from privet.mechanisms import (
    Exponential,
    HammingMechanism,
    Mechanism,
    SeriesMechanism,
    Wasserstein,
    WassersteinTable,
)
from privet.mechanisms.series import AnyQuery
from privet.queries import Nodes, read_query
from privet.verify.own import series, words
from privet.verify.own.compare import Comparison, Findings, compare
from privet.verify.own.sums import ExponentialSum


@dataclass(frozen=True)
class MechanismCheck:
    """What the table of a mechanism says about its claims."""

    mechanism: Mechanism
    length: int
    guarantee: Findings
    spent: Findings
    record_loss: Findings | None

    def __str__(self) -> str:
        """In a sentence."""
        name, words = (
            self.mechanism.name,
            "1 symbol" if self.length == 1 else f"{self.length} symbols",
        )
        verdict = "every claim is kept" if self.kept else "A CLAIM IS BROKEN"
        return f"{name} on inputs of {words}: {verdict} ({self.guarantee.compared} comparisons)."

    @property
    def kept(self) -> bool:
        """Whether every claim is kept."""
        found = (self.guarantee, self.spent, self.record_loss)
        return all(each.kept for each in found if each is not None)


def own_mechanism(
    mechanism: Mechanism, *, length: int = 1, query: AnyQuery = "count", nodes: Nodes = None
) -> MechanismCheck:
    """The claims of a mechanism on inputs of `length` symbols, compared with its exact law.

    `query`, `nodes`: what is asked, for mechanisms on series. A mechanism on one input or a table
    of laws ignores all three. Errors: ParameterError if the case is too large to list;
    ModelError for infinitely many laws; ParameterTypeError for what is no mechanism.
    """
    size = read_count(length, "length")
    if isinstance(mechanism, HammingMechanism):
        return _on_words(mechanism, size)
    if isinstance(mechanism, SeriesMechanism):
        return _on_series(mechanism, size, query, nodes)
    if isinstance(mechanism, Exponential):
        return _on_scores(mechanism)
    if isinstance(mechanism, WassersteinTable):
        return _on_laws(mechanism)
    raise ParameterTypeError(
        f"The law of a {type(mechanism).__name__} is not known to the verifier.",
        hint="Write its table and use finite_mechanism, or audit its releases.",
        parameter="mechanism",
    )


def _on_words(mechanism: HammingMechanism, length: int) -> MechanismCheck:
    table, promised = words.word_table(mechanism, length), mechanism.guarantee
    words.check_size(table)
    return MechanismCheck(
        mechanism,
        length,
        words.protected(table, promised.epsilon, promised.delta),
        words.protected(table, mechanism.spent(length), promised.delta),
        words.lost(table, mechanism.record_loss(length)),
    )


def _on_series(
    mechanism: SeriesMechanism, length: int, query: AnyQuery, nodes: Nodes
) -> MechanismCheck:
    asked = read_query(query)
    table = series.series_table(mechanism, asked, length, nodes)
    found = None
    if not isinstance(mechanism, Wasserstein):
        found = series.lost(table, mechanism.record_loss(length, asked, nodes))
    return MechanismCheck(
        mechanism,
        length,
        series.protected(table, mechanism.guarantee_of(asked).epsilon),
        series.protected(table, mechanism.spent(length, asked, nodes)),
        found,
    )


def _on_laws(mechanism: WassersteinTable) -> MechanismCheck:
    promised = series.table_protected(mechanism, mechanism.guarantee.epsilon)
    spent = series.table_protected(mechanism, mechanism.spent())
    return MechanismCheck(mechanism, 1, promised, spent, None)


def _on_scores(mechanism: Exponential) -> MechanismCheck:
    """Inputs are rows: P(j | i) = e^(rate score_ij) / Z_i, compared over the common Z_i Z_i'."""
    table = mechanism.table
    if table is None:
        raise ParameterError(
            "The scores are a function of inputs that are not listed.",
            hint="Give the mechanism inputs=[...] as well.",
            parameter="mechanism",
        )
    weights = [
        [ExponentialSum({mechanism.rate * score: Fraction(1)}) for score in row]
        for row in table.rows
    ]
    totals = [
        ExponentialSum.collected((mechanism.rate * score, Fraction(1)) for score in row)
        for row in table.rows
    ]
    every = list(permutations(range(len(table.rows)), 2))
    near = every
    if table.pairs is not None:
        near = [ordered for i, j in table.pairs for ordered in ((i, j), (j, i))]

    def among(pairs: list[tuple[int, int]], allowed: Fraction) -> Findings:
        return compare(
            Comparison(
                table.inputs.symbols[i],
                table.inputs.symbols[j],
                output,
                over.times(totals[j]),
                under.times(totals[i]),
                allowed,
            )
            for i, j in pairs
            for output, over, under in zip(
                mechanism.outputs.symbols, weights[i], weights[j], strict=True
            )
        )

    loss = mechanism.record_loss(1).maximum
    return MechanismCheck(
        mechanism,
        1,
        among(near, mechanism.guarantee.epsilon),
        among(near, mechanism.spent()),
        among(every, loss),
    )
