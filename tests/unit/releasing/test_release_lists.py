"""A column of lists is a table of words: the same law, receipt and refusals as of columns.

The same words come as lists and as the columns of a wide table, in memory and in batches. Law:
false alarm rate alpha = 1e-9 on 70,000 symbols, the bits replayed; the wrong twin has 10% more
epsilon.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import (
    Alphabet,
    IndependentRecords,
    Language,
    Ledger,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    WordExponential,
    WordStaircase,
    decode_release,
    estimate,
    release,
    words_from_table,
)
from privet.data import read_table, write_table
from privet.errors import (
    DataError,
    DomainError,
    MissingValueError,
    OutputError,
    ParameterError,
    PrivetError,
)
from privet.ledger import Account
from privet.randomness import using_source
from privet.testing import ReplaySource, chi_square_agrees

ABC = Alphabet(["a", "b", "c"])
SURE = RandomizedResponse(ABC, epsilon=60)
"""It changes a symbol with a chance below 1e-25: what goes out is what went in."""

RAGGED: dict[str, Any] = {"columns": "w", "adjacency": 1, "ragged": True}
CHAIN = MarkovChain([0.5, 0.25, 0.25], [[0.5, 0.25, 0.25]] * 3, [*"abc"])
WORDS = [[*word] for word in ("ab", "", "c", "cab", "b")] * 40


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 64)


@pytest.fixture
def account() -> Iterator[Account]:
    with Ledger.open("memory:") as ledger:
        yield ledger.account("diary", IndependentRecords(1), 10)


def lists(words: Any = WORDS, kind: Any = None) -> pa.Table:
    return pa.table({"id": range(len(words)), "w": pa.array(words, kind or pa.list_(pa.string()))})


def columns(words: list[list[str]] = WORDS) -> pa.Table:
    """The same words as a wide table of three columns."""
    filled = [[*word, *[None] * (3 - len(word))] for word in words]
    places = {f"d{n}": pa.array([word[n] for word in filled], pa.string()) for n in range(3)}
    return pa.table({"id": range(len(words)), **places})


def receipt_of(made: Any) -> dict[str, Any]:
    """All but the file and the moment."""
    whole: dict[str, Any] = made.receipt.to_json()
    whole.pop("output", None)
    del whole["created"], whole["versions"]
    return whole


MECHANISMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "randomised response": (RandomizedResponse(ABC, epsilon=1), {"adjacency": 2}),
    "decoded": (RandomizedResponse(ABC, epsilon=1), {"adjacency": 1, "decode": CHAIN}),
    "staircase": (WordStaircase(ABC, epsilon=2, adjacency=2), {}),
    "on a language": (WordExponential(Language.from_regex(ABC, "[abc]*"), epsilon=1), {}),
}


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_lists_go_out_as_the_same_words_in_columns(name: str) -> None:
    mechanism, options = MECHANISMS[name]
    made = []
    for table, named in ((lists(), "w"), (columns(), "d0..d2")):
        with using_source(ReplaySource(5)):
            made.append(release(mechanism, table, columns=named, ragged=True, **options))
    first, second = made
    assert words_from_table(first) == words_from_table(second)
    assert first.data.schema == lists().select(["w"]).schema
    one, other = map(receipt_of, made)
    of_row = "a person with several rows is protected row by row"
    assert f"of one row (column 'w'; {of_row})" in one["guarantee"].pop("unit")
    assert f"of one row (columns 'd0' to 'd2'; {of_row})" in other["guarantee"].pop("unit")
    for receipt in (one, other):
        del receipt["layout"]["columns"], receipt["guarantee"]["sentence"]
    assert one == other
    assert "the length of each sequence" in first.receipt.sentence


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("name", list(MECHANISMS))
def test_batches_make_the_same_release(tmp_path: Path, name: str, ending: str) -> None:
    mechanism, options = MECHANISMS[name]
    source = tmp_path / f"in{ending}"
    write_table(lists(), source)
    made = []
    for batches in (False, True):
        with using_source(ReplaySource(5)):
            output = tmp_path / f"{batches}.parquet"
            made.append(
                release(
                    mechanism,
                    source,
                    columns="w",
                    ragged=True,
                    keep="id",
                    batches=batches,
                    output=output,
                    **options,
                )
            )
    assert receipt_of(made[0]) == receipt_of(made[1])
    first, second = (read_table(tmp_path / f"{each}.parquet") for each in (False, True))
    assert first.schema.equals(second.schema, check_metadata=True)
    assert first.schema.field("w").type == pa.list_(pa.field("element", pa.string()))
    assert made[1].data["id"].to_pylist() == [*range(200)]
    assert words_from_table(made[1]).lengths.tolist() == [len(word) for word in WORDS]


def as_frame(kind: str) -> Any:
    types: dict[str, Any] = {
        "polars": pl.List(pl.String),
        "polars enum": pl.List(pl.Enum([*"abc"])),
        "polars lazy": pl.List(pl.String),
    }
    if kind in types:
        frame = pl.DataFrame({"w": WORDS}, schema={"w": types[kind]})
        return frame.lazy() if kind == "polars lazy" else frame
    if kind == "pandas":
        return pd.DataFrame({"w": WORDS})
    if kind == "pandas arrow":
        words: Any = WORDS
        return pd.DataFrame({"w": pd.array(words, dtype=pd.ArrowDtype(pa.list_(pa.string())))})
    return lists()


@pytest.mark.parametrize(
    "kind", ["polars", "polars enum", "polars lazy", "pandas", "pandas arrow", "pyarrow"]
)
def test_frames_come_back_as_their_own_kind(kind: str) -> None:
    frame = as_frame(kind)
    made = release(SURE, frame, **RAGGED)
    assert type(made.data) is type(frame)
    assert words_from_table(made).to_lists() == WORDS
    if kind == "polars":
        assert made.data.schema == frame.schema
    if kind.startswith("pandas"):
        assert made.data.dtypes.to_dict() == frame.dtypes.to_dict()


@pytest.mark.parametrize("way", ["memory", "polars", "batches of Parquet", "batches of Arrow"])
def test_the_law_is_that_of_the_mechanism(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 2000)
    mechanism, twin = (RandomizedResponse(ABC, epsilon=each) for each in ("1", "1.1"))
    table = lists([[*"aabbcc"[: 1 + n % 6]] for n in range(20_000)])
    data: Any = table
    options = dict(RAGGED)
    if way == "polars":
        data = pl.from_arrow(table)
    elif way != "memory":
        data = tmp_path / ("in.arrow" if way.endswith("Arrow") else "in.parquet")
        write_table(table, data)
        options |= {"output": tmp_path / "out.parquet", "batches": True}
    with using_source(ReplaySource(1)):
        made = release(mechanism, data, **options)
    before = words_from_table(table, ABC, columns="w", ragged=True).codes.astype(np.int64)
    after = words_from_table(made).codes
    seen = np.bincount(before * 3 + after, minlength=9).reshape(3, 3)
    for code in range(3):
        law = mechanism.response_matrix[code]
        assert not chi_square_agrees(seen[code], law, alpha=1e-9 / 3).rejected
    # Kept, replaced by the next symbol, or by the one before: the same law for every symbol.
    moves = [sum(seen[code, (code + move) % 3] for code in range(3)) for move in range(3)]
    assert not chi_square_agrees(moves, mechanism.response_matrix[0], alpha=1e-9).rejected
    assert chi_square_agrees(moves, twin.response_matrix[0], alpha=1e-9).rejected


LATE: dict[str, tuple[Any, type[PrivetError], str]] = {
    "a label": ([*"ab", "secret"], DomainError, "label in row 199 of the column 'w' .* 1 entry is"),
    "no entry": (["a", None], MissingValueError, "entry in row 199 .* has no value"),
    "no list": (None, MissingValueError, "Row 199 has no list in the column 'w'"),
}


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("case", list(LATE))
def test_what_is_refused_late_costs_nothing(
    tmp_path: Path, account: Account, case: str, batches: bool
) -> None:
    last, error, message = LATE[case]
    write_table(lists([*WORDS[:-1], last]), tmp_path / "in.parquet")
    given = {**RAGGED, "ledger": account, "output": tmp_path / "out.parquet", "batches": batches}
    with pytest.raises(error, match=message) as caught:
        release(SURE, tmp_path / "in.parquet", **given)
    assert "secret" not in str(caught.value)
    assert account.spent() == 0
    assert [place.name for place in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.parametrize("batches", [False, True])
def test_lengths_go_out_only_if_that_is_said(tmp_path: Path, batches: bool) -> None:
    write_table(lists([["a"]] * 99 + [["a", "b"]]), tmp_path / "in.parquet")
    given: dict[str, Any] = {"columns": "w", "adjacency": 1, "batches": batches}
    with pytest.raises(DataError, match=r"column 'w' have different lengths.*\(ragged\)"):
        release(SURE, tmp_path / "in.parquet", **given, output=tmp_path / "out.parquet")
    write_table(lists([["a", "b"]] * 100), tmp_path / "in.parquet")
    made = release(SURE, tmp_path / "in.parquet", **given, output=tmp_path / "out.parquet")
    assert made.receipt.sentence.startswith("Any one of the 2 values of one row (column 'w'")
    assert "length" not in made.receipt.sentence


@pytest.mark.parametrize("batches", [False, True])
def test_stand_ins_are_for_entries(tmp_path: Path, batches: bool) -> None:
    write_table(lists([["a", None], ["x"], []]), tmp_path / "in.parquet")
    given = {**RAGGED, "output": tmp_path / "out.parquet", "batches": batches}
    made = release(SURE, tmp_path / "in.parquet", missing="b", other="c", **given)
    assert made.data["w"].to_pylist() == [["a", "b"], ["c"], []]


@pytest.mark.parametrize("batches", [False, True])
def test_a_word_outside_the_language_is_named_by_its_entry(tmp_path: Path, batches: bool) -> None:
    write_table(lists([["a", "b"]] * 150 + [["b", "b", "a"]]), tmp_path / "in.parquet")
    mechanism = WordExponential(Language.from_regex(ABC, "a*b*"), epsilon=1)
    with pytest.raises(DomainError, match=r"row 150, entry 2 of column 'w', of the table"):
        release(
            mechanism,
            tmp_path / "in.parquet",
            columns="w",
            ragged=True,
            output=tmp_path / "out.parquet",
            batches=batches,
        )


def test_an_answer_is_taken_from_lists() -> None:
    full = [word for word in WORDS if word]
    laplace = MarkovLaplace(MarkovFramework([CHAIN]), epsilon=60)
    made = [
        release(laplace, table, columns=named, ragged=True, query="histogram")
        for table, named in ((lists(full), "w"), (columns(full), "d0..d2"))
    ]
    assert made[0].receipt.shape == made[1].receipt.shape
    assert made[0].receipt.guarantee.unit == made[1].receipt.guarantee.unit


def test_releases_of_lists_are_read_back(tmp_path: Path) -> None:
    mechanism = RandomizedResponse(ABC, epsilon=2)
    made = release(mechanism, lists(), **RAGGED, keep="id", output=tmp_path / "out.parquet")
    words = words_from_table(tmp_path / "out.parquet", ABC, columns="w", ragged=True)
    assert words == words_from_table(made)
    assert estimate.transitions(words, mechanism).words == 200
    decoded = decode_release(made, CHAIN)
    assert decoded.data.schema == lists().schema
    assert words_from_table(decoded).lengths.tolist() == words.lengths.tolist()


def test_what_is_not_a_table_of_words_is_refused(tmp_path: Path) -> None:
    # Without the number of protected symbols, the columns of a table are meant.
    with pytest.raises(DomainError, match=r"holds list, .* \(adjacency\)"):
        release(SURE, lists(), columns="w")
    with pytest.raises(OutputError, match=r"has no form in a \.csv file"):
        release(SURE, lists(), **RAGGED, output=tmp_path / "out.csv")
    with pytest.raises(ParameterError, match="the longest word has 3 symbols"):
        release(SURE, lists(), columns="w", ragged=True, adjacency=4)
    assert list(tmp_path.iterdir()) == []
