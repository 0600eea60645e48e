"""Long tables out of core: when DuckDB is needed, what is on the disk, and how it all ends.

That words, rows and refusals are those of the table in memory is in tests/property.
"""

import resource
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.data import (
    LongColumns,
    LongSequences,
    WordBlock,
    count_sequences,
    long_sequences,
    persons_above,
    spill_folder,
)
from privet.data.long_rows import Order
from privet.errors import (
    DataError,
    DomainError,
    MissingExtraError,
    MissingValueError,
    OutputError,
    ParameterError,
)
from privet.symbols import Alphabet, Words

ALPHABET = Alphabet(["a", "b", "c"])
COLUMNS = LongColumns("person", "when", "what", ALPHABET)
MARK = "person-of-that-name-"


class Batches:
    """The same batches each time, and how often they were read."""

    def __init__(self, table: pa.Table, size: int) -> None:
        self.table, self.size, self.passes = table, size, 0

    def __iter__(self) -> Iterator[pa.Table]:
        self.passes += 1
        for start in range(0, self.table.num_rows, self.size):
            yield self.table.slice(start, self.size)


def long_table(persons: list[Any], times: list[Any], states: str) -> pa.Table:
    return pa.table({"person": persons, "when": times, "what": [*states]})


@contextmanager
def opened(batches: Any, folder: Path, **options: Any) -> Iterator[LongSequences]:
    with (
        spill_folder(folder) as place,
        long_sequences(batches, COLUMNS, folder=place, **options) as found,
    ):
        yield found


def words_of(batches: Any, folder: Path) -> list[list[Any]]:
    with opened(batches, folder) as found:
        return [word for block in found.blocks() for word in block.words]


@pytest.fixture
def no_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)


@pytest.mark.usefixtures("no_duckdb")
@pytest.mark.parametrize("size", [1, 2, 3, 4, 99])
def test_sequences_one_after_the_other_need_no_sorting(tmp_path: Path, size: int) -> None:
    # The second has rows in up to five batches; ids come in no order.
    table = long_table([7, 2, 2, 2, 2, 2, 5], [9, 1, 2, 3, 4, 5, 0], "abcabca"[:7])
    found = words_of(Batches(table, size), tmp_path)
    assert found == [["a"], ["b", "c", "a", "b", "c"], ["a"]]


@pytest.mark.usefixtures("no_duckdb")
@pytest.mark.parametrize(
    ("persons", "times"),
    [
        ([1, 1, 2], [2, 1, 1]),  # times fall
        ([1, 1, 2], [1, 1, 1]),  # a time comes twice
        ([1, 2, 1], [1, 1, 2]),  # an id in two runs
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_any_other_order_needs_duckdb_and_says_how_to_get_it(
    tmp_path: Path, persons: list[int], times: list[int], size: int
) -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'privet\[large\]'"):
        words_of(Batches(long_table(persons, times, "abc"), size), tmp_path)
    assert not [*tmp_path.iterdir()]


def test_more_runs_than_are_remembered_are_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Order, "MOST_RUNS", 3)
    table = long_table([1, 2, 3, 4], [0, 0, 0, 0], "abca")
    assert sorted(words_of(Batches(table, 2), tmp_path)) == [["a"], ["a"], ["b"], ["c"]]
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError):
        words_of(Batches(table, 2), tmp_path)


def test_a_person_longer_than_any_batch_is_whole(tmp_path: Path) -> None:
    rows = 600_000  # more than DuckDB gives back at once
    order = np.random.default_rng(8).permutation(rows)
    table = pa.table(
        {
            "person": pa.array(np.where(order < 5, 1, 0)),
            "when": pa.array(order),
            "what": pa.array(np.array([*"abc"])[order % 3]),
        }
    )
    with opened(Batches(table, 1 << 16), tmp_path) as found:
        assert found.lengths == {5: 1, rows - 5: 1}
        for block in found.blocks():
            assert (order[block.rows] % 3 == block.words.codes).all()
            assert all((np.diff(order[word]) > 0).all() for word in _cut(block))


def _cut(block: Any) -> list[Any]:
    return np.split(block.rows, block.words.offsets[1:-1])


