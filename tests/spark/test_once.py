"""A release is drawn once and published once, whatever Spark runs again."""

import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import Alphabet, IndependentRecords, Ledger, RandomizedResponse, release
from privet.errors import (
    DataError,
    DomainError,
    MissingExtraError,
    OutputError,
    ParameterError,
    RandomnessError,
)
from privet.ledger import Account
from privet.randomness import current_source, using_source
from privet.releasing.spark import jobs, preparing, staging
from privet.releasing.spark.tasks import Work, answer
from privet.releasing.tables import TableRequest
from privet.testing import ReplaySource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HALF = RandomizedResponse(Alphabet(["a", "b"]), epsilon="0.1")
"""Two draws of a few hundred rows are never the same."""

Task = Callable[[Iterable[pa.RecordBatch], Work], Iterator[pa.RecordBatch]]


@pytest.fixture
def account() -> Iterator[Account]:
    with Ledger.open("memory:") as ledger:
        yield ledger.account("a0", IndependentRecords(), 10)


@pytest.fixture
def steps() -> Iterator[Account]:
    """An account that counts symbols of words."""
    with Ledger.open("memory:") as ledger:
        yield ledger.account("a0", IndependentRecords(), 10, unit="step")


@pytest.fixture
def frame(spark: "SparkSession") -> "DataFrame":
    return spark.range(0, 600, 1, 3).selectExpr("id", "if(id % 2 = 0, 'a', 'b') as s")


LISTS: dict[str, Any] = {"columns": "s", "keep": "id", "ragged": True, "adjacency": 1}
"""What makes words of the lists of `listed`."""


@pytest.fixture
def listed(frame: "DataFrame") -> "DataFrame":
    """The same rows as lists of one symbol or two."""
    return frame.selectExpr("id", "if(id % 3 = 0, array(s), array(s, 'a')) as s")


def states(account: Account) -> list[str]:
    """What became of each release that was paid for."""
    return [str(entry.state) for entry in account.history() if entry.state is not None]


def values(output: Path) -> list[tuple[Any, ...]]:
    tables = [pq.read_table(path) for path in sorted(output.iterdir())]
    whole = pa.concat_tables(tables)
    return list(zip(whole["id"].to_pylist(), whole["s"].to_pylist(), strict=True))


@pytest.fixture
def seen_parts(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, bytes]]:
    """What was in the hidden folder whenever the driver chose parts."""
    seen: list[dict[str, bytes]] = []
    keep_only = staging.Staging.keep_only

    def looking(self: staging.Staging, parts: Any) -> None:
        seen.append({path.name: path.read_bytes() for path in self.folder.iterdir()})
        keep_only(self, parts)

    monkeypatch.setattr(staging.Staging, "keep_only", looking)
    return seen


def fails_when_done(kill: bool) -> Task:
    """A task whose first attempt draws and writes all its rows, and then dies."""

    # It is defined here, not in the module, so that Spark sends its code along.
    def failing(batches: Iterable[pa.RecordBatch], work: Work) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        answers = list(answer(batches, work))
        context = TaskContext.get()
        assert context is not None
        first = context.attemptNumber() == 0
        if first and work.folder is not None and context.partitionId() == 1:
            if kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("the executor was lost")
        yield from answers

    return failing


