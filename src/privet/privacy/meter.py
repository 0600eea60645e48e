"""What a record loss costs under the chains of a framework, asked again and again.

Contract. A meter keeps what does not depend on the losses: the states of the chains and their laws.
An answer is a function of the chains and the loss alone, whatever was asked before, so that two
stores that hold the same releases agree to the last digit. For each chain the smaller of the two
bounds counts (joint quilts and propagation, both hold), and then the worst chain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from privet.chains import ChainBox, MarkovChain, QuiltBound
from privet.chains.marginals import Initial
from privet.chains.quilt import Loads, quilt_epsilon
from privet.errors import ParameterError
from privet.exact import read_count
from privet.privacy.loss import LOSS_BITS, RecordLoss

if TYPE_CHECKING:
    from privet.chains.propagation import BoxPropagation, Propagation, PropagationBound

Method = Literal["best", "propagation", "quilt", "group"]
"""How losses are turned into an epsilon, and constants into a scale."""

UNIT = Fraction(1, 1 << LOSS_BITS)


@dataclass(frozen=True)
class MarkovBound:
    """An epsilon, and why.

    `method`: what gave the smaller bound, "propagation", "quilt" or "group"; `chain`: the number of
    the worst chain of the family, 0 for a box; `detail`: the bound for that chain, with its worst
    node.
    """

    epsilon: Fraction
    method: Method
    chain: int
    detail: "QuiltBound | PropagationBound | None"


class MarkovMeter:
    """Bounds of record losses under chains (or one box) and one kind of start."""

    def __init__(self, members: Sequence[MarkovChain | ChainBox], initial: Initial) -> None:
        self._members, self._initial = members, initial
        self._walks: dict[int, Propagation | BoxPropagation] = {}

    def bound(self, loss: RecordLoss, method: Method = "best") -> MarkovBound:
        """The bound for the worst node."""
        return self._bound(loss, method, None)

    def bound_at(self, loss: RecordLoss, node: int, method: Method = "best") -> MarkovBound:
        """The bound for one node. Errors: ParameterError if the loss has no such node."""
        if read_count(node, "node", 0) >= loss.length:
            raise ParameterError(
                f"There is no node {node} in a series of {loss.length}.",
                hint="Nodes count from 0.",
                parameter="node",
            )
        return self._bound(loss, method, int(node))

    def _bound(self, loss: RecordLoss, method: Method, node: int | None) -> MarkovBound:
        if method == "group" or not loss.total:
            return MarkovBound(loss.total, "group", 0, None)
        found = [self._of_chain(number, loss, method, node) for number in range(len(self._members))]
        return max(found, key=lambda each: each.epsilon)

    def _of_chain(
        self, number: int, loss: RecordLoss, method: Method, node: int | None
    ) -> MarkovBound:
        bounds = []
        if method != "propagation":
            loads = Loads.from_units(loss.units, UNIT)
            quilt = quilt_epsilon(self._members[number], self._initial, loads, node)
            way: Method = "group" if quilt.is_group else "quilt"
            bounds.append(MarkovBound(quilt.epsilon, way, number, quilt))
        if method != "quilt":
            walk = self._walk(number)
            walk.forget()
            walked = walk.bound(loss.pieces, node)
            bounds.append(MarkovBound(walked.epsilon, "propagation", number, walked))
        return min(bounds, key=lambda each: each.epsilon)

    def _walk(self, number: int) -> "Propagation | BoxPropagation":
        # Loaded where it is needed: its programmes bring in more than `import privet` should load.
        from privet.chains.propagation import BoxPropagation, Propagation

        if number not in self._walks:
            chain = self._members[number]
            self._walks[number] = (
                BoxPropagation(chain)
                if isinstance(chain, ChainBox)
                else Propagation(chain, self._initial)
            )
        return self._walks[number]
