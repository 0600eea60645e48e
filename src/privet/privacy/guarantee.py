"""What a release promises, in numbers and in a sentence a data holder understands.

Contract. (epsilon, delta) holds for any two inputs that differ in one protected unit: for every set
of outputs, P(output | one) <= e^epsilon P(output | other) + delta. The sentence names the unit, the
numbers rounded against us, the assumptions, and everything that goes out unprotected.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privet.exact import exact_number, exp_up, float_up


def decimal_up(x: Fraction, digits: int = 3) -> str:
    """`x` >= 0 with `digits` significant digits, rounded up: never below the truth."""
    if x == 0:
        return "0"
    exponent = 0
    while x >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while x < Fraction(10) ** exponent:
        exponent -= 1
    unit = Fraction(10) ** (exponent - digits + 1)
    scaled = -((-x) // unit)
    if scaled == 10**digits:
        scaled, exponent = scaled // 10, exponent + 1
        unit *= 10
    if -5 <= exponent < 7:
        value = scaled * unit
        places = max(0, digits - 1 - exponent)
        text = f"{int(value * 10**places):0{places + 1}d}"
        return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".") if places else text
    mantissa = f"{scaled // 10 ** (digits - 1)}.{scaled % 10 ** (digits - 1):0{digits - 1}d}"
    return f"{mantissa.rstrip('0').rstrip('.')}e{exponent:+03d}"


@dataclass(frozen=True)
class Guarantee:
    """A differential privacy guarantee.

    `epsilon`, `delta`: exact; `unit`: what is protected, as the subject of the sentence ("Any one
    row of the table"); `assumptions`: conditions without which the sentence does not hold;
    `published`: what the release gives out unprotected.
    """

    epsilon: Fraction
    delta: Fraction
    unit: str
    assumptions: tuple[str, ...] = ()
    published: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The promise in words; factor and delta are rounded up."""
        factor = decimal_up(exp_up(self.epsilon))
        text = (
            f"{self.unit}: seeing the release changes the odds of any two values by at most "
            f"a factor {factor} (epsilon = {decimal_up(self.epsilon, 6)}"
        )
        if self.delta:
            text += (
                f"), up to an additional probability {decimal_up(self.delta)} of any outcome "
                f"(delta = {decimal_up(self.delta)}"
            )
        text += ")."
        if self.assumptions:
            text += f" This assumes: {'; '.join(self.assumptions)}."
        if self.published:
            text += f" Published without protection: {'; '.join(self.published)}."
        return text

    def __str__(self) -> str:
        return self.sentence

    def with_published(self, *items: str) -> "Guarantee":
        """The same promise that also names `items` as published without protection."""
        return replace(self, published=(*self.published, *items))

    def with_assumptions(self, *items: str) -> "Guarantee":
        """The same promise under further conditions."""
        return replace(self, assumptions=(*self.assumptions, *items))

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up for the reader, the same numbers exactly, and the sentence."""
        return {
            "sentence": self.sentence,
            "epsilon": float_up(self.epsilon),
            "delta": float_up(self.delta),
            "unit": self.unit,
            "assumptions": list(self.assumptions),
            "published": list(self.published),
            "exact": {"epsilon": str(self.epsilon), "delta": str(self.delta)},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Guarantee":
        """The inverse of `to_json`; the sentence is derived, so it is not read."""
        return cls(
            exact_number(data["exact"]["epsilon"], "epsilon"),
            exact_number(data["exact"]["delta"], "delta"),
            str(data["unit"]),
            tuple(data["assumptions"]),
            tuple(data["published"]),
        )
