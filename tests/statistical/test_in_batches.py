"""A release in batches has the law of a release in memory, whichever way the rows go.

200,000 rows in 200 batches, false alarm rate alpha = 1e-9 a test; the bits are replayed, so a run
says the same everywhere. Wrong twins that the same draws must fail: 10% more epsilon, for the law
of a value given the data; and, for the independence of batches, a source that begins again with
each batch, which no law of single values would show.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from privet import Alphabet, RandomizedResponse, WordExponential, release
from privet.data import write_table
from privet.randomness import using_source
from privet.randomness.source import RandomSource
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
ROWS, BATCH = 200_000, 1000
ABC = Alphabet(["a", "b", "c"])
RESPONSE = RandomizedResponse(ABC, epsilon=1)
WRONG = RandomizedResponse(ABC, epsilon="1.1")
SHARES = [0.6, 0.3, 0.1]
LONG = {"id": "who", "time": "when", "state": "x"}

WAYS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "columns of Parquet": ({"x": RESPONSE, "y": RESPONSE}, {}, ".parquet"),
    "columns of CSV": ({"x": RESPONSE, "y": RESPONSE}, {}, ".csv"),
    "columns of Arrow": ({"x": RESPONSE, "y": RESPONSE}, {}, ".arrow"),
    "wide words": (
        WordExponential(ABC, epsilon=2, adjacency=2),
        {"columns": ["x", "y"]},
        ".parquet",
    ),
    "long words in order": (RESPONSE, {**LONG, "id": "sorted"}, ".parquet"),
    "long words in disorder": (RESPONSE, LONG, ".parquet"),
}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", BATCH)


@pytest.fixture(scope="module")
def data() -> pa.Table:
    draw = np.random.default_rng(3)
    columns: dict[str, Any] = {
        "x": draw.choice([*"abc"], ROWS, p=SHARES),
        "y": draw.choice([*"abc"], ROWS, p=SHARES),
        "sorted": np.arange(ROWS) // 10,
        "who": draw.permutation(ROWS) // 10,
        "when": np.arange(ROWS),
    }
    return pa.table(columns)


def released(folder: Path, data: pa.Table, way: str, source: RandomSource) -> Any:
    """(rows,) codes before and after, of column x."""
    mechanism, options, ending = WAYS[way]
    path = folder / f"data{ending}"
    write_table(data, path)
    with using_source(source):
        done = release(mechanism, path, output=folder / f"out{ending}", batches=True, **options)
    return tuple(
        ABC.encode(table.column("x").to_pylist()).astype(np.int64) for table in (data, done.data)
    )


def agrees(before: NDArray[Any], after: NDArray[Any], mechanism: RandomizedResponse) -> bool:
    """Whether the values given each value of the data follow the mechanism's law."""
    matrix = mechanism.response_matrix
    seen = np.bincount(before * 3 + after, minlength=9).reshape(3, 3)
    tests = (chi_square_agrees(seen[code], matrix[code], alpha=ALPHA / 3) for code in range(3))
    return not any(test.rejected for test in tests)


@pytest.mark.parametrize("way", list(WAYS))
def test_the_law_is_that_of_the_mechanism(tmp_path: Path, data: pa.Table, way: str) -> None:
    before, after = released(tmp_path, data, way, ReplaySource(1))
    assert agrees(before, after, RESPONSE)
    assert not agrees(before, after, WRONG)


class Restarting(RandomSource):
    """Gives every batch the same bits."""

    private = False

    def __init__(self) -> None:
        self.restart()

    def restart(self, *_told: object) -> None:
        self._source = ReplaySource(2)

    def fill(self, out: NDArray[Any]) -> None:
        self._source.fill(out)


def independent(before: NDArray[Any], after: NDArray[Any]) -> bool:
    """Whether a row and the row at its place in the next batch err independently."""
    wrong = (before != after).reshape(-1, BATCH).astype(np.int64)
    pairs = (wrong[:-1:2] * 2 + wrong[1::2]).ravel()
    move = float(1 - RESPONSE.keep_probability)
    law = np.outer([1 - move, move], [1 - move, move]).ravel()
    return not chi_square_agrees(np.bincount(pairs, minlength=4), law, alpha=ALPHA).rejected


def test_batches_are_independent_of_each_other(tmp_path: Path, data: pa.Table) -> None:
    way = "columns of Parquet"
    before, after = released(tmp_path, data, way, ReplaySource(1))
    assert independent(before, after)
    source = Restarting()
    mechanism, _, ending = WAYS[way]
    with using_source(source):
        twin = release(
            mechanism,
            tmp_path / f"data{ending}",
            output=tmp_path / "twin.parquet",
            batches=True,
            progress=source.restart,
        )
    wrong = ABC.encode(twin.data.column("x").to_pylist()).astype(np.int64)
    assert not independent(before, wrong)
