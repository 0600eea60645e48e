"""Reading numbers that a person typed, exactly.

Contract. A number means what is written: "0.1" is 1/10, "1/3" is a third, and a float is its
shortest decimal (so 0.1 is 1/10 too, not the binary number beside it). bool, NaN, infinities and
anything that is not a number are refused with the parameter named. Nothing is ever clamped.
"""

import numbers
import operator
import re
import sys
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from privet.errors import ParameterError, ParameterTypeError

Number = int | float | str | Fraction | Decimal

LARGEST_EPSILON = Fraction(10_000)
"""Beyond this the output is the input for every practical purpose, and exact laws get long."""

SMALLEST_EPSILON = Fraction(sys.float_info.min)
"""The smallest normal double: below it float arithmetic elsewhere would silently lose digits."""

_MOST_DIGITS = 1000
_MOST_BITS = 3400
_RATIO = re.compile(r"\s*([+-]?\d+)\s*/\s*(\d+)\s*")


def exact_number(value: Number, name: str) -> Fraction:
    """The exact rational that `value` denotes.

    Errors: ParameterTypeError for bool and non-numbers; ParameterError for NaN, infinities, text
    that is not a number, a zero denominator, and literals of absurd length.
    """
    if isinstance(value, str):
        return _from_text(value, name)
    if isinstance(value, Decimal):
        return _from_decimal(value, name)
    if isinstance(value, Fraction):
        return _checked(value, name)
    # numpy's bool is not a Python bool and numpy's numbers are only virtually numeric.
    if type(value).__name__ in ("bool", "bool_"):
        raise ParameterTypeError(
            f"{name} is a boolean.", hint="Give a number such as 1 or '0.5'.", parameter=name
        )
    if isinstance(value, numbers.Integral):
        return _checked(Fraction(operator.index(value)), name)
    if isinstance(value, numbers.Real):
        # str of a float, and of every numpy float, is the shortest decimal that reads back as it.
        return _from_text(str(value), name)
    raise ParameterTypeError(
        f"{name} is a {type(value).__name__}, not a number.",
        hint="Give an int, float, Fraction, Decimal or text such as '0.5' or '1/3'.",
        parameter=name,
    )


def read_epsilon(value: Number, name: str = "epsilon") -> Fraction:
    """A privacy parameter epsilon: finite, positive, not subnormal, at most 10000."""
    number = exact_number(value, name)
    if number <= 0:
        raise ParameterError(
            f"{name} must be greater than 0.",
            hint="Typical values lie between 0.1 and 3.",
            parameter=name,
        )
    if number < SMALLEST_EPSILON:
        raise ParameterError(
            f"{name} is positive but below the smallest normal double (2.2e-308).",
            hint="Typical values lie between 0.1 and 3.",
            parameter=name,
        )
    if number > LARGEST_EPSILON:
        raise ParameterError(
            f"{name} is above {LARGEST_EPSILON}, which protects nothing.",
            hint="Typical values lie between 0.1 and 3.",
            parameter=name,
        )
    return number


def read_delta(value: Number, name: str = "delta") -> Fraction:
    """A privacy parameter delta in [0, 1)."""
    number = exact_number(value, name)
    if not 0 <= number < 1:
        raise ParameterError(
            f"{name} must be at least 0 and below 1.",
            hint="Use 0, or a probability well below 1 / (number of rows).",
            parameter=name,
        )
    if 0 < number < SMALLEST_EPSILON:
        raise ParameterError(
            f"{name} is positive but below the smallest normal double (2.2e-308).",
            hint="Use 0 instead.",
            parameter=name,
        )
    return number


def read_count(value: int, name: str, minimum: int = 1) -> int:
    """A whole number of things, at least `minimum`; bool and fractions are refused."""
    if type(value).__name__ in ("bool", "bool_") or not isinstance(value, numbers.Integral):
        raise ParameterTypeError(
            f"{name} is a {type(value).__name__}, not a whole number.",
            hint=f"Give a whole number of at least {minimum}.",
            parameter=name,
        )
    count = operator.index(value)
    if count < minimum:
        raise ParameterError(
            f"{name} must be at least {minimum}.",
            hint=f"Give a whole number of at least {minimum}.",
            parameter=name,
        )
    return count


def _checked(value: Fraction, name: str) -> Fraction:
    """Numbers that would not fit a receipt are refused where they come in."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise ParameterError(
            f"{name} has too many digits.",
            hint=f"Write it with at most {_MOST_DIGITS}.",
            parameter=name,
        )
    return value


def _from_text(text: str, name: str) -> Fraction:
    refusal = ParameterError(
        f"{name} is not a finite number.",
        hint="Write a number such as 0.5, 1e-6 or 1/3.",
        parameter=name,
    )
    # Decimal would also read digit groups ("1_0") and the digits of other scripts.
    if len(text) > _MOST_DIGITS or not text.isascii() or "_" in text:
        raise refusal
    if ratio := _RATIO.fullmatch(text):
        if int(ratio[2]) == 0:
            raise refusal
        return Fraction(int(ratio[1]), int(ratio[2]))
    try:
        return _from_decimal(Decimal(text), name)
    except InvalidOperation:
        raise refusal from None


def _from_decimal(value: Decimal, name: str) -> Fraction:
    # The exponent is looked at before the number is built: "1e999999999" must not fill the memory.
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        raise ParameterError(
            f"{name} is not a finite number of reasonable size.",
            hint="Write a number such as 0.5, 1e-6 or 1/3.",
            parameter=name,
        )
    return Fraction(value)