def test_categories_keep_the_order_of_their_list_over_batches(tmp_path: Path) -> None:
    def times(codes: list[int], listed: list[str]) -> Any:
        return pa.DictionaryArray.from_arrays(
            pa.array(codes, pa.int8()), pa.array(listed), ordered=True
        )

    listed = ["spring", "summer", "autumn"]
    when: Any = pa.chunked_array([times([2], listed), times([0], listed), times([1], listed)])
    table = pa.table({"person": [1, 1, 1], "when": when, "what": ["c", "a", "b"]})
    assert words_of(Batches(table, 1), tmp_path) == [["a", "b", "c"]]


def test_ids_that_differ_beyond_their_beginning_are_two(tmp_path: Path) -> None:
    names = ["p" * 15, "p" * 16, "p" * 40, "p" * 39 + "q", "p" * 14 + "\0", "p" * 14, ""]
    table = long_table(names * 2, [0] * 7 + [1] * 7, "abcabca" + "bbbbbbb")
    assert sorted(words_of(Batches(table, 3), tmp_path)) == sorted(
        [state, "b"] for state in "abcabca"
    )


def test_blocks_can_be_read_as_often_as_wanted(tmp_path: Path) -> None:
    for persons in ([1, 1, 2], [1, 2, 1]):
        table = long_table(persons, [1, 2, 3], "abc")
        with opened(Batches(table, 2), tmp_path) as found:
            first, again = ([b.words.to_lists() for b in found.blocks()] for _ in range(2))
        assert first == again


def test_what_was_released_is_read_by_row_once_all_is_there(tmp_path: Path) -> None:
    table = long_table([1, 2, 1, 2], [2, 2, 1, 1], "abca")
    with opened(Batches(table, 3), tmp_path) as found:
        first, last = found.blocks()
        found.put(first, first.words)
        with pytest.raises(DataError, match="Not every sequence"):
            found.released(0, 4)
        with pytest.raises(DataError, match="number or lengths"):
            found.put(last, Words(ALPHABET, [0, 0], [0, 1, 2]))
        found.put(last, last.words)
        assert ALPHABET.decode(found.released(0, 4)) == ["a", "b", "c", "a"]
        assert ALPHABET.decode(found.released(2, 3)) == ["c"]
        found.put(last, last.words)
        with pytest.raises(DataError, match="or one of them twice"):
            found.released(0, 4)


def test_the_input_is_read_twice(tmp_path: Path) -> None:
    for persons in ([1, 1, 2, 3], [1, 2, 1, 3]):
        batches = Batches(long_table(persons, [1, 2, 3, 4], "abca"), 3)
        words_of(batches, tmp_path)
        assert batches.passes == 2


def test_an_input_that_changes_between_passes_is_refused(tmp_path: Path) -> None:
    class Changing(Batches):
        then: pa.Table

        def __iter__(self) -> Iterator[pa.Table]:
            yield from super().__iter__()
            self.table = self.then

    for then in (
        long_table([1, 1, 2], [1, 2, 3], "abc"),
        long_table([1, 2, 1, 3], [1, 2, 3, 4], "abca"),
    ):
        batches = Changing(long_table([1, 1, 2, 2], [1, 2, 3, 4], "abca"), 2)
        batches.then = then
        with pytest.raises(DataError, match="changed while it was read"):
            words_of(batches, tmp_path)


def test_types_that_change_between_batches_are_refused(tmp_path: Path) -> None:
    one = long_table([1], [1], "a")
    other = long_table(["2"], [1], "a")
    with pytest.raises(DataError, match="change their types"):
        words_of([one, other], tmp_path)
    # Values that are listed once are the same values.
    listed = long_table(["2"], [2], "b")
    listed = listed.set_column(0, "person", listed["person"].dictionary_encode())
    assert words_of([other, listed], tmp_path) == [["a", "b"]]


def test_a_late_label_is_refused_with_its_row_and_all_are_counted(tmp_path: Path) -> None:
    rows = 40
    states = ["a"] * rows
    states[17] = states[38] = "of no alphabet"
    table = pa.table({"person": [0] * rows, "when": range(rows, 0, -1), "what": states})
    with pytest.raises(DomainError, match=r"row 17 .* 2 rows have such labels") as caught:
        words_of(Batches(table, 4), tmp_path)
    assert "of no alphabet" not in str(caught.value)
    assert caught.value.payload["position"] == 17


def test_columns_are_three(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="three different columns"):
        LongColumns("person", "person", "what", ALPHABET)
    with pytest.raises(DataError, match="no column 'when'"):
        words_of([pa.table({"person": [1], "what": ["a"]})], tmp_path)


