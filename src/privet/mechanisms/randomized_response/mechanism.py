"""Randomised response on categories: keep a value, or replace it by each other one equally likely.

Contract. Values are answered independently. The move probability is the smallest that
(epsilon, delta)-differential privacy of one value allows (Theorem 8 of [holohan-leith-mason-2016]),
rounded up. With delta > 0 the promise is for ONE changed value; what holds for several is the
record loss, which is above epsilon then.
"""

from fractions import Fraction
from typing import Any, ClassVar

from privet.exact import exact_number, exp_down, log_up, read_count, read_delta, read_epsilon, up
from privet.exact.number import Number
from privet.mechanisms.symbolwise import SymbolLaw, SymbolwiseMechanism
from privet.mechanisms.words import read_alphabet
from privet.privacy import Guarantee
from privet.symbols import Alphabet, Encoded, read_symbols

_DELTA_BITS = 1100
"""Below the smallest delta anyone can ask for."""


class RandomizedResponse(SymbolwiseMechanism):
    """k-ary randomised response.

    `alphabet`: the public categories; `epsilon`, `delta`: the guarantee for any one value.
    `release` takes a list, an array of any shape, Codes or Words. Errors: ParameterError,
    ParameterTypeError.
    """

    name: ClassVar[str] = "randomized-response"
    title: ClassVar[str] = "randomised response"

    def __init__(self, alphabet: Alphabet, *, epsilon: Number, delta: Number = 0) -> None:
        self.alphabet = read_alphabet(alphabet)
        self.epsilon = read_epsilon(epsilon)
        self.delta = read_delta(delta)
        self.adjacency = 1
        self.law = SymbolLaw(len(self.alphabet), self.epsilon, self.delta)

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta) for any one value."""
        return Guarantee(self.epsilon, self.delta, "Any one value (one row of one column)")

    def spent(self, length: int = 1) -> Fraction:
        """The smallest epsilon that holds with this delta for one value, rounded up.

        Theorem 8: log((1 - delta) / p - (m - 1)), never above the epsilon asked for, since p was
        rounded up.
        """
        if read_count(length, "length", minimum=0) == 0:
            return Fraction(0)
        odds = (1 - self.delta) / self.move_probability - (len(self.alphabet) - 1)
        return min(self.epsilon, log_up(odds)) if odds > 1 else Fraction(0)

    def smallest_delta(self, epsilon: Number) -> Fraction:
        """The smallest delta with which `epsilon` >= 0 holds for one value, rounded up.

        max(0, keep - e^epsilon p): the worst set of outputs is the true value alone (Theorem 2 of
        [holohan-leith-mason-2016]). `epsilon`: a number from 0. Errors: ParameterError.
        """
        rate = Fraction(0) if exact_number(epsilon, "epsilon") == 0 else read_epsilon(epsilon)
        delta = self.keep_probability - exp_down(rate, self.law.bits) * self.move_probability
        return max(Fraction(0), up(delta, max(self.law.bits, _DELTA_BITS)))

    def parameters(self) -> dict[str, Any]:
        """Epsilon and delta, as exact text."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}

    def _read(self, x: Any) -> Encoded:
        return read_symbols(self.alphabet, x)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "RandomizedResponse":
        return cls(Alphabet(data["alphabet"]), epsilon=data["epsilon"], delta=data["delta"])
