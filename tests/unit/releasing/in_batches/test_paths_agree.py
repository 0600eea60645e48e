"""A release in batches and the same release in memory: one receipt, one schema, one order of rows.

The draws differ; where one batch holds all rows they are made in the same order, and with replayed
bits the two releases are equal.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import (
    Alphabet,
    Language,
    MarkovChain,
    RandomizedResponse,
    Release,
    WordExponential,
    WordStaircase,
    release,
)
from privet.data import names_in_file, read_table, write_table
from privet.errors import DataError, ParameterError
from privet.randomness import using_source
from privet.testing import ReplaySource

ABC = Alphabet(["a", "b", "c"])
ROWS = 210
FORMATS = (".csv", ".csv.gz", ".parquet", ".arrow")


def table_of(seed: int, rows: int = ROWS) -> pa.Table:
    draw = np.random.default_rng(seed)

    def labels(symbols: str) -> Any:
        return pa.array(draw.choice([*symbols], rows))

    ids = draw.permutation(np.repeat(np.arange(rows // 7), 7))
    return pa.table(
        {
            "row": pa.array(np.arange(rows)),
            "who": pa.array([f"p{one:03d}" for one in ids]).dictionary_encode(),
            "d1": labels("abc"),
            "when": pa.array(draw.permutation(rows)),
            "d2": labels("abc").dictionary_encode(),
            "code": pa.array(draw.integers(0, 4, rows)),
            "d3": pa.array([*draw.choice(["a", "b"], rows - 60), *[None] * 60]),
            "kind": labels("uvw").dictionary_encode(),
        }
    )


TABLE = table_of(1)
CHAIN = MarkovChain([0.5, 0.25, 0.25], [[0.5, 0.25, 0.25]] * 3, [*"abc"])
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "columns": (
        {
            "d1": RandomizedResponse(ABC, epsilon=1),
            "d2": RandomizedResponse(ABC, epsilon=2),
            "code": RandomizedResponse(Alphabet(range(4)), epsilon="0.5"),
        },
        {"keep": ["row", "kind"]},
    ),
    "stand-ins": (
        {"d3": RandomizedResponse(Alphabet(["a", "other", "none"]), epsilon=1, delta="1e-9")},
        {"other": "other", "missing": {"d3": "none"}, "published": "something"},
    ),
    "persons": (
        {"d1": RandomizedResponse(ABC, epsilon="0.1")},
        {"person": "who", "rows_per_person": 7},
    ),
    "wide": (WordExponential(ABC, epsilon=2, adjacency=2), {"columns": "d1..d2", "keep": "kind"}),
    "ragged": (
        WordStaircase(ABC, epsilon=2),
        {"columns": ["d2", "d1", "d3"], "ragged": True, "keep": ["row"]},
    ),
    "wide on a language": (
        WordExponential(Language.from_regex(ABC, "[abc]*"), epsilon=1),
        {"columns": ["d1", "d2"]},
    ),
    "decoded": (
        RandomizedResponse(ABC, epsilon=1),
        {"columns": ["d1", "d2"], "adjacency": 1, "decode": CHAIN},
    ),
    "long": (
        RandomizedResponse(ABC, epsilon=1),
        {"id": "who", "time": "when", "state": "d1", "keep": ["kind", "row"]},
    ),
    "long, decoded": (
        RandomizedResponse(ABC, epsilon=1),
        {"id": "who", "time": "when", "state": "d2", "decode": CHAIN, "adjacency": 2},
    ),
}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 64)


def both(case: str, source: Path, ending: str, seed: int | None = None) -> list[Release]:
    mechanism, options = CASES[case]
    made = []
    for batches in (False, True):
        output = source.parent / f"released-{batches}{ending}"
        with using_source(ReplaySource(seed or 0)):
            done = release(mechanism, source, output=output, batches=batches, **options)
        made.append(done)
    return made


def receipt_of(made: Release) -> dict[str, Any]:
    """What must be equal: all but the file, the moment, and which libraries were loaded."""
    whole = made.receipt.to_json()
    assert whole.pop("output")["name"].startswith("released-")
    del whole["created"], whole["versions"]
    return whole


@pytest.mark.parametrize("case", list(CASES))
@pytest.mark.parametrize(("come", "go"), [*zip(FORMATS, FORMATS[1:] + FORMATS[:1], strict=True)])
def test_receipt_schema_and_order_are_the_same(
    tmp_path: Path, case: str, come: str, go: str
) -> None:
    source = tmp_path / f"table{come}"
    write_table(TABLE, source)
    whole, parts = both(case, source, go)
    assert receipt_of(whole) == receipt_of(parts)
    first, second = (read_table(tmp_path / f"released-{each}{go}") for each in (False, True))
    assert first.schema.equals(second.schema, check_metadata=True)
    released = {str(part.column) for part in whole.receipt.parts} | {"d1", "d2", "d3"}
    for name in set(first.column_names) - released:
        assert first.column(name).to_pylist() == second.column(name).to_pylist()
    assert first.num_rows == second.num_rows == ROWS
    for name in released & set(first.column_names):
        nothing = [value is None for value in first.column(name).to_pylist()]
        assert nothing == [value is None for value in second.column(name).to_pylist()]
    if go == ".arrow":
        for name in first.column_names:
            if pa.types.is_dictionary(first.schema.field(name).type):
                columns: list[Any] = [each.column(name) for each in (first, second)]
                lists = [each.unify_dictionaries().chunk(0).dictionary for each in columns]
                assert lists[0] == lists[1]


@pytest.mark.parametrize("case", ["columns", "stand-ins", "wide", "ragged", "decoded"])
def test_in_one_batch_the_same_bits_make_the_same_release(
    tmp_path: Path, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 1 << 20)
    source = tmp_path / "table.parquet"
    write_table(TABLE, source)
    whole, parts = both(case, source, ".arrow", seed=5)
    assert whole.data.to_pydict() == parts.data.to_pydict()
    other = both(case, tmp_path / "table.parquet", ".csv", seed=6)[1]
    assert other.data.to_pydict() != parts.data.to_pydict()


def test_a_folder_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for start in range(0, ROWS, 50):
        pq.write_table(TABLE.slice(start, 50), folder / f"{start:04d}.parquet")
    mechanism, options = CASES["columns"]
    parts = release(mechanism, folder, output=tmp_path / "parts.parquet", **options)
    write_table(TABLE, tmp_path / "one.parquet")
    whole = release(mechanism, tmp_path / "one.parquet", output=tmp_path / "w.parquet", **options)
    first, second = whole.receipt.to_json(), parts.receipt.to_json()
    for name in ("output", "created", "versions"):
        del first[name], second[name]
    assert first == second
    assert parts.data.schema == whole.data.schema
    assert parts.data.column("row").to_pylist() == [*range(ROWS)]
    assert names_in_file(folder) == TABLE.column_names


def test_a_folder_without_output_is_read_whole(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(TABLE.select(["d1"]), folder / "a.parquet")
    pq.write_table(TABLE.select(["d1"]), folder / "b.parquet")
    done = release({"d1": RandomizedResponse(ABC, epsilon=1)}, folder)
    assert done.data.num_rows == 2 * ROWS


def test_large_files_go_in_batches_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "table.csv"
    write_table(TABLE, source)
    mechanism, options = CASES["columns"]
    stages: list[str] = []

    def release_to(name: str, **more: Any) -> list[str]:
        stages.clear()
        release(
            mechanism,
            source,
            output=tmp_path / name,
            progress=lambda stage, _done, _total: stages.append(stage),
            **options,
            **more,
        )
        return stages

    assert "drawing and writing" not in release_to("a.csv")
    monkeypatch.setattr("privet.releasing.in_batches.run.LARGE_FILE", 100)
    assert "drawing and writing" in release_to("b.csv")
    assert "drawing and writing" not in release_to("c.csv", batches=False)


def test_what_cannot_go_in_batches_is_refused_if_it_is_asked_for(tmp_path: Path) -> None:
    source = tmp_path / "table.csv"
    write_table(TABLE, source)
    mechanism, options = CASES["columns"]
    cases: list[tuple[Any, dict[str, Any]]] = [(source, {}), (TABLE, {"output": "o.csv"})]
    for data, more in cases:
        with pytest.raises(ParameterError, match="in batches"):
            release(mechanism, data, batches=True, **options, **more)
    with pytest.raises(ParameterError, match="in batches: only columns"):
        release(RandomizedResponse(ABC, epsilon=1), [*"abc"], batches=True)


def test_progress_counts_rows(tmp_path: Path) -> None:
    source = tmp_path / "table.parquet"
    write_table(TABLE, source)
    mechanism, options = CASES["columns"]
    told: list[tuple[str, int, int]] = []
    release(
        mechanism,
        source,
        output=tmp_path / "o.parquet",
        batches=True,
        progress=lambda *step: told.append(step),
        **options,
    )
    for stage in ("checking", "drawing and writing"):
        assert [done for one, done, _ in told if one == stage] == [64, 128, 192, 210]
        assert {total for one, _, total in told if one == stage} == {ROWS}


def test_the_data_are_read_once_they_are_asked_for(tmp_path: Path) -> None:
    source, output = tmp_path / "table.parquet", tmp_path / "o.parquet"
    write_table(TABLE, source)
    mechanism, options = CASES["columns"]
    done = release(mechanism, source, output=output, batches=True, **options)
    other = release(mechanism, source, output=tmp_path / "p.parquet", batches=True, **options)
    assert "o.parquet" in repr(done)
    assert done.data is done.data
    assert done.data == read_table(output)
    Path(tmp_path / "p.parquet").write_bytes(output.read_bytes())
    with pytest.raises(DataError, match="byte for byte"):
        _ = other.data


@pytest.mark.parametrize("case", list(CASES))
def test_realised_errors_are_for_public_data_alone(tmp_path: Path, case: str) -> None:
    source = tmp_path / "table.parquet"
    write_table(TABLE, source)
    mechanism, options = CASES[case]

    def made(name: str, **more: Any) -> Release:
        return release(mechanism, source, output=tmp_path / name, batches=True, **options, **more)

    assert made("a.parquet").realised_errors is None
    found = made("b.parquet", demo=True)
    parts = found.receipt.parts
    assert found.realised_errors is not None
    assert len(found.realised_errors) == len(parts)
    names = [str(part.column) for part in parts] if found.receipt.kind == "table" else []
    for name, wrong in zip(names, found.realised_errors, strict=bool(names)):
        if name != "d3":
            pairs = zip(TABLE[name].to_pylist(), found.data[name].to_pylist(), strict=True)
            assert wrong == sum(one != other for one, other in pairs)


@pytest.mark.parametrize("case", ["long", "persons"])
def test_nothing_is_left_beside_the_output(tmp_path: Path, case: str) -> None:
    source = tmp_path / "table.parquet"
    write_table(TABLE, source)
    mechanism, options = CASES[case]
    release(mechanism, source, output=tmp_path / "o.csv", batches=True, **options)
    assert {place.name for place in tmp_path.iterdir()} == {
        "table.parquet",
        "o.csv",
        "o.csv.receipt.json",
    }


def test_short_batches_of_ragged_words_are_drawn(tmp_path: Path) -> None:
    # A mechanism refuses words that are all shorter than its adjacency; a batch may well be.
    lengths = [3] * 64 + [1] * 128
    names = ["d1", "d2", "d3"]
    columns = {
        name: pa.array(["a" if place < length else None for length in lengths])
        for place, name in enumerate(names)
    }
    source = tmp_path / "short.parquet"
    write_table(pa.table(columns), source)
    parts = release(
        WordExponential(ABC, epsilon=2, adjacency=2),
        source,
        columns=names,
        ragged=True,
        output=tmp_path / "o.parquet",
        batches=True,
    )
    assert parts.receipt.shape == {
        "rows": 192,
        "words": 192,
        "symbols": 320,
        "shortest": 1,
        "longest": 3,
    }
    assert parts.data.column("d2").null_count == 128
