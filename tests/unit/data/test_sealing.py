"""What is sealed cannot be read, comes back whole, and tells ids apart."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.data.sealing import Seal, SealedFile


def test_tokens_are_equal_exactly_where_ids_are() -> None:
    seal = Seal()
    texts = ["", "a", "a\0", "a" * 14, "a" * 15, "a" * 16, "a" * 15 + "\x0f", "ä", "a\u0308"]
    values = pa.array([*texts, *texts[::-1]])
    tokens = seal.tokens(values)
    size = len(texts)
    assert (tokens[:size] == tokens[: size - 1 : -1]).all()
    assert len({tuple(pair) for pair in tokens.tolist()}) == size
    # In slices and other layouts too.
    assert (seal.tokens(values[3:7]) == tokens[3:7]).all()
    assert (seal.tokens(values.cast(pa.large_string())) == tokens).all()


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, 1, -1, 2**62], pa.int64()),
        pa.array([0, 2**64 - 1, 2**63], pa.uint64()),
        pa.array([0.0, 1e-300, -1e300, float("inf")]),
        pa.array(["1.5", "-2.25", "99999999999999999999.00"]).cast(pa.decimal128(24, 2)),
        pa.array([b"ab", b"ba"], pa.binary(2)),
        pa.array([True, False]),
    ],
    ids=str,
)
def test_values_of_every_kind_have_tokens_of_their_own(values: Any) -> None:
    seal = Seal()
    tokens = seal.tokens(values)
    assert tokens.shape == (len(values), 2)
    assert len({tuple(pair) for pair in tokens.tolist()}) == len(values)
    assert (seal.tokens(values[1:]) == tokens[1:]).all()
    assert not (Seal().tokens(values) == tokens).any()  # under another key they are others


def test_rows_and_codes_come_back_and_equal_codes_do_not_look_alike() -> None:
    seal, rows = Seal(), np.arange(1000) + 2**40
    codes = np.zeros(1000, np.uint16)
    codes[7] = 65535
    sealed = seal.rows(rows, codes)
    assert np.unique(sealed).size == sealed.size
    back = seal.opened(sealed)
    assert (back[0] == rows).all()
    assert (back[1] == codes).all()


def test_a_sealed_file_has_no_name_and_is_read_as_often_as_wanted(tmp_path: Path) -> None:
    parts: list[list[Any]] = [
        [np.arange(5), np.array([1, 2, 3], np.uint8)],
        [np.array([], np.int64), np.array([9], np.uint16)],
    ]
    file = SealedFile(tmp_path)
    assert [*file] == []
    for part in parts:
        file.write(part)
    assert not [*tmp_path.iterdir()]
    for _ in range(2):
        for found, part in zip(file, parts, strict=True):
            for array, expected in zip(found, part, strict=True):
                assert array.dtype == expected.dtype
                assert array.tolist() == expected.tolist()
    file.close()


def test_what_lies_on_the_disk_is_not_what_was_written(tmp_path: Path) -> None:
    file = SealedFile(tmp_path)
    file.write([np.zeros(1 << 16, np.uint8)])
    file.write([np.zeros(1 << 16, np.uint8)])
    file._file.seek(0)
    content = np.frombuffer(file._file.read(), np.uint8)
    assert content.size == 1 << 17
    assert np.bincount(content, minlength=256).max() < 700  # 512 of each, and no run of any
    assert (content[: 1 << 16] != content[1 << 16 :]).any()
    file.close()
