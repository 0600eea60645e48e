"""What the records are assumed to be, which turns a record loss into an epsilon.

Contract. `IndependentRecords` is differential privacy: the protected unit may change, whatever the
other records are. With unit u, any u records may change at once; with unit "all", every one.

`MarkovFramework` is Pufferfish privacy [kifer-machanavajjhala-2014] for a series that a Markov
chain makes: for every chain of the family, every node i and any two values a, b that X_i may have,
each set of outputs is at most e^epsilon times as probable given X_i = a as given X_i = b. One node
tells about the others through the chain, so the losses of nodes nearby count too. Two bounds
say how many: Markov quilts and propagation. Both hold for each chain, so for each chain the smaller
one counts, and then the worst chain.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from privet.chains import (
    ChainBox,
    ChainFamily,
    MarkovChain,
    QuiltScale,
    approximate_quilt_scale,
    max_influence,
    quilt_scale_for,
)
from privet.chains.marginals import Initial
from privet.chains.naming import check_fields
from privet.chains.possible import first_impossible
from privet.chains.quilt import Pieces
from privet.errors import DataError, DomainError, ParameterError, ParameterTypeError
from privet.exact import read_count, read_epsilon
from privet.exact.number import Number
from privet.privacy.loss import RecordLoss
from privet.privacy.meter import MarkovBound, MarkovMeter, Method
from privet.symbols import Alphabet, Words

Unit = int | Literal["all"]


class IndependentRecords:
    """Differential privacy with `unit` records as the protected unit (or "all")."""

    __slots__ = ("unit",)

    unit: Unit

    def __init__(self, unit: Unit = 1) -> None:
        self.unit = "all" if unit == "all" else read_count(unit, "unit")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndependentRecords) and self.unit == other.unit

    def __hash__(self) -> int:
        return hash(("independent records", self.unit))

    def __repr__(self) -> str:
        return f"IndependentRecords(unit={self.unit!r})"

    def epsilon(self, record_loss: RecordLoss) -> Fraction:
        """The epsilon of releases with that total loss.

        It is the sum of the `unit` largest losses, which covers any choice of that many records:
        sequential and parallel composition at once.
        """
        if self.unit == "all":
            return record_loss.total
        return record_loss.largest(self.unit)

    def epsilon_of(self, record_loss: RecordLoss, record: int) -> Fraction:
        """The epsilon for units that hold that record: its loss and the `unit` - 1 largest others.

        Errors: ParameterError if the loss has no such record.
        """
        if read_count(record, "record", 0) >= record_loss.length:
            raise ParameterError(
                f"There is no record {record} among {record_loss.length}.",
                hint="Records count from 0.",
                parameter="record",
            )
        if self.unit == "all":
            return record_loss.total
        own = record_loss.at(record)
        # Among the largest it counts anyway; otherwise it takes the place of the last of them.
        return min(record_loss.largest(self.unit), own + record_loss.largest(self.unit - 1))


class MarkovFramework:
    """One series of which a Markov chain is known, up to a family or a box of chains.

    `chains`: a MarkovChain, several with the same states, or a ChainBox; `initial`: "given" (each
    chain's own law of node 0), "stationary" or "any"; a box holds every start, so for it "any" is
    both the default and the only choice. Errors: ModelError for families that do not fit together
    or lack the stationary law; ParameterError for another start of a box.
    """

    kind = "markov-framework"

    __slots__ = ("_model",)

    def __init__(
        self,
        chains: MarkovChain | ChainFamily | ChainBox | Iterable[MarkovChain],
        *,
        initial: Initial | None = None,
    ) -> None:
        self._model: ChainFamily | ChainBox
        if isinstance(chains, ChainBox):
            if initial not in (None, "any"):
                raise ParameterError(
                    "A box of chains holds every law of the first node.",
                    hint="Leave initial out, or say initial='any'.",
                    parameter="initial",
                )
            self._model = chains
        elif isinstance(chains, ChainFamily):
            if initial not in (None, chains.initial):
                chains = ChainFamily(chains.chains, initial or "given")
            self._model = chains
        else:
            self._model = ChainFamily(chains, "given" if initial is None else initial)

    @property
    def alphabet(self) -> Alphabet:
        """The states, in the order of all matrices."""
        return self._model.alphabet

    @property
    def chains(self) -> tuple[MarkovChain, ...] | ChainBox:
        """The chains of the family, or the box."""
        return self._model if isinstance(self._model, ChainBox) else self._model.chains

    @property
    def initial(self) -> Initial:
        """What is assumed of the first node."""
        return "any" if isinstance(self._model, ChainBox) else self._model.initial

    @property
    def _members(self) -> tuple[MarkovChain | ChainBox, ...]:
        return (self._model,) if isinstance(self._model, ChainBox) else self._model.chains

    def max_influence(self, length: int, node: int, quilt: Iterable[int]) -> float:
        """How much the nodes `quilt` can tell about `node`, rounded up; see chains.influence."""
        return max_influence(self._model, length, node, quilt)

    def quilt_scale(
        self,
        length: int,
        *,
        epsilon: Number,
        method: Literal["exact", "approximate"] = "exact",
    ) -> Fraction:
        """The Laplace scale of the Markov Quilt Mechanism for a query with Lipschitz constant 1.

        "exact" takes the worst chain outside the choice of quilts, so it is never above the
        published scale; "approximate" is the published bound from the smallest stationary
        probability and the eigengap. Errors: ModelError naming the condition that a chain fails.
        """
        return self.worst_quilt(length, epsilon=epsilon, method=method).scale

    def worst_quilt(
        self,
        length: int,
        *,
        epsilon: Number,
        method: Literal["exact", "approximate"] = "exact",
    ) -> QuiltScale:
        """`quilt_scale` with the node and the quilt that decide it."""
        size = read_count(length, "length")
        if method == "approximate" and isinstance(self._model, ChainFamily):
            return approximate_quilt_scale(self._model.chains, size, epsilon)
        pieces = [(0, size, Fraction(1))]
        found = [
            quilt_scale_for(chain, self.initial, pieces, epsilon, method) for chain in self._members
        ]
        return max(found, key=lambda each: each.scale)

    def scale(
        self,
        length: int,
        *,
        epsilon: Number,
        method: Method = "best",
        nodes: tuple[int, int] | None = None,
    ) -> Fraction:
        """The smallest Laplace scale found, rounded up, for a query with Lipschitz constant 1.

        `nodes`: (start, stop), if the query reads only the nodes start..stop-1.
        """
        return self.scale_for(_constants(length, nodes), epsilon=epsilon, method=method)

    def scale_for(self, constants: Pieces, *, epsilon: Number, method: Method = "best") -> Fraction:
        """The smallest b found for which the losses constants / b cost at most epsilon."""
        limit, way = read_epsilon(epsilon), _read_method(method)
        total = _total(constants)
        group = total / limit
        if way == "group" or not total:
            return group
        return max(self._chain_scale(chain, constants, limit, way) for chain in self._members)

    def _chain_scale(
        self, chain: MarkovChain | ChainBox, constants: Pieces, epsilon: Fraction, method: Method
    ) -> Fraction:
        scales = []
        if method != "propagation":
            scales.append(quilt_scale_for(chain, self.initial, constants, epsilon).scale)
        if method != "quilt":
            scales.append(_propagated_scale(chain, self.initial, constants, epsilon))
        return min(scales)

    def epsilon(self, record_loss: RecordLoss, *, method: Method = "best") -> Fraction:
        """The epsilon of releases with that total loss, rounded up."""
        return self.bound(record_loss, method=method).epsilon

    def bound(self, record_loss: RecordLoss, *, method: Method = "best") -> MarkovBound:
        """The epsilon with the chain, the method and the node that decide it."""
        way = _read_method(method)
        if not isinstance(record_loss, RecordLoss):
            raise ParameterTypeError(
                f"A framework takes a RecordLoss, not a {type(record_loss).__name__}.",
                parameter="record_loss",
            )
        return self.meter().bound(record_loss, way)

    def epsilon_of(self, record_loss: RecordLoss, node: int) -> Fraction:
        """The epsilon for the secret "the value of that node" alone, rounded up.

        Errors: ParameterError if the loss has no such node.
        """
        return self.meter().bound_at(record_loss, node).epsilon

    def meter(self) -> MarkovMeter:
        """What answers `bound` for many losses in turn, without computing the chains anew."""
        return MarkovMeter(self._members, self.initial)

    def assumptions(self) -> tuple[str, ...]:
        """What the guarantee takes for granted, in plain words."""
        count = len(self.alphabet)
        if isinstance(self._model, ChainBox):
            within = (
                f"the series is made by a Markov chain on the {count} states, which may change "
                "with time, whose transition probabilities lie within the stated bounds, from any "
                "law of the first state"
            )
            if self._model.confidence is None:
                return (within,)
            sure = (
                "the bounds hold the true chain with a confidence of "
                f"{float(100 * self._model.confidence):g} %: they were made from public words of a "
                "chain that does not change with time"
            )
            return within, sure
        size = len(self._model)
        which = "the stated Markov chain" if size == 1 else f"one of {size} stated Markov chains"
        start = {
            "given": "from its own law of the first state",
            "stationary": "with its stationary law at every step",
            "any": "from any law of the first state",
        }[self._model.initial]
        return (f"the series is made by {which} on the {count} states, {start}",)

    def notes(self) -> tuple[str, ...]:
        """What a user should know before a release: a box in which nothing is ever far away."""
        if not isinstance(self._model, ChainBox) or math.isfinite(self._model.diameter):
            return ()
        note = (
            "The bounds allow some step to have probability 0, so the influence of far nodes is "
            "infinite: noise is as for a group of all nodes."
        )
        return (note,)

    def check_words(self, words: Words) -> None:
        """Refuse words that no chain of the family can produce: the guarantee would not be theirs.

        Errors: DomainError naming the first such word and the position at which the last chain
        fails; ModelError if the words are over other symbols than the states.
        """
        reached = first_impossible(self._model, words)
        for word in np.flatnonzero(reached < words.lengths)[:1].tolist():
            raise DomainError(
                f"Word {word} cannot happen under any chain of the framework: it fails at position "
                f"{int(reached[word])}.",
                hint="Use chains in which every step has a positive probability, for example "
                "fitted with a pseudocount.",
                word=word,
                position=int(reached[word]),
            )

    def to_json(self) -> dict[str, Any]:
        """{"kind": "markov-framework", "initial": ..., "chains": [...]}, or "box" for chains."""
        if isinstance(self._model, ChainBox):
            return {"kind": self.kind, "initial": "any", "box": self._model.to_json()}
        chains = [chain.to_json() for chain in self._model.chains]
        return {"kind": self.kind, "initial": self.initial, "chains": chains}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "MarkovFramework":
        """The inverse of `to_json`. Errors: ModelError naming the field or the row."""
        if isinstance(data, dict) and "box" in data:
            check_fields(data, cls.kind, ("initial", "box"), ())
            return cls(ChainBox.from_json(data["box"]), initial=data["initial"])
        check_fields(data, cls.kind, ("initial", "chains"), ())
        chains = [MarkovChain.from_json(chain) for chain in data["chains"]]
        return cls(chains, initial=data["initial"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MarkovFramework) and self._model == other._model

    def __hash__(self) -> int:
        return hash(("Markov framework", self._model))

    def __repr__(self) -> str:
        return f"MarkovFramework({self._model!r})"


Framework = IndependentRecords | MarkovFramework
"""What turns a record loss into an epsilon."""


def _read_method(method: str) -> Method:
    for known in get_args(Method):
        if method == known:
            way: Method = known
            return way
    raise ParameterError(
        f"There is no method '{method}'.",
        hint=f"method is one of {', '.join(get_args(Method))}.",
        parameter="method",
    )


def _constants(length: int, nodes: tuple[int, int] | None) -> Pieces:
    """1 on the nodes that are read, 0 elsewhere."""
    size = read_count(length, "length")
    if nodes is None:
        return [(0, size, Fraction(1))]
    start, stop = (read_count(each, "nodes", 0) for each in nodes)
    if not start < stop <= size:
        raise ParameterError(
            f"The nodes {start}..{stop} are not a range within 0..{size}.",
            hint="nodes is (start, stop), the nodes start..stop-1.",
            parameter="nodes",
        )
    cuts = [(0, start, Fraction(0)), (start, stop, Fraction(1)), (stop, size, Fraction(0))]
    return [piece for piece in cuts if piece[0] < piece[1]]


def _total(pieces: Pieces) -> Fraction:
    if not pieces:
        raise DataError("There are no nodes.", hint="A series has at least one node.")
    return sum(((stop - start) * Fraction(value) for start, stop, value in pieces), Fraction(0))


def _propagated_scale(
    chain: MarkovChain | ChainBox, initial: Initial, constants: Pieces, epsilon: Fraction
) -> Fraction:
    # Loaded where it is needed: its programmes bring in more than `import privet` should load.
    from privet.chains import propagation

    if isinstance(chain, ChainBox):
        scale, _ = propagation.propagated_scale_of_box(chain, constants, epsilon)
    else:
        scale, _ = propagation.propagated_scale(chain, initial, constants, epsilon)
    return scale
