"""A query about series in batches and from memory: one value, one noise, one receipt, one refusal.

Both ways end in the same function of the sums, so that with equal bits the answers are equal; with
bits that make no noise the answer is the value itself.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privet import (
    Ledger,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    MarkovQuilt,
    Release,
    Wasserstein,
    Words,
    queries,
    release,
)
from privet.data import read_table, write_table
from privet.errors import (
    BudgetExceededError,
    DataError,
    DomainError,
    MissingExtraError,
    MissingValueError,
    ParameterError,
    PrivetError,
)
from privet.ledger import Account
from privet.mechanisms.series_sums import Sums
from privet.randomness import using_source
from privet.testing import ChosenSource, ReplaySource

STATES = ["a", "b", "c"]
CHAIN = MarkovChain(
    ["1/2", "1/2", 0], [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/2", "1/2", 0]], STATES
)
"""No series starts in c, and no c follows a c."""
GIVEN = MarkovFramework(CHAIN)
LOOSE = MarkovFramework(
    MarkovChain(["1/3"] * 3, [["1/2", "1/4", "1/4"]] * 3, STATES), initial="any"
)
LAPLACE = MarkovLaplace(LOOSE, epsilon=1)
LONG: dict[str, Any] = {"id": "who", "time": "when", "state": "what"}
WIDE: dict[str, Any] = {"columns": "d0..d4", "ragged": True}
SILENT = ChosenSource(np.zeros_like)
"""Every draw of noise gives 0."""


def _no_bits(_out: Any) -> Any:
    raise AssertionError("a random bit was asked for")


NO_BITS = ChosenSource(_no_bits)

QUERIES: dict[str, Any] = {
    "histogram": "histogram",
    "frequency": "frequency",
    "count": queries.count("b"),
    "share": queries.share(["a", "c"]),
    "transitions": "transitions",
    "runs": queries.run_lengths(3),
    "runs of one": queries.run_lengths(2, "a"),
    "mean": queries.mean({"a": 0, "b": "0.1", "c": 3}),
    "mean off its grid": queries.mean({"a": 0, "b": "1/3", "c": "1/7"}, grid="1/10"),
    "own": queries.custom(lambda word: word.count("b"), constant=1, name="days in b"),
    "own off its grid": queries.custom(
        lambda word: [Fraction(word.count("a"), 3), Fraction(word.count("c"), 7)],
        constant=1,
        size=2,
        grid="1/10",
    ),
}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 16)


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger.open("memory:") as opened:
        yield opened


@pytest.fixture
def account(ledger: Ledger) -> Account:
    return ledger.account("series", LOOSE, 10, unit="step")


def long_table(seed: int = 1, order: str = "disorder", persons: int = 20) -> pa.Table:
    """Series of 5 to 9 steps; in disorder, one after the other, or two apart at the end."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), draw.integers(5, 10, persons))
    if order == "disorder":
        who = draw.permutation(who)
    if order == "apart":
        who[-1] = 0
    columns: dict[str, Any] = {
        "who": [f"p{one:03d}" for one in who],
        "what": draw.choice(STATES, who.size),
        "when": np.arange(who.size) if order != "disorder" else draw.permutation(who.size),
    }
    return pa.table(columns)


