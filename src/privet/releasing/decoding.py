"""Decoding as a part of a release: words that can happen, made from what the mechanism drew.

Contract. The chain is public and decoding sees nothing but the mechanism's output, so the guarantee
of the mechanism is that of the decoded words (post-processing [dwork-roth-2014]). What can be
refused (a mechanism that does not answer symbol by symbol, a chain over other states) is refused
before anything is drawn. Shares and chains are not estimated from decoded words: the noise that is
left in them is not the mechanism's.
"""

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from privet.chains import MarkovChain
from privet.errors import ParameterError, ParameterTypeError
from privet.estimate import decode
from privet.estimate.hidden.response import read_response
from privet.languages import Language
from privet.mechanisms.base import HammingMechanism
from privet.releasing.blocks import Progress, block_by_block
from privet.symbols import Words

Method = Literal["viterbi", "marginals", "sample"]

METHODS: dict[str, str] = {
    "viterbi": "the most likely word",
    "marginals": "the most likely symbol at each position",
    "sample": "a word drawn from those that are likely",
}
"""The ways to decode, in words."""

_BLOCK_CELLS = 1 << 24
"""Marginals hold a double for each symbol and state: 128 MB a block."""


@dataclass(frozen=True)
class Decoding:
    """How released words are decoded: with which public chain, and which word is taken."""

    chain: MarkovChain
    method: Method = "viterbi"

    @classmethod
    def read(cls, chain: object, method: str) -> "Decoding | None":
        """The decoding asked for; None without a chain. Errors: ParameterError, ParameterTypeError.

        `method`: "viterbi", "marginals" or "sample".
        """
        if method not in get_args(Method):
            raise ParameterError(
                f"There is no decoding '{method}'.",
                hint=f"Choose {', '.join(METHODS)}.",
                parameter="decode_method",
            )
        if chain is None:
            return None
        if not isinstance(chain, MarkovChain):
            raise ParameterTypeError(
                f"Words are decoded with a MarkovChain, not with a {type(chain).__name__}.",
                hint="Read one from a file with read_model(path).",
                parameter="decode",
            )
        return cls(chain, cast(Method, method))

    @property
    def always_possible(self) -> bool:
        """Whether every decoded word is one that the chain can produce."""
        return self.method != "marginals"

    @property
    def language(self) -> Language:
        """The words that the chain can produce."""
        return Language.from_chain(self.chain)

    def check(self, mechanism: object) -> None:
        """Refuse what cannot be decoded. Errors: ParameterTypeError, ModelError."""
        alphabet, _ = read_response(mechanism)
        self.chain.in_order_of(alphabet)

    def decode(self, released: Words, mechanism: HammingMechanism, progress: Progress) -> Words:
        """The decoded words, of the same lengths."""

        def work(block: Words) -> Words:
            return self._decode(block, mechanism)

        size = max(1, _BLOCK_CELLS // len(self.chain.states))
        return block_by_block(released, work, symbols=size, stage="decoding", progress=progress)

    def _decode(self, block: Words, mechanism: HammingMechanism) -> Words:
        found: Any
        if self.method == "viterbi":
            found = decode.viterbi(block, mechanism, self.chain)
        elif self.method == "sample":
            found = decode.sample(block, mechanism, self.chain)[0]
        else:
            found = decode.posterior(block, mechanism, self.chain).most_likely()
        return cast(Words, found)

    def to_json(self) -> dict[str, Any]:
        """{"method": ..., "chain": ...}: what a receipt says of it."""
        return {"method": self.method, "chain": self.chain.to_json()}