@pytest.mark.parametrize("kill", [True, False], ids=["killed worker", "failed task"])
def test_a_task_that_runs_again_is_one_release(
    kill: bool,
    frame: "DataFrame",
    account: Account,
    tmp_path: Path,
    seen_parts: list[dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(staging, "PART_ROWS", 200)
    monkeypatch.setattr(jobs, "answer", fails_when_done(kill))
    out = release(HALF, frame, columns="s", keep="id", ledger=account, output=tmp_path / "out")
    # Parts of two hundred rows, as the partitions are, so that they go out as they were drawn.
    # The first attempt was complete, and drew other bits than those that went out.
    assert len(seen_parts[0]) == 4
    published = {path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert len(published) == 3
    assert published < set(seen_parts[0].values())
    assert [number for number, _ in values(tmp_path / "out")] == list(range(600))
    assert states(account) == ["committed"]
    charged = out.receipt.ledger
    assert charged is not None
    assert (charged["spent_before"], charged["spent_after"]) == ("0", str(account.spent()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.receipt.json"]


def test_words_in_lists_are_drawn_once(
    listed: "DataFrame",
    steps: Account,
    tmp_path: Path,
    seen_parts: list[dict[str, bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(staging, "PART_ROWS", 200)
    monkeypatch.setattr(jobs, "answer", fails_when_done(kill=False))
    out = release(HALF, listed, **LISTS, ledger=steps, output=tmp_path / "out")
    assert len(seen_parts[0]) == 4
    published = {path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert len(published) == 3
    assert published < set(seen_parts[0].values())
    assert [number for number, _ in values(tmp_path / "out")] == list(range(600))
    first, second = (sorted(map(tuple, out.data.collect())) for _ in range(2))
    assert first == second == values(tmp_path / "out")
    assert states(steps) == ["committed"]
    late = listed.selectExpr("id", "if(id = 599, array('a', 'z'), s) as s")
    with pytest.raises(DomainError, match="row 599"):
        release(HALF, late, **LISTS, ledger=steps, output=tmp_path / "late")
    assert states(steps) == ["committed"]


def test_every_action_on_a_release_reads_the_same(
    frame: "DataFrame", account: Account, tmp_path: Path
) -> None:
    # The signs in the name are a pattern to Spark, unless it is told that they are not.
    place = tmp_path / "o u[t]*"
    out = release(HALF, frame, columns="s", keep="id", ledger=account, output=place)
    first, second = (sorted(map(tuple, out.data.collect())) for _ in range(2))
    assert first == second == values(place)
    assert out.data.where("s = 'a'").count() + out.data.where("s = 'b'").count() == 600
    assert states(account) == ["committed"]
    again = release(HALF, frame, columns="s", keep="id", ledger=account, output=tmp_path / "b")
    assert sorted(map(tuple, again.data.collect())) != first
    assert states(account) == ["committed"] * 2


def test_a_frame_that_is_not_the_same_again_is_not_published(
    spark: "SparkSession", account: Account, tmp_path: Path
) -> None:
    from pyspark.sql import functions

    rand = spark.range(300).select(functions.when(functions.rand() < 0.5, "a").otherwise("b"))
    with pytest.raises(DataError, match="not determined"):
        release(HALF, rand.toDF("s"), columns="s", ledger=account, output=tmp_path / "out")
    assert states(account) == []

    # A function that says nothing of its being random.
    def other_each_time(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            drawn = ["a" if byte % 2 else "b" for byte in os.urandom(batch.num_rows)]
            yield pa.RecordBatch.from_arrays([batch.column(0), pa.array(drawn)], ["id", "s"])

    secret = spark.range(300).mapInArrow(other_each_time, "id long, s string")
    with pytest.raises(DataError, match=r"Nothing was published.*stays charged"):
        release(HALF, secret, columns="s", keep="id", ledger=account, output=tmp_path / "out")
    assert states(account) == ["reserved"]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_label_in_the_last_partition_costs_nothing(
    frame: "DataFrame", account: Account, tmp_path: Path
) -> None:
    late = frame.selectExpr("id", "if(id = 599, 'z', s) as s")
    with pytest.raises(DomainError, match="row 599"):
        release(HALF, late, columns="s", ledger=account, output=tmp_path / "out")
    assert states(account) == []
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_nothing(
    frame: "DataFrame", account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(batches: Iterable[pa.RecordBatch], work: Work) -> Iterator[pa.RecordBatch]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
        try:
            answers = list(answer(batches, work))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        yield from answers

    monkeypatch.setattr(jobs, "answer", full)
    with pytest.raises(OutputError, match="could not be written: File too large"):
        release(HALF, frame, columns="s", ledger=account, output=tmp_path / "out")
    assert states(account) == ["reserved"]
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_goes_away_keeps_the_names_back(
    frame: "DataFrame", account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from privet.ledger import Reservation

    def gone(*_: object) -> None:
        assert [path.name[:8] for path in tmp_path.iterdir()] == [".privet-"]
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Reservation, "commit", gone)
        with pytest.raises(KeyboardInterrupt):
            release(HALF, frame, columns="s", ledger=account, output=tmp_path / "out")
    assert states(account) == ["reserved"]
    assert list(tmp_path.iterdir()) == []
    # Running again is another release, which is paid for as well.
    release(HALF, frame, columns="s", ledger=account, output=tmp_path / "out")
    assert states(account) == ["reserved", "committed"]


def test_what_could_draw_twice_is_refused(
    spark: "SparkSession", frame: "DataFrame", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    stream = spark.readStream.format("rate").load().selectExpr("'a' as s")
    with pytest.raises(DataError, match="streaming frame"):
        release(HALF, stream, columns="s", output=out)
    with using_source(ReplaySource(1)), pytest.raises(ParameterError, match="does not reach"):
        release(HALF, frame, columns="s", output=out)
    with pytest.raises(ParameterError, match="no output was named"):
        release(HALF, frame, columns="s")
    same = frame.selectExpr("s", "id as S")
    with pytest.raises(DataError, match="cannot tell the column"):
        release(HALF, same, columns="s", keep="S", output=out)
    out.mkdir()
    with pytest.raises(OutputError, match="exists"):
        release(HALF, frame, columns="s", output=out)
    out.rmdir()
    settings = spark.sparkContext.getConf().set("spark.speculation", "true")
    monkeypatch.setattr(spark.sparkContext, "getConf", lambda: settings)
    with pytest.raises(ParameterError, match="speculation switched on"):
        release(HALF, frame, columns="s", output=out)
    assert list(tmp_path.iterdir()) == []


def test_no_two_tasks_share_bits(spark: "SparkSession") -> None:
    def bits(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            drawn = current_source().words(4).tobytes()
            yield pa.RecordBatch.from_arrays([pa.array([drawn], pa.binary())], names=["bits"])

    tasks = spark.range(0, 16, 1, 16)
    drawn = [
        row["bits"] for _ in range(2) for row in tasks.mapInArrow(bits, "bits binary").collect()
    ]
    assert len(set(drawn)) == len(drawn) == 32
    # What is sent to the tasks has no source of bits in it, and one cannot be sent.
    work = Work(TableRequest({"s": HALF}), ("s",), "0.1.0")
    assert pickle.loads(pickle.dumps(work)).request.mechanisms["s"].to_json() == HALF.to_json()
    with pytest.raises(RandomnessError):
        pickle.dumps((work, current_source()))


def test_a_cluster_without_the_package_says_how_to_ship_it(
    spark: "SparkSession", frame: "DataFrame", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "python"
    # -S: an interpreter that sees no installed package.
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(bare))
    (tmp_path / "there").mkdir()
    with pytest.raises(MissingExtraError, match=r"have no package .*venv-pack"):
        release(HALF, frame, columns="s", output=tmp_path / "there" / "out")
    assert list((tmp_path / "there").iterdir()) == []


def test_other_versions_on_the_executors_are_refused(
    frame: "DataFrame", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "versions_in_use", lambda: {"privet": "0.0.1"})
    with pytest.raises(MissingExtraError, match=r"and the driver has 0\.0\.1"):
        release(HALF, frame, columns="s", output=tmp_path / "out")
