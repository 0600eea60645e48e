"""Numbers are read exactly as written, or refused with the parameter named."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import ParameterError, ParameterTypeError
from privet.exact import exact_number, read_count, read_delta, read_epsilon


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int8(3), Fraction(3)),
        (2, Fraction(2)),
        (Fraction(5, 7), Fraction(5, 7)),
        (Decimal("0.30"), Fraction(3, 10)),
    ],
)
def test_a_number_means_what_is_written(value: Any, expected: Fraction) -> None:
    assert exact_number(value, "x") == expected
    assert read_epsilon(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        "nan",
        "Infinity",
        Decimal("NaN"),
        "abc",
        "",
        "1/0",
        "1e999999999",
        "9" * 5000,
        Decimal("1e999999"),
        True,
        False,
        np.True_,
        None,
        [1],
        1j,
        b"1",
        "1_0",
        "\u0661",
        Fraction(10**5000 + 1, 10**5000),
        10**2000,
    ],
)
def test_what_is_no_finite_number_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon ") as caught:
        read_epsilon(value)
    assert caught.value.payload["parameter"] == "epsilon"
    with pytest.raises(ValueError, match="delta"):
        read_delta(value)


@pytest.mark.parametrize("value", [0, 0.0, "-0", -1, "-1e-9", 5e-324, 1e-310, "1e-5000", 10001])
def test_epsilon_outside_its_range_is_refused(value: Any) -> None:
    with pytest.raises(ParameterError):
        read_epsilon(value)


@pytest.mark.parametrize("value", [-0.1, 1, "1.0", 2, 5e-324])
def test_delta_outside_its_range_is_refused(value: Any) -> None:
    with pytest.raises(ParameterError):
        read_delta(value)


def test_delta_zero_and_small_are_read() -> None:
    assert read_delta(0) == 0
    assert read_delta("1e-9") == Fraction(1, 10**9)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, np.True_])
def test_a_count_is_a_whole_number_and_nothing_else(value: Any) -> None:
    with pytest.raises(ParameterTypeError):
        read_count(value, "adjacency")


def test_a_count_below_its_minimum_is_refused() -> None:
    whole: Any = np.int64(3)
    assert read_count(whole, "adjacency") == 3
    with pytest.raises(ParameterError, match="adjacency must be at least 1"):
        read_count(0, "adjacency")