def test_persons_without_a_name_are_not_counted(tmp_path: Path) -> None:
    table = pa.table({"person": [1, 1, 2, None, 1, None]})
    with pytest.raises(MissingValueError, match=r"Row 3 .* 2 rows have none"):
        persons_above(Batches(table, 2), "person", 1, folder=tmp_path)
    assert persons_above(Batches(table.slice(0, 3), 2), "person", 1, folder=tmp_path) == 1


def spilling_table(rows: int) -> pa.Table:
    """Rows in no order, more than the little memory allowed below holds."""
    order = np.random.default_rng(3).permutation(rows)
    names = pa.array([f"{MARK}{number:06d}" for number in range(rows // 50)])
    persons = pa.DictionaryArray.from_arrays(pa.array(order // 50, pa.int32()), names)
    states = pa.DictionaryArray.from_arrays(
        pa.array(order % 3, pa.int8()), pa.array(["a", "b", "c"])
    )
    times = pa.array(order + 0x5152535455565700)
    return pa.table({"person": persons, "when": times, "what": states})


def test_nothing_on_the_disk_names_a_person_or_a_state_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.data.buckets.ROWS_TOGETHER", 1 << 30)
    table, seen = spilling_table(800_000), b""
    sizes: list[int] = []

    def look(stage: str, done: int, _: int) -> None:
        nonlocal seen
        if stage.startswith("sorting") and done:
            files = [path for path in place.rglob("*") if path.is_file()]
            sizes.append(sum(path.stat().st_size for path in files))
            seen = max(seen, b"".join(path.read_bytes() for path in files), key=len)

    with spill_folder(tmp_path) as place:
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        assert place.name.startswith(".privet-")
        with long_sequences(
            Batches(table, 1 << 16), COLUMNS, folder=place, memory=24 << 20, threads=1, tell=look
        ) as found:
            assert found.lengths == {50: 16000}
            blocks = [*found.blocks()]
            assert sum(block.rows.size for block in blocks) == 800_000
            for block in blocks:
                found.put(block, block.words)
            states: Any = table["what"].combine_chunks()
            assert (found.released(0, 800_000) == np.asarray(states.indices)).all()
        assert not [*place.iterdir()]
    assert not [*tmp_path.iterdir()]
    assert max(sizes) > 1_000_000  # it did go through the disk (pressed together, at times),
    assert MARK.encode() not in seen  # and nobody's name.
    numbers = np.frombuffer(seen[: len(seen) // 8 * 8], np.int64)
    small = np.unique(numbers[(numbers > 1000) & (numbers < 800_000)])
    assert small.size < 10_000  # nor the numbers of the rows


def test_too_little_memory_is_said_without_what_the_library_says(tmp_path: Path) -> None:
    batches = Batches(spilling_table(200_000), 1 << 16)
    with pytest.raises(OutputError) as caught, opened(batches, tmp_path, memory=1 << 20):
        pass
    assert str(caught.value) == (
        "The rows could not be sorted on the disk: the disk is full, or the memory allowed is too "
        f"small. Free some space in {tmp_path}, or allow more memory."
    )
    assert caught.value.__suppress_context__
    assert not [*tmp_path.iterdir()]


BAR = """
import sys
from pathlib import Path
import pyarrow as pa
from privet.data.spilling import spilled
query = "SELECT value = 'true' FROM duckdb_settings() WHERE name = 'enable_progress_bar'"
schema = pa.schema([("n", pa.int64())])
answer = spilled(query, [], schema, folder=Path(sys.argv[1]))
print([batch.column(0).to_pylist() for batch in answer])
"""


def test_the_library_prints_no_bar_of_its_own_where_it_thinks_that_someone_types(
    tmp_path: Path,
) -> None:
    # It takes a program without a file, as in a notebook, to be typed.
    command = [sys.executable, "-c", BAR, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[[False]]\n"


def test_buckets_are_sorted_one_by_one_and_together_are_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.data.buckets.ROWS_TOGETHER", 2000)
    table = spilling_table(20_000)
    expected = np.asarray(table["when"])
    with opened(Batches(table, 3000), tmp_path) as found:
        assert found.lengths == {50: 400}
        blocks = [*found.blocks()]
        assert len(blocks) > 10
        rows = np.concatenate([block.rows for block in blocks])
        assert np.sort(rows).tolist() == [*range(20_000)]
        for block in blocks:
            assert all((np.diff(expected[word]) == 1).all() for word in _cut(block))


class WrittenElsewhereError(Exception):
    """An error of whoever makes the batches."""


@pytest.mark.parametrize("kind", [WrittenElsewhereError, KeyboardInterrupt, OSError, MemoryError])
def test_what_goes_wrong_in_the_input_comes_through_and_nothing_stays(
    tmp_path: Path, kind: type[BaseException]
) -> None:
    class Broken(Batches):
        def __iter__(self) -> Iterator[pa.Table]:
            yield from super().__iter__()
            raise kind("of the input")

    table = long_table([1, 2, 1], [1, 2, 3], "abc")
    with pytest.raises(kind, match="of the input"):
        words_of(Broken(table, 3), tmp_path)
    assert not [*tmp_path.iterdir()]


_SCRIPT = """
    import signal, sys, resource
    from pathlib import Path
    import numpy as np, pyarrow as pa
    from privet.data import LongColumns, long_sequences, spill_folder
    from privet.symbols import Alphabet

    class Endless:
        def __iter__(self):
            rng = np.random.default_rng(1)
            size = 1 << 16
            for step in range(int(sys.argv[2])):
                yield pa.table({
                    "person": rng.integers(0, 1000, size), "when": rng.integers(0, 1 << 60, size),
                    "what": pa.array(["a", "b"]).take(pa.array(rng.integers(0, 2, size))),
                })
                if step == 20:
                    print("ready", flush=True)

    limit = int(sys.argv[3])
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    columns = LongColumns("person", "when", "what", Alphabet(["a", "b"]))
    with spill_folder(Path(sys.argv[1])) as place:
        with long_sequences(Endless(), columns, folder=place, memory=32 << 20) as found:
            for block in found.blocks():
                found.put(block, block.words)
"""


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    started: list[Any] = []

    def start(batches: int, limit: int = 0) -> Any:
        folder = tmp_path / "beside"
        folder.mkdir(exist_ok=True)
        arguments = [str(folder), str(batches), str(limit)]
        run = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_SCRIPT), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(run)
        return run, folder

    yield start
    for run in started:
        run.kill()
        run.communicate(timeout=60)


def test_ctrl_c_ends_the_sorting_and_nothing_stays(script: Callable[..., Any]) -> None:
    run, folder = script(1_000_000)
    assert run.stdout.readline() == "ready\n"
    assert [*folder.iterdir()]
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert run.returncode
    assert not [*folder.iterdir()]


# A limit on the size of files stands for a full disk.
@pytest.mark.parametrize("limit", [1 << 20, 4 << 20])
def test_a_full_disk_is_an_error_and_nothing_stays(script: Callable[..., Any], limit: int) -> None:
    run, folder = script(40, limit)
    _, said = run.communicate(timeout=120)
    assert "privet.errors.OutputError" in said
    assert "Free some space in" in said
    assert run.returncode == 1
    assert not [*folder.iterdir()]


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    pytest.importorskip("duckdb")  # its bytecode would be cut short under the limit, and stay
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class Counted:
    """Sequences that are counted as they come."""

    def __init__(self) -> None:
        self.words = 0

    def add(self, block: WordBlock) -> None:
        self.words += len(block.words)


# Of few rows nothing is written before all of them are put away.
@pytest.mark.parametrize(("rows", "limit"), [(200, 1), (200, 100), (20_000, 100), (20_000, 2000)])
def test_a_disk_may_be_full_at_any_time(tmp_path: Path, rows: int, limit: int) -> None:
    persons = [row % 7 for row in range(rows)]
    table = long_table(persons, [*range(rows)], "ab" * (rows // 2))
    batches = Batches(table, 1000)
    with files_up_to(limit), spill_folder(tmp_path) as place:
        with pytest.raises(OutputError, match="Temporary files could not be written"):
            count_sequences(batches, COLUMNS, Counted, folder=place)
        with (
            pytest.raises(OutputError, match="Temporary files could not be written"),
            long_sequences(batches, COLUMNS, folder=place),
        ):
            pass
    assert not [*tmp_path.iterdir()]


def test_a_killed_process_leaves_a_hidden_folder_and_nobody_trips_over_it(
    script: Callable[..., Any],
) -> None:
    run, folder = script(1_000_000)
    assert run.stdout.readline() == "ready\n"
    run.kill()
    run.communicate(timeout=60)
    (left,) = folder.iterdir()
    assert left.name.startswith(".privet-")
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    assert all(path.name.startswith("duckdb_temp") for path in left.rglob("*"))
    run, _ = script(3)
    run.communicate(timeout=120)
    assert run.returncode == 0
    assert [*folder.iterdir()] == [left]
