"""The Wasserstein mechanism of Song, Wang and Chaudhuri for sums over short Markov chains.

Contract. The noise on the query's one whole number F is discrete Laplace of scale W / epsilon, W
the largest infinity-Wasserstein distance between the laws of F given X_i = a and X_i = b, over all
nodes i, all states a, b that X_i can be in, and all chains of the family
[song-wang-chaudhuri-2017]. It protects these secrets and has no record loss: it adds up with other
releases only by theorems about two given mechanisms.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

from privet.chains import ChainBox
from privet.errors import ModelError, ParameterError
from privet.exact.number import Number
from privet.mechanisms.series import (
    AnyQuery,
    Lengths,
    SeriesMechanism,
    read_lengths,
    round_up,
)
from privet.mechanisms.wasserstein.chains import Exact, largest_distance
from privet.mechanisms.wasserstein.refusals import no_record_loss
from privet.mechanisms.wasserstein.table import Table, WassersteinTable
from privet.privacy import MarkovFramework
from privet.queries import Nodes, Query, read_nodes, read_query


class Wasserstein(SeriesMechanism):
    """A count, share or mean over a short chain with the noise of the Wasserstein mechanism.

    `framework`: a MarkovFramework of finitely many chains whose start is given or stationary;
    `epsilon`: the Pufferfish guarantee for each state at each time. `from_table` makes the
    mechanism for any finite framework. Errors: ParameterError, ParameterTypeError; ModelError for
    frameworks of infinitely many chains.
    """

    name: ClassVar[str] = "wasserstein"
    title: ClassVar[str] = "Wasserstein mechanism"

    def __init__(self, framework: MarkovFramework, *, epsilon: Number) -> None:
        super().__init__(framework, epsilon=epsilon)
        self._chains = exact_chains(framework)

    @staticmethod
    def from_table(
        distributions: Table,
        pairs: Sequence[tuple[Any, Any]] | None = None,
        *,
        epsilon: Number,
    ) -> WassersteinTable:
        """The mechanism for a finite Pufferfish framework given as a table; see its class."""
        return WassersteinTable(distributions, pairs, epsilon=epsilon)

    def distance(self, query: AnyQuery, length: int, nodes: Nodes = None) -> Fraction:
        """W, in units of the statistic before it is divided by the nodes read.

        0: the law of the statistic is the same whatever the secret. Errors: as `noise_scale`.
        """
        asked = read_query(query)
        return self._distance(asked, length, nodes) * asked.grid(self.alphabet)

    def scale(self, length: int, query: AnyQuery = "count", nodes: Nodes = None) -> Fraction:
        """W / epsilon for the query: unlike that of the other mechanisms, it depends on which."""
        return self.noise_scale(query, length, nodes)

    def spent(
        self, length: Lengths = 1, query: AnyQuery = "count", nodes: Nodes = None
    ) -> Fraction:
        """An upper bound of the epsilon really spent: W over the scale, rounded up."""
        asked = read_query(query)
        scale = self.grid_scale(asked, length, nodes)
        if scale == 0:
            return Fraction(0)
        largest = max(self._distance(asked, each, nodes) for each in read_lengths(length))
        return min(self.epsilon, largest / scale)

    def record_loss(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refused: see the error. Errors: ParameterError always."""
        raise no_record_loss()

    def _deciding(self, query: Query, lengths: Iterable[int], nodes: Nodes) -> tuple[int, ...]:  # noqa: ARG002  # all do
        """All: the distance of a longer series may be the smaller one."""
        return tuple(sorted(set(lengths), reverse=True))

    def _scale_in_grid(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        return round_up(self._distance(query, length, nodes) / self.epsilon)

    def _distance(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        weights = query.weights(self.alphabet)
        if weights is None:
            raise ParameterError(
                f"The Wasserstein mechanism answers counts, shares and means whose levels lie on "
                f"their grid; {query.kind!r} is none of them.",
                hint="Use MarkovLaplace, which answers every query.",
                parameter="query",
            )
        start, stop = read_nodes(nodes, length)
        key = (weights, length, start, stop)
        if key not in self._known:
            self._known[key] = Fraction(
                max(largest_distance(chain, *key) for chain in self._chains)
            )
        return self._known[key]

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "Wasserstein":
        return cls(MarkovFramework.from_json(data["framework"]), epsilon=data["epsilon"])


def exact_chains(framework: MarkovFramework) -> list[Exact]:
    """(law of the first state, transition matrix) of each chain, exactly. Errors: ModelError."""
    chains = framework.chains
    if isinstance(chains, ChainBox):
        raise ModelError(
            "The Wasserstein mechanism needs finitely many chains, and this framework is a box of "
            "chains.",
            hint="Use MarkovLaplace.",
        )
    if framework.initial == "any":
        raise ModelError(
            "The Wasserstein mechanism needs finitely many laws, and a chain with any start has "
            "infinitely many.",
            hint="Use initial='given' or 'stationary', or MarkovLaplace.",
        )
    if framework.initial == "stationary":
        return [(chain.exact_stationary(), chain.exact_transition) for chain in chains]
    return [(chain.exact_initial, chain.exact_transition) for chain in chains]