def wide_table(seed: int = 1, rows: int = 70) -> pa.Table:
    """Rows of 1 to 5 states."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(1, 6, rows)
    return pa.table(
        {
            f"d{place}": pa.array(
                [str(draw.choice(STATES)) if place < length else None for length in lengths],
                pa.string(),
            )
            for place in range(5)
        }
    )


def put(table: pa.Table, folder: Path, form: str) -> Path:
    """The table as a file, or as a folder of several."""
    if form != "folder":
        path = folder / f"table{form}"
        write_table(table, path)
        return path
    parts = folder / "parts"
    parts.mkdir()
    for number, start in enumerate(range(0, table.num_rows, 30)):
        pq.write_table(table.slice(start, 30), parts / f"{number:03d}.parquet")
    return parts


def both(source: Path, bits: Any, mechanism: Any = LAPLACE, **options: Any) -> list[Release]:
    """From memory and in batches, each with fresh bits."""
    made = []
    for batches in (False, True):
        with using_source(bits()):
            made.append(release(mechanism, source, batches=batches, **options))
    return made


def said(made: Release) -> dict[str, Any]:
    """What the receipt says, but the moment and which libraries were loaded."""
    whole = made.receipt.to_json()
    for name in ("created", "versions", "output"):
        whole.pop(name, None)
    return whole


def agree(source: Path, **options: Any) -> None:
    """Value, noise, interval and receipt are the same."""
    first, second = both(source, lambda: SILENT, **options)
    assert np.asarray(first.data).tolist() == np.asarray(second.data).tolist()
    assert first.rows == second.rows
    assert said(first) == said(second)
    if not isinstance(options["query"], queries.Own):  # whose search draws bits before the noise
        first, second = both(source, lambda: ReplaySource(3), **options)
        assert first.rows == second.rows
        other = both(source, lambda: ReplaySource(4), **options)[1]
        assert other.rows != second.rows


# --------------------------------------------------------------------------------- the same answer


@pytest.mark.parametrize("query", list(QUERIES))
@pytest.mark.parametrize("order", ["in order", "disorder", "apart", "wide"])
def test_every_query_has_the_value_and_the_noise_of_memory(
    tmp_path: Path, query: str, order: str
) -> None:
    table, where = (wide_table(), WIDE) if order == "wide" else (long_table(order=order), LONG)
    agree(put(table, tmp_path, ".parquet"), query=QUERIES[query], **where)


@pytest.mark.parametrize("form", [".csv", ".csv.gz", ".parquet", ".arrow", ".arrows", "folder"])
@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
def test_every_format(tmp_path: Path, form: str, where: dict[str, Any]) -> None:
    table = wide_table() if "columns" in where else long_table()
    if form == ".arrows":
        path = tmp_path / "table.arrow"
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=7)
    else:
        path = put(table, tmp_path, form)
    agree(path, query="transitions", **where)


@pytest.mark.parametrize("mechanism", [MarkovLaplace, MarkovQuilt, Wasserstein])
def test_every_mechanism(tmp_path: Path, mechanism: Any) -> None:
    given = MarkovFramework(CHAIN, initial="stationary")
    table = long_table()
    table = table.set_column(1, "what", pa.array([*"ab"] * table.num_rows)[: table.num_rows])
    path = put(table, tmp_path, ".parquet")
    agree(path, mechanism=mechanism(given, epsilon=1), query=queries.count("a"), **LONG)


def test_steps_stand_ins_and_what_else_a_release_takes(tmp_path: Path) -> None:
    table = long_table()
    what = table["what"].to_pylist()
    what[5], what[80], what[90] = None, "x", None
    path = put(table.set_column(1, "what", pa.array(what)), tmp_path, ".csv")
    options = {"missing": "c", "other": {"what": "a"}, "published": "something", "notes": "so"}
    agree(path, query="histogram", nodes=(1, 4), confidence="0.5", **LONG, **options)
    wide = wide_table().to_pydict()
    wide["d0"][60], wide["d1"][60], wide["d0"][3] = None, "b", "x"
    path = put(pa.table(wide), tmp_path, ".parquet")
    agree(path, query="histogram", nodes=(0, 1), missing="c", other="b", **WIDE)


@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
def test_the_error_of_public_data_is_the_same(tmp_path: Path, where: dict[str, Any]) -> None:
    table = wide_table() if "columns" in where else long_table()
    path = put(table, tmp_path, ".parquet")
    first, second = both(path, lambda: ReplaySource(1), query="histogram", demo=True, **where)
    assert first.realised_errors == second.realised_errors
    assert any(first.realised_errors or ())
    assert release(LAPLACE, path, query="histogram", batches=True, **where).realised_errors is None


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".json"])
def test_the_answer_is_written_and_nothing_else_stays(tmp_path: Path, ending: str) -> None:
    path = put(long_table(), tmp_path, ".parquet")
    output = tmp_path / f"answer{ending}"
    done = release(LAPLACE, path, query="histogram", output=output, batches=True, **LONG)
    assert {place.name for place in tmp_path.iterdir()} == {
        "table.parquet",
        output.name,
        f"{output.name}.receipt.json",
    }
    if ending != ".json":
        values = [int(str(value)) for value in read_table(output)["value"].to_pylist()]
        assert values == done.data.tolist()


word = st.lists(st.sampled_from(STATES), min_size=1, max_size=6)


@given(st.lists(word, min_size=1, max_size=8), st.randoms(use_true_random=False), st.data())
@example([["a"]], None, None)
def test_any_table(
    tmp_path_factory: pytest.TempPathFactory, words: list[list[str]], mix: Any, data: Any
) -> None:
    """Any words, in any order of rows, wherever they are cut."""
    rows = [(who, when, what) for who, word in enumerate(words) for when, what in enumerate(word)]
    query = "transitions"
    if data is not None:
        query = data.draw(st.sampled_from([*QUERIES]))
        if data.draw(st.booleans()):
            mix.shuffle(rows)
    who, when, what = (list(column) for column in zip(*rows, strict=True))
    path = put(
        pa.table({"who": who, "when": when, "what": what}),
        tmp_path_factory.mktemp("any"),
        ".parquet",
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privet.data.batches._MOST_ROWS", 4)
        first, second = both(path, lambda: SILENT, query=QUERIES[query], **LONG)
    assert first.rows == second.rows
    assert said(first) == said(second)


@given(st.lists(st.lists(word, max_size=4), max_size=5), st.sampled_from([*QUERIES]))
def test_sums_do_not_depend_on_parts_or_their_order(
    parts: list[list[list[str]]], query: str
) -> None:
    whole = Sums(LAPLACE, QUERIES[query])
    whole.add(Words.from_lists(LOOSE.alphabet, [one for part in parts for one in part]))
    cut = Sums(LAPLACE, QUERIES[query])
    first = len(whole)
    for part in reversed(parts):
        first -= len(part)
        cut.add(Words.from_lists(LOOSE.alphabet, part), np.arange(first, first + len(part)))
    if not len(whole):
        for one in (whole, cut):
            with pytest.raises(DataError, match="no word"):
                one.question()
        return
    with using_source(SILENT):
        assert whole.question() == cut.question()


def test_sums_are_in_no_repr() -> None:
    sums = Sums(LAPLACE, "histogram")
    sums.add(Words.from_lists(LOOSE.alphabet, [["a"] * 4321]))
    assert "4321, 0" not in repr(sums.question())
    assert "raw" not in repr(sums.question())


# -------------------------------------------------------------------------------- when it is chosen


def test_large_files_and_folders_go_in_batches_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, parts = (put(wide_table(), tmp_path, form) for form in (".csv", "folder"))
    stages: list[str] = []

    def told(source: Path, **more: Any) -> list[str]:
        stages.clear()
        release(
            LAPLACE,
            source,
            query="histogram",
            progress=lambda stage, _done, _total: stages.append(stage),
            **WIDE,
            **more,
        )
        return stages

    assert "checking" not in told(path)
    assert "checking" in told(parts)
    assert "checking" not in told(parts, batches=False)
    monkeypatch.setattr("privet.releasing.in_batches.run.LARGE_FILE", 100)
    assert "checking" in told(path)
    assert "checking" not in told(path, batches=False)
    monkeypatch.setattr("privet.releasing.in_batches.run.find_spec", lambda _name: None)
    assert "checking" in told(path)  # a wide table needs nothing to be sorted


def test_what_is_one_series_or_no_file_is_not_read_in_batches(tmp_path: Path) -> None:
    path = put(long_table(order="in order"), tmp_path, ".parquet")
    one: dict[str, Any] = {"time": "when", "state": "what"}
    for data, where, says in (
        (path, one, "one series in all is never cut"),
        (long_table(), LONG, "only a file or a folder"),
        (["a", "b"], {}, "only a file or a folder"),
        (path, {}, "columns of the series are not named"),
    ):
        with using_source(NO_BITS), pytest.raises(ParameterError, match=f"in batches: .*{says}"):
            release(LAPLACE, data, query="histogram", batches=True, **where)
    with using_source(SILENT):
        done = release(LAPLACE, path, query="histogram", **one)
    assert done.receipt.shape["series"] == 1


def test_progress_counts_rows(tmp_path: Path) -> None:
    path = put(wide_table(), tmp_path, ".parquet")
    told: list[tuple[str, int, int]] = []
    release(
        LAPLACE,
        path,
        query="histogram",
        batches=True,
        progress=lambda *step: told.append(step),
        **WIDE,
    )
    assert [done for stage, done, _ in told if stage == "checking"] == [16, 32, 48, 64, 70]
    assert {total for stage, _, total in told if stage == "checking"} == {70}
    assert [stage for stage, *_ in told][-2:] == ["finding the noise", "drawing"]


def test_input_in_order_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    path = put(long_table(order="in order"), tmp_path, ".parquet")
    rows: list[int] = []

    def progress(stage: str, done: int, _total: int) -> None:
        if stage == "reading the sequences":
            rows.append(done)

    release(LAPLACE, path, query="histogram", batches=True, progress=progress, **LONG)
    assert rows == sorted(set(rows))
    path = put(long_table(order="disorder"), tmp_path, ".csv")
    with using_source(NO_BITS), pytest.raises(MissingExtraError, match="duckdb"):
        release(LAPLACE, path, query="histogram", batches=True, **LONG)


# ------------------------------------------------------------------------------ the same refusal


def refusal(source: Path, batches: bool, **options: Any) -> tuple[Any, ...]:
    """All of the error; no bit is drawn for it."""
    mechanism = options.pop("mechanism", LAPLACE)
    with using_source(NO_BITS), pytest.raises(PrivetError) as caught:
        release(mechanism, source, batches=batches, **options)
    error = caught.value
    return type(error), str(error), error.message, error.hint, error.payload


def refused_alike(source: Path, **options: Any) -> tuple[Any, ...]:
    first, second = (refusal(source, batches, **options) for batches in (False, True))
    assert first == second
    return first


@pytest.mark.parametrize("order", ["in order", "disorder", "apart"])
@pytest.mark.parametrize(
    ("column", "changes", "kind", "says"),
    [
        ("what", {-1: "secret"}, DomainError, "1 row has such a label"),
        ("what", {30: "secret", -1: "secret"}, DomainError, "2 rows have such labels"),
        ("what", {-1: None}, MissingValueError, "no value in the column 'what'"),
        ("who", {-2: None}, MissingValueError, "no value in the column 'who'"),
        ("when", {-1: None}, MissingValueError, "no value in the column 'when'"),
        ("when", {-1: "noon"}, DataError, "order in time is not known"),
    ],
)
def test_a_late_value_of_a_long_table(
    tmp_path: Path, order: str, column: str, changes: dict[int, Any], kind: Any, says: str
) -> None:
    columns = long_table(order=order).to_pydict()
    columns["when"] = [str(when) for when in columns["when"]]
    for row, value in changes.items():
        columns[column][row] = value
    path = put(pa.table(columns), tmp_path, ".parquet")
    error = refused_alike(path, query="histogram", **LONG)
    assert error[0] is kind
    assert says in error[1]
    assert "secret" not in error[1]


@pytest.mark.parametrize("order", ["in order", "disorder"])
def test_rows_of_one_time(tmp_path: Path, order: str) -> None:
    table = long_table(order=order)
    table = table.set_column(2, "when", pa.array([*range(table.num_rows - 1), 0]))
    twice = pa.concat_tables([table, table.slice(100, 2), table.slice(3, 1)])
    error = refused_alike(put(twice, tmp_path, ".parquet"), query="histogram", **LONG)
    assert error[0] is DataError
    assert "have the same 'who' and 'when'" in error[1]


@pytest.mark.parametrize(
    "changes",
    [{("d3", 69): "secret"}, {("d0", 69): None}, {("d2", 68): "x", ("d1", 69): "x"}],
    ids=["label", "gap", "labels"],
)
def test_a_late_value_of_a_wide_table(tmp_path: Path, changes: dict[Any, Any]) -> None:
    columns = wide_table().to_pydict()
    columns["d4"][69] = "a"
    for (name, row), value in changes.items():
        columns[name][row] = value
    path = put(pa.table(columns), tmp_path, ".parquet")
    assert "secret" not in refused_alike(path, query="histogram", **WIDE)[1]
    assert refused_alike(path, query="histogram", columns="d0..d4")[0] in (
        DomainError,
        MissingValueError,
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", ["in order", "disorder", "apart", "wide"])
def test_the_first_series_that_no_chain_makes_is_named_as_in_memory(
    tmp_path: Path, order: str, seed: int
) -> None:
    given = MarkovLaplace(GIVEN, epsilon=1)
    table, where = (wide_table(seed), WIDE) if order == "wide" else (long_table(seed, order), LONG)
    error = refused_alike(put(table, tmp_path, ".csv"), mechanism=given, query="count", **where)
    assert error[0] is ParameterError  # which of three states to count
    error = refused_alike(
        tmp_path / "table.csv", mechanism=given, query=queries.count("a"), **where
    )
    assert error[0] is DomainError
    assert "cannot happen under any chain" in error[1]


def test_a_series_late_in_the_file_has_its_own_number(tmp_path: Path) -> None:
    given = MarkovLaplace(GIVEN, epsilon=1)
    for mixed in (False, True):
        who = np.repeat(np.arange(40), 3)
        what = ["a", "b", "a"] * 39 + ["a", "c", "c"]
        order = np.random.default_rng(1).permutation(120) if mixed else np.arange(120)
        columns: dict[str, Any] = {"who": who, "when": [1, 2, 3] * 40, "what": what}
        table = pa.table(columns).take(order)
        path = put(table, tmp_path, f".{'csv' if mixed else 'parquet'}")
        number = [*dict.fromkeys(table["who"].to_pylist())].index(39)
        error = refused_alike(path, mechanism=given, query="histogram", **LONG)
        assert error[4] == {"word": number, "position": 2}
        assert f"Word {number} cannot happen" in error[1]


def test_rows_without_states_and_steps_that_are_not_there(tmp_path: Path) -> None:
    columns = wide_table().to_pydict()
    path = put(pa.table(columns), tmp_path, ".parquet")
    assert "not a range" in refused_alike(path, query="histogram", nodes=(1, 3), **WIDE)[1]
    for row in (33, 65):
        for name in columns:
            columns[name][row] = None
    path = put(pa.table(columns), tmp_path, ".csv")
    error = refused_alike(path, query="histogram", nodes=(1, 3), **WIDE)
    assert error[1].startswith("Word 33 is empty; 2 of 70 are.")


@pytest.mark.parametrize("order", ["in order", "disorder", "wide"])
def test_a_function_that_fails_names_the_word_as_in_memory(
    tmp_path: Path, account: Account, order: str
) -> None:
    draw = np.random.default_rng(2)
    words = [draw.choice(STATES, draw.integers(7, 10)).tolist() for _ in range(40)]
    bad = {tuple(words[11]), tuple(words[29])}

    def value(word: list[str]) -> int:
        if tuple(word) in bad:
            raise ValueError("secret")
        return word.count("a")

    query = queries.custom(value, constant=1, name="for word 11: it")
    if order == "wide":
        columns = {
            f"d{n}": [word[n] if n < len(word) else None for word in words] for n in range(9)
        }
        table, where = pa.table(columns), {**WIDE, "columns": "d*"}
    else:
        rows = [
            (who, when, what) for who, word in enumerate(words) for when, what in enumerate(word)
        ]
        if order == "disorder":
            rows = [rows[row] for row in draw.permutation(len(rows))]
        who, when, what = zip(*rows, strict=True)
        table, where = pa.table({"who": who, "when": when, "what": what}), LONG
    path = put(table, tmp_path, ".parquet")
    errors = []
    for batches in (False, True):
        with using_source(ReplaySource(1)), pytest.raises(DataError, match="no value") as caught:
            release(LAPLACE, path, query=query, batches=batches, ledger=account, **where)
        assert account.spent() == 0
        errors.append((str(caught.value), caught.value.hint, caught.value.payload))
    assert errors[0] == errors[1]
    assert "secret" not in errors[0][0]
    if order != "disorder":
        assert errors[0][2] == {"word": 11}


def test_a_constant_that_does_not_hold_keeps_its_function_from_the_data(tmp_path: Path) -> None:
    path, seen = put(wide_table(), tmp_path, ".parquet"), []

    def value(word: list[str]) -> int:
        seen.append(len(word))
        return 2 * word.count("a")

    query = queries.custom(value, constant=1)
    with using_source(ReplaySource(1)), pytest.raises(ParameterError, match="too small"):
        release(LAPLACE, path, query=query, batches=True, **WIDE)
    tried = len(seen)
    with using_source(ReplaySource(1)), pytest.raises(ParameterError, match="too small"):
        query.verify(LOOSE.alphabet, [1, 2, 3, 4, 5])
    assert len(seen) == 2 * tried  # random public words, and none of the 70


# --------------------------------------------------------------------------- changes, ledgers, ends


@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
@pytest.mark.parametrize("change", ["touched", "appended", "replaced", "removed"])
def test_a_file_that_changes_is_not_answered_about(
    tmp_path: Path, account: Account, where: dict[str, Any], change: str
) -> None:
    table = wide_table() if "columns" in where else long_table()
    path = put(table, tmp_path, ".parquet")
    other = tmp_path / "other.parquet"
    write_table(pa.concat_tables([table, table]), other)
    told: list[str] = []

    def progress(stage: str, _done: int, _total: int) -> None:
        told.append(stage)
        # The last batch is read by then, or the rows wait on the disk.
        if stage == "reading the sequences" or told.count(stage) != (
            5 if stage == "checking" else 1
        ):
            return
        if stage not in ("checking", "sorting the sequences"):
            return
        if change == "touched":
            os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
        elif change == "appended":
            path.write_bytes(other.read_bytes())
        elif change == "replaced":
            other.replace(path)
        else:
            path.unlink()

    with using_source(NO_BITS), pytest.raises(DataError, match="was changed while it was read"):
        release(
            LAPLACE,
            path,
            query="histogram",
            output=tmp_path / "answer.csv",
            batches=True,
            ledger=account,
            progress=progress,
            **where,
        )
    assert {place.name for place in tmp_path.iterdir()} <= {"table.parquet", "other.parquet"}
    assert account.spent() == 0


@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
def test_a_late_label_charges_nothing(
    tmp_path: Path, account: Account, where: dict[str, Any]
) -> None:
    columns = (wide_table() if "columns" in where else long_table()).to_pydict()
    columns["what" if "what" in columns else "d0"][-1] = "secret"
    path = put(pa.table(columns), tmp_path, ".parquet")
    for batches in (False, True):
        with using_source(NO_BITS), pytest.raises(DomainError, match="1 row has such a label"):
            release(
                LAPLACE,
                path,
                query="histogram",
                output=tmp_path / "answer.csv",
                batches=batches,
                ledger=account,
                **where,
            )
        assert len(account.history()) == 1  # that it was opened
    assert [place.name for place in tmp_path.iterdir()] == ["table.parquet"]


@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
def test_an_account_is_charged_as_from_memory(
    tmp_path: Path, ledger: Ledger, where: dict[str, Any]
) -> None:
    path = put(wide_table() if "columns" in where else long_table(), tmp_path, ".parquet")
    spent = []
    for batches in (False, True):
        account = ledger.account(f"account {batches}", LOOSE, "1.5", unit="step")
        options = {"query": "histogram", "ledger": account, "batches": batches, **where}
        done = release(LAPLACE, path, **options)
        assert done.receipt.ledger is not None
        assert "committed" in [entry.state for entry in account.history()]
        spent.append(account.spent())
        with using_source(NO_BITS), pytest.raises(BudgetExceededError):
            release(LAPLACE, path, **options)
        assert account.spent() == spent[-1]
    assert spent[0] == spent[1] > 0


@pytest.mark.parametrize("where", [LONG, WIDE], ids=["long", "wide"])
def test_an_interrupt_leaves_nothing(tmp_path: Path, where: dict[str, Any]) -> None:
    path = put(wide_table() if "columns" in where else long_table(), tmp_path, ".parquet")
    for stop in ("checking", "sorting the sequences", "finding the noise", "drawing"):
        seen: list[str] = []

        def progress(
            now: str, _done: int, _total: int, stop: str = stop, seen: list[str] = seen
        ) -> None:
            seen.append(now)
            if now == stop:
                signal.raise_signal(signal.SIGINT)

        options: dict[str, Any] = {"output": tmp_path / "o.csv", "progress": progress, **where}
        try:
            release(LAPLACE, path, query="histogram", batches=True, overwrite=True, **options)
        except KeyboardInterrupt:
            assert {place.name for place in tmp_path.iterdir()} == {"table.parquet"}
        else:
            assert stop not in seen  # the other kind of table has that stage
            (tmp_path / "o.csv").unlink()
            (tmp_path / "o.csv.receipt.json").unlink()


PROGRAM = """
import os, resource, signal, sys
from pathlib import Path
from privet import Ledger, MarkovChain, MarkovFramework, MarkovLaplace, release

