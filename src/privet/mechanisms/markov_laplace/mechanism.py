"""Laplace noise for a query about series that follow a Markov chain: the default for queries.

Contract. The noise on the query's whole numbers is discrete Laplace of the smallest scale b for
which the framework bounds what the record loss (constant of the node) / b costs by epsilon. The
constant of each node enters by itself, so nodes that are not read, or matter less, need no noise.
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

Method = Literal["best", "propagation", "quilt", "group"]


class MarkovLaplace(SeriesMechanism):
    """A query's answer with Laplace noise calibrated to a family of Markov chains.

    `framework`: a MarkovFramework; `epsilon`: the Pufferfish guarantee for each state at each time;
    `method`: how the scale is found. "best" takes the smaller of the two bounds "propagation" and
    "quilt"; "group" protects all nodes at once, whatever the chains, and is the baseline. Errors:
    ParameterError, ParameterTypeError.
    """

    name: ClassVar[str] = "markov-laplace"
    title: ClassVar[str] = "Laplace noise for Markov chains"

    def __init__(
        self, framework: MarkovFramework, *, epsilon: Number, method: Method = "best"
    ) -> None:
        super().__init__(framework, epsilon=epsilon)
        self.method: Method = read_choice(method, "method", get_args(Method))

    def scale(self, length: int, nodes: Nodes = None) -> Fraction:
        """The scale for a query that one node read moves by at most 1 (a count, say)."""
        return self.framework.scale(length, epsilon=self.epsilon, method=self.method, nodes=nodes)

    def parameters(self) -> dict[str, Any]:
        """{"epsilon": exact text, "method": ...}."""
        return {**super().parameters(), "method": self.method}

    def _scale_in_grid(self, query: Query, length: int, nodes: Nodes) -> Fraction:
        constants = tuple(query.constants(self.alphabet, length, nodes))
        if constants not in self._known:
            scale = self.framework.scale_for(constants, epsilon=self.epsilon, method=self.method)
            self._known[constants] = round_for_losses(scale, constants)
        return self._known[constants]

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "MarkovLaplace":
        framework = MarkovFramework.from_json(data["framework"])
        return cls(framework, epsilon=data["epsilon"], method=data["method"])
