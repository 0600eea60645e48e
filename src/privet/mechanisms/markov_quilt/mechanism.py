"""The Markov Quilt Mechanism of Song, Wang and Chaudhuri, for comparison.

Contract. The noise on the query's whole numbers is discrete Laplace of scale L sigma: sigma = max
over nodes of min over quilts of card(nearby) / (epsilon - max-influence), for the worst chain
(Algorithm 1 of [song-wang-chaudhuri-2017]), and L the largest constant of any node. It treats every
query as one that reads all nodes: a range of nodes gets the same noise. `MarkovLaplace` needs no
more.
"""

from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from privet.exact.number import Number
from privet.mechanisms.series import (
    SeriesMechanism,
    read_choice,
    round_for_losses,
)
from privet.privacy import MarkovFramework
from privet.queries import Nodes, Query

Method = Literal["exact", "approximate"]


class MarkovQuilt(SeriesMechanism):
    """A query's answer with the noise of the Markov Quilt Mechanism.

    `framework`: a MarkovFramework; `epsilon`: the Pufferfish guarantee for each state at each time;
    `method`: "exact" max-influence, or "approximate", the bound by the smallest stationary
    probability and the eigengap, which needs irreducible, aperiodic chains. Errors: ParameterError,
    ParameterTypeError; ModelError where the approximation does not hold.
    """

    name: ClassVar[str] = "markov-quilt"
    title: ClassVar[str] = "Markov Quilt Mechanism"

    def __init__(
        self, framework: MarkovFramework, *, epsilon: Number, method: Method = "exact"
    ) -> None:
        super().__init__(framework, epsilon=epsilon)
        self.method: Method = read_choice(method, "method", get_args(Method))

    def scale(self, length: int) -> Fraction:
        """sigma, the scale for a query that one node moves by at most 1."""
        if length not in self._known:
            self._known[length] = self.framework.quilt_scale(
                length, epsilon=self.epsilon, method=self.method
            )
        return self._known[length]

    def parameters(self) -> dict[str, Any]:
        """{"epsilon": exact text, "method": ...}."""
        return {**super().parameters(), "method": self.method}

    def _scale_in_grid(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        constants = query.constants(self.alphabet, length, nodes)
        largest = max(constant for _, _, constant in constants)
        return round_for_losses(largest * self.scale(length), constants)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "MarkovQuilt":
        framework = MarkovFramework.from_json(data["framework"])
        return cls(framework, epsilon=data["epsilon"], method=data["method"])