what, folder = sys.argv[1], Path(sys.argv[2])
chain = MarkovChain(["1/3"] * 3, [["1/2", "1/4", "1/4"]] * 3, ["a", "b", "c"])
mechanism = MarkovLaplace(MarkovFramework(chain, initial="any"), epsilon=1)
where = {"id": "who", "time": "when", "state": "what"}

def progress(stage, done, total):
    if what == stage:
        os.kill(os.getpid(), signal.SIGKILL)

if what in ("in order", "disorder"):
    import privet.data.batches, privet.data.buckets, privet.data.spilling
    privet.data.batches._MOST_ROWS = privet.data.buckets.ROWS_TOGETHER = 1 << 14
    privet.data.spilling.BATCH = 1 << 14
    done = release(mechanism, folder / f"{what}.parquet", query="histogram", batches=True, **where)
    print(done.receipt.shape["steps"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
else:
    with Ledger.open(folder / "spend.db") as ledger:
        release(
            mechanism,
            folder / "table.parquet",
            query="histogram",
            output=folder / "o.csv",
            ledger=ledger.account("series"),
            batches=True,
            progress=progress,
            **where,
        )
"""


def in_process(what: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize(("stage", "paid"), [("sorting the sequences", False), ("drawing", True)])
def test_a_killed_process_leaves_no_answer(tmp_path: Path, stage: str, paid: bool) -> None:
    put(long_table(), tmp_path, ".parquet")
    with Ledger.open(tmp_path / "spend.db", create=True) as ledger:
        ledger.account("series", LOOSE, 10, unit="step")
    assert in_process(stage, tmp_path).returncode == -signal.SIGKILL
    left = {place.name for place in tmp_path.iterdir() if "spend.db" not in place.name}
    assert all(name == "table.parquet" or name.startswith(".privet-") for name in left)
    with Ledger.open(tmp_path / "spend.db") as ledger:
        assert bool(ledger.account("series").spent()) == paid


@pytest.mark.parametrize("order", ["in order", "disorder"])
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, order: str) -> None:
    most = []
    for rows in (200_000, 1_200_000):
        at = np.arange(rows)
        if order == "disorder":
            at = np.random.default_rng(1).permutation(rows)
        columns: dict[str, Any] = {
            "who": at // 100,
            "when": at,
            "what": pa.array(STATES).take(at % 3),
        }
        pq.write_table(pa.table(columns), tmp_path / f"{order}.parquet", row_group_size=20_000)
        done = in_process(order, tmp_path)
        assert done.returncode == 0, done.stderr
        steps, size = map(int, done.stdout.split())
        assert steps == rows
        most.append(size)
    # A million rows more are 33 bytes each as numbers alone, and some 200 while they are read.
    assert most[1] - most[0] < 50_000
