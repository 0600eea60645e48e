"""A response: how one record is answered, where that is known better than by its loss alone.

Contract. The record has one of m >= 2 public values; it is told truthfully with probability `keep`
and as each of the others with probability `move` <= keep, independently of all else. Telling two
values apart from the answer then has three privacy losses: +l, 0 and -l with l = log(keep / move)
and probabilities keep, (m-2) move and move. Here stand l, rounded UP to a multiple of 2^-64, and
the exact probability of 0. Rounding l up and sharing the rest between +l and -l at odds of e^l to 1
is a response from which the real one follows by a coin that sometimes swaps the two: it tells at
least as much. Without an answer of loss 0 it is binary, the most that any release of loss l tells
[kairouz-oh-viswanath-2015].
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import DataError, ParameterError
from privet.exact import exact_number, log_up
from privet.exact.number import Number
from privet.privacy.loss import LOSS_BITS, loss_units


@dataclass(frozen=True, order=True, slots=True)
class Response:
    """`loss`: l >= 0, rounded up to a multiple of 2^-64; `neutral`: the probability of loss 0.

    Errors: ParameterError for a negative loss and a probability outside [0, 1).
    """

    loss: Fraction
    neutral: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        loss = Fraction(loss_units(self.loss), 1 << LOSS_BITS)
        neutral = exact_number(self.neutral, "neutral")
        if not 0 <= neutral < 1:
            raise ParameterError("The probability of loss 0 must be at least 0 and below 1.")
        object.__setattr__(self, "loss", loss)
        object.__setattr__(self, "neutral", neutral)

    @classmethod
    def of(cls, keep: Number, move: Number) -> "Response":
        """From the exact probabilities of the true value and of one given other value.

        Errors: ParameterError unless 0 < move <= keep and keep + move <= 1.
        """
        truth, other = exact_number(keep, "keep"), exact_number(move, "move")
        if not (0 < other <= truth and truth + other <= 1):
            raise ParameterError(
                "keep and move are not the probabilities of a response.",
                hint="They need 0 < move <= keep and keep + move <= 1.",
            )
        return cls(log_up(truth / other), 1 - truth - other)

    def to_json(self) -> dict[str, str]:
        """{"loss": in units of 2^-64, "neutral": a ratio}, exact text."""
        return {"loss": str(loss_units(self.loss)), "neutral": str(self.neutral)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Response":
        """The inverse of `to_json`. Errors: DataError."""
        try:
            units = int(data["loss"])
            return cls(Fraction(units, 1 << LOSS_BITS), Fraction(data["neutral"]))
        except (KeyError, TypeError, ValueError, ZeroDivisionError, ParameterError):
            raise DataError("The description of a response lacks a field or has another.") from None
