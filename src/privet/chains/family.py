"""Families of Markov chains: what the data's law may be.

Contract. The guarantee is to hold for each chain of the family. All chains have the same states,
brought to the order of the first one's. `initial` says what is assumed of the first node: the
chains' own initial laws ("given"), their stationary laws ("stationary"), or nothing ("any": the
family holds each transition matrix with every initial law).
"""

from collections.abc import Hashable, Iterable, Sequence

from privet.chains import structure
from privet.chains.marginals import Initial, read_initial
from privet.chains.markov import MarkovChain
from privet.errors import ModelError, ParameterTypeError
from privet.symbols import Alphabet


class ChainFamily:
    """One or more Markov chains with the same states and a kind of start.

    Errors: ModelError for no chains, for chains with other states, and for "stationary" if a chain
    has several stationary laws; ParameterTypeError for anything but chains.
    """

    def __init__(
        self, chains: MarkovChain | Iterable[MarkovChain], initial: Initial = "given"
    ) -> None:
        members = [chains] if isinstance(chains, MarkovChain) else _listed(chains)
        if not members:
            raise ModelError("The family has no chains.", hint="Give at least one MarkovChain.")
        self.initial: Initial = read_initial(initial)
        self.alphabet: Alphabet = members[0].alphabet
        self.chains: tuple[MarkovChain, ...] = tuple(_brought(self.alphabet, members))
        if self.initial == "stationary":
            for chain in self.chains:
                if len(structure.closed_classes(chain.support())) > 1:
                    chain.stationary()  # says which classes there are

    @property
    def states(self) -> tuple[Hashable, ...]:
        """The symbols of the states, in the order of all rows and columns."""
        return self.alphabet.symbols

    def __len__(self) -> int:
        return len(self.chains)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ChainFamily)
            and self.initial == other.initial
            and self.chains == other.chains
        )

    def __hash__(self) -> int:
        return hash((self.initial, self.chains))

    def __repr__(self) -> str:
        count = "1 chain" if len(self) == 1 else f"{len(self)} chains"
        return f"ChainFamily({count} of {len(self.alphabet)} states, initial={self.initial!r})"


def _listed(chains: object) -> list[MarkovChain]:
    if isinstance(chains, Sequence) or (
        isinstance(chains, Iterable) and not isinstance(chains, str | bytes)
    ):
        members = [*chains]
        for number, chain in enumerate(members):
            if not isinstance(chain, MarkovChain):
                raise ParameterTypeError(
                    f"Member {number} of the family is a {type(chain).__name__}, not a "
                    "MarkovChain.",
                    parameter="chains",
                )
        return members
    raise ParameterTypeError(
        f"A family is made of MarkovChains, not of a {type(chains).__name__}.", parameter="chains"
    )


def _brought(alphabet: Alphabet, members: list[MarkovChain]) -> Iterable[MarkovChain]:
    for number, chain in enumerate(members):
        try:
            yield chain.in_order_of(alphabet)
        except ModelError as error:
            raise ModelError(
                f"Chain {number} of the family has other states than chain 0.", hint=error.hint
            ) from None
