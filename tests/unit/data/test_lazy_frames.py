"""Lazy frames are run once: a second run of a query could give other rows, or draw again."""

from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest

from privet import Alphabet, RandomizedResponse, release
from privet.data import names_in_frame, to_arrow

ROWS = 5


class Counted:
    """A lazy frame whose query notes each row it is evaluated on."""

    def __init__(self, kind: str) -> None:
        self.rows_seen: list[int] = []
        self.frame: Any = self._polars() if kind.endswith("polars") else self._duckdb()
        if kind.startswith("narwhals"):
            self.frame = nw.from_native(self.frame)

    def _seen(self, number: int) -> str:
        self.rows_seen.append(number)
        return "yes" if number % 2 else "no"

    def _polars(self) -> pl.LazyFrame:
        def label(frame: pl.DataFrame) -> pl.DataFrame:
            labels = [self._seen(number) for number in frame["number"]]
            return frame.with_columns(vote=pl.Series(labels))

        numbers = pl.LazyFrame({"number": range(ROWS)})
        return numbers.map_batches(label, schema={"number": pl.Int64(), "vote": pl.String()})

    def _duckdb(self) -> Any:
        # The relation needs its connection to stay.
        self.connection = duckdb.connect(":memory:")
        self.connection.create_function(
            "label", self._seen, ["BIGINT"], "VARCHAR", side_effects=True
        )
        return self.connection.sql(
            f"SELECT range AS number, label(range) AS vote FROM range({ROWS})"
        )


KINDS = ["polars", "duckdb", "narwhals polars", "narwhals duckdb"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_lazy_frame_is_evaluated_once(kind: str) -> None:
    counted = Counted(kind)
    assert names_in_frame(counted.frame) == ["number", "vote"]
    assert counted.rows_seen == []  # the names are known without running it
    found = to_arrow(counted.frame, columns=["vote"])
    assert found.table["vote"].to_pylist() == ["no", "yes", "no", "yes", "no"]
    found.restore(found.table)
    assert sorted(counted.rows_seen) == [*range(ROWS)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_of_a_lazy_frame_is_one_release_however_often_it_is_looked_at(kind: str) -> None:
    counted = Counted(kind)
    mechanism = RandomizedResponse(Alphabet(["no", "yes"]), epsilon="0.1")
    released = release({"vote": mechanism}, counted.frame)
    looks = [_rows(released.data) for _ in range(40)]
    assert looks == [looks[0]] * 40
    assert sorted(counted.rows_seen) == [*range(ROWS)]


def _rows(data: Any) -> Any:
    data = nw.to_native(data, pass_through=True)
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    rows: Callable[[], Any] = data.to_arrow if isinstance(data, pl.DataFrame) else lambda: data
    table: pa.Table = rows()
    return table["vote"].to_pylist()
