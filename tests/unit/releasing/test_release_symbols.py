"""Lists, arrays and choices: read once, and accounted for as they were read."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, RandomizedResponse, WordExponential, release
from privet.errors import DataError, DomainError
from privet.symbols import Codes

AB = Alphabet(["a", "b"])
SURE = RandomizedResponse(AB, epsilon=300)  # tells the truth but once in 10^130


class Shifting(list[str]):
    """Holds other data every time it is read."""

    readings = 0

    def __iter__(self) -> Iterator[str]:
        self.readings += 1
        return iter(["a"] * 5 if self.readings == 1 else ["b"] * 9)


@pytest.mark.parametrize(
    "mechanism", [SURE, WordExponential(AB, epsilon=600, adjacency=1, calibration="exact")]
)
def test_data_are_read_once(mechanism: Any) -> None:
    data = Shifting()
    done = release(mechanism, data, demo=True)
    assert data.readings == 1
    assert done.data == ["a"] * 5
    assert done.receipt.shape == {"symbols": 5}
    assert done.realised_errors == (0,)


@pytest.mark.parametrize("given", [np.array([0, 1, 1], np.uint8), Codes(np.array([0, 1, 1]))])
def test_codes_spoilt_after_they_were_read_are_refused_not_released(given: Any) -> None:
    # Codes are not copied: at 10^8 rows that would cost as much memory as the data themselves.
    array = given.array if isinstance(given, Codes) else given

    class Meddling(RandomizedResponse):
        def release(self, x: Any) -> Any:
            array[:] = 77
            return super().release(x)

    mechanism = Meddling(SURE.alphabet, epsilon=300)
    if array.dtype == np.uint8:
        with pytest.raises(DomainError):
            release(mechanism, given)
    else:  # narrowed to the dtype of codes, which is a copy
        assert release(mechanism, given).data.array.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "given",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        np.array([[0, 1], [1, 1]], np.int16),
        Codes([1]),
    ],
)
def test_the_kind_the_shape_and_the_values_stay(given: Any) -> None:
    out = release(SURE, given).data
    assert type(out) is type(given)
    before, after = (x.array if isinstance(x, Codes) else x for x in (given, out))
    assert np.array_equal(before, after)
    assert np.asarray(before).dtype == np.asarray(after).dtype


@pytest.mark.parametrize("given", [np.zeros((2, 2), int), Codes(np.zeros((2, 2), int))])
def test_a_word_is_still_one_dimensional(given: Any) -> None:
    with pytest.raises(DataError, match=r"shape \(2, 2\)"):
        release(WordExponential(AB, epsilon=1, adjacency=1), given)
