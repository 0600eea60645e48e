"""What goes out as it is holds its rows only: no dropped text, category or overwritten value."""

import gzip
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from privet.data import compacted, compacted_column, read_table, to_arrow, write_table
from privet.data.columns import alphabet_from_column, decode_column, match_alphabet
from privet.data.formats import check_writable
from privet.data.times import order_of_times
from privet.errors import DataError, PrivetError
from privet.symbols import Alphabet

SECRET = "a dropped text of some length"
HIDDEN = 0x5A5A5A5A5A5A5A5A
LONG = "a kept text longer than twelve bytes"
TRACES = (SECRET.encode(), HIDDEN.to_bytes(8, "little"), HIDDEN.to_bytes(8, "big"))


def tells(content: bytes) -> bool:
    return any(trace in content for trace in TRACES)


def as_file(table: pa.Table) -> bytes:
    """An Arrow file written without any care: every buffer of the table is in it."""
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def unpacked(content: bytes, ending: str) -> bytes:
    """What a file holds, out of its compression."""
    if ending == ".parquet":
        return as_file(pyarrow.parquet.read_table(io.BytesIO(content)))
    return gzip.decompress(content) if ending.endswith(".gz") else content


def buffers(array: Any) -> list[bytes]:
    found = [b.to_pybytes() for b in array.buffers() if b is not None]
    if pa.types.is_dictionary(array.type):
        found += buffers(array.dictionary)
    return found


def assert_tells_nothing(table: pa.Table) -> None:
    for column in table.columns:
        for chunk in column.chunks:
            assert not any(map(tells, buffers(chunk)))
    assert not tells(pickle.dumps(table))
    assert not tells(as_file(table))


def behind_a_null(values: Any, nulls: int) -> Any:
    """The array with some values made missing by the bitmap alone."""
    bitmap = pa.py_buffer(bytes([0xFF & ~nulls]))
    return pa.Array.from_buffers(values.type, len(values), [bitmap, *values.buffers()[1:]])


WORDS = ["a", SECRET, None, LONG]
NESTED = pa.field("inner", pa.string(), metadata={"note": SECRET})
ARRAYS: dict[str, Callable[[], Any]] = {
    "string": lambda: pa.array(WORDS)[2:],
    "large_string": lambda: pa.array(WORDS, pa.large_string())[2:],
    "string_view": lambda: pa.array(WORDS, pa.string_view())[2:],
    "binary": lambda: pa.array([b"a", SECRET.encode(), LONG.encode()])[:1],
    "binary_view": lambda: pa.array([SECRET.encode(), b"a"], pa.binary_view())[1:],
    "fixed binary": lambda: pa.array([SECRET.encode(), b"b" * len(SECRET)], pa.binary(len(SECRET)))[
        1:
    ],
    "int64": lambda: pa.array([HIDDEN, 1, None])[1:],
    "int64 behind a null": lambda: behind_a_null(pa.array([1, HIDDEN, 3]), 0b010),
    "date behind a null": lambda: behind_a_null(pa.array([1, HIDDEN], pa.timestamp("us")), 0b10),
    "text behind a null": lambda: behind_a_null(pa.array(["a", SECRET, "b"]), 0b010),
    "bool": lambda: pa.array([True, None, False, True])[1:],
    "null": lambda: pa.nulls(3)[1:],
    "dictionary": lambda: pa.array(WORDS).dictionary_encode()[2:],
    "ordered": lambda: pa.DictionaryArray.from_arrays(
        pa.array([2, None, 0], pa.int8()), pa.array(["z", SECRET, "a"]), ordered=True
    ),
    "dictionary of views": lambda: pa.DictionaryArray.from_arrays(
        pa.array([2, 0], pa.uint8()), pa.array(["z", SECRET, LONG], pa.string_view())
    ),
    "dictionary with a null": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0]), pa.array(["a", None, SECRET])
    ),
    "dictionary of numbers": lambda: pa.array([7, HIDDEN, 5]).dictionary_encode()[2:],
    "list": lambda: pa.array([[SECRET], ["a", None], None, []])[1:],
    "large list of views": lambda: pa.array([[SECRET], [LONG]], pa.large_list(pa.string_view()))[
        1:
    ],
    "fixed list": lambda: pa.array([[HIDDEN, 1], None, [2, 3]], pa.list_(pa.int64(), 2))[1:],
    "list of dictionaries": lambda: pa.array(
        [[SECRET], ["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))
    )[1:],
    "struct": lambda: pa.array([{"u": HIDDEN, "v": SECRET}, None, {"u": 1, "v": "x"}])[1:],
    "struct with notes": lambda: pa.array([{"inner": "x"}, None], pa.struct([NESTED])),
    "list of structs": lambda: pa.array(
        [[{"inner": SECRET}], [{"inner": "x"}]], pa.list_(pa.struct([NESTED]))
    )[1:],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_keeps_its_rows_and_nothing_else(name: str) -> None:
    array = ARRAYS[name]()
    raw = pa.table({"x": array})
    if name not in ("bool", "null"):
        assert tells(as_file(raw)) or tells(pickle.dumps(raw)), "the test must be able to fail"
    table = compacted(raw)
    table.validate(full=True)
    assert table["x"].to_pylist() == array.to_pylist()
    assert_tells_nothing(table)


@pytest.mark.parametrize("name", [n for n in ARRAYS if not n.startswith(("list of", "struct w"))])
def test_a_type_stays_as_it_was(name: str) -> None:
    array = ARRAYS[name]()
    assert compacted_column(array, "x").type == array.type


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], pa.string()),
        ([], pa.int8()),
        ([], pa.list_(pa.int8())),
        ([], pa.dictionary(pa.int8(), pa.string())),
        ([None, None], pa.string_view()),
        ([None, None], pa.dictionary(pa.int8(), pa.string())),
        ([None, 1.5], pa.float16()),
        ([None, "1.20"], pa.decimal128(5, 2)),
        (["", None, ""], pa.large_string()),
        ([b"", None], pa.binary_view()),
    ],
    ids=str,
)
def test_columns_of_little_are_rebuilt_too(values: list[Any], kind: Any) -> None:
    made = pa.array(values).cast(kind) if pa.types.is_decimal(kind) else pa.array(values, kind)
    column = compacted_column(pa.chunked_array([made, made[1:]]), "x")
    column.validate(full=True)
    assert column.type == kind
    assert column.to_pylist() == made.to_pylist() + made[1:].to_pylist()


def _addresses(array: Any) -> set[int]:
    found = {b.address for b in array.buffers() if b is not None and b.size}
    if pa.types.is_dictionary(array.type):
        found |= _addresses(array.dictionary)
    return found


@pytest.mark.parametrize("name", ARRAYS)
def test_what_comes_out_shares_no_memory_with_what_came_in(name: str) -> None:
    # Rebuilt before, an array is tight, so that nothing but the sharing itself asks for a copy.
    whole = ARRAYS[name]()
    rows = [whole[i : i + 1] for i in range(len(whole)) if whole[i].is_valid]
    for array in (whole, *(compacted_column(row, "x").chunk(0) for row in rows)):
        rebuilt = compacted_column(array, "x").chunk(0)
        assert rebuilt.to_pylist() == array.to_pylist()
        assert _addresses(rebuilt).isdisjoint(_addresses(array))


def test_a_buffer_used_again_does_not_change_what_came_out() -> None:
    numbers: Any = np.array([1, 2, 3])
    text = bytearray(b"abc")
    ends = pa.array([0, 1, 2, 3], pa.int32()).buffers()[1]
    columns: list[Any] = [
        pa.Array.from_buffers(pa.int64(), 3, [None, pa.py_buffer(numbers)]),
        pa.Array.from_buffers(pa.string(), 3, [None, ends, pa.py_buffer(text)]),
    ]
    out = compacted(pa.table(columns, names=["n", "t"]))
    numbers[:], text[:] = 9, b"zzz"
    assert out.to_pydict() == {"n": [1, 2, 3], "t": ["a", "b", "c"]}


class Labelled(pa.ExtensionType):
    """An extension type whose parameter is a list of categories."""

    def __init__(self, storage: Any, listed: str) -> None:
        self.listed = listed
        super().__init__(storage, "tests.labelled")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.listed.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> "Labelled":
        return cls(storage, serialized.decode())


def _extended(kind: Any, values: list[Any]) -> Any:
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


def _from_pandas(values: Any) -> Any:
    return pa.array(pd.Series(values))


def _labelled(storage: Any, values: list[Any]) -> Any:
    return _extended(Labelled(storage, SECRET), values)


EXTENSIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "own": (lambda: _labelled(pa.int8(), [0, None]), "int8"),
    "opaque": (lambda: _extended(pa.opaque(pa.string(), SECRET, SECRET), ["a"]), "string"),
    "tensor": (
        lambda: _extended(pa.fixed_shape_tensor(pa.int8(), [2], dim_names=[SECRET]), [[1, 2]]),
        "fixed_size_list",
    ),
    "over a dictionary": (
        lambda: _labelled(pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
        "string",
    ),
    "in a dictionary": (
        lambda: pa.DictionaryArray.from_arrays(pa.array([0, 0]), _labelled(pa.string(), ["a"])),
        "string",
    ),
    "in a list": (
        lambda: pa.ListArray.from_arrays([0, 1], _labelled(pa.int8(), [1])),
        "int8",
    ),
    "in a fixed list": (
        lambda: pa.FixedSizeListArray.from_arrays(_labelled(pa.int8(), [1]), 1),
        "int8",
    ),
    "in a struct": (
        lambda: pa.StructArray.from_arrays([_labelled(pa.int8(), [1])], names=["u"]),
        "int8",
    ),
    "in an extension": (
        lambda: pa.ExtensionArray.from_storage(
            Labelled(pa.list_(Labelled(pa.int8(), SECRET)), SECRET),
            pa.ListArray.from_arrays([0, 1], _labelled(pa.int8(), [1])),
        ),
        "list",
    ),
}


@pytest.mark.parametrize("name", EXTENSIONS)
def test_an_extension_type_with_parameters_is_refused(name: str, refused: Any) -> None:
    make, storage = EXTENSIONS[name]
    array = make()
    for column in (array, array[:0], pa.chunked_array([], array.type)):
        with refused(DataError) as seen:
            compacted_column(column, "x")
        assert f"column 'x' holds an extension type over {storage}, whose" in seen.text
        assert "Cast it to its storage type" in seen.error.hint
        assert SECRET not in seen.text


def test_no_refusal_prints_the_parameters_of_an_extension_type(refused: Any) -> None:
    column: Any = EXTENSIONS["opaque"][0]()
    for refuse in (
        lambda: match_alphabet(Alphabet(["a", "b"]), column.type, name="x"),
        lambda: alphabet_from_column(column, name="x"),
        lambda: order_of_times(column, "x"),
        lambda: check_writable(pa.schema({"x": column.type}), "t.parquet"),
    ):
        with refused(PrivetError) as seen:
            refuse()
        assert "holds string, " in seen.text or "holds string." in seen.text
        assert SECRET not in seen.text


@pytest.mark.parametrize(
    "make",
    [
        lambda: _extended(pa.uuid(), [b"0" * 16, None]),
        lambda: _extended(pa.bool8(), [1, None, 0]),
        lambda: _extended(pa.json_(), ['{"a": 1}', None]),
        lambda: _from_pandas(pd.period_range("2020", periods=2, freq="M")),
        lambda: _from_pandas(pd.interval_range(0, 2)),
    ],
    ids=["uuid", "bool8", "json", "periods", "intervals"],
)
def test_an_extension_type_without_parameters_is_kept(make: Callable[[], Any]) -> None:
    array = make()
    nested: Any = pa.StructArray.from_arrays([array], names=["u"])
    for given in (array, nested):
        column = compacted_column(given, "x")
        assert column.type == given.type
        assert column.to_pylist() == given.to_pylist()


def test_a_dictionary_lists_what_occurs_and_not_in_the_order_of_other_rows() -> None:
    plain = pa.array(["dropped", "z", "a", "m"]).dictionary_encode()
    assert compacted_column(plain[1:3], "x").chunk(0).dictionary.to_pylist() == ["a", "z"]
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([2, 0]), pa.array(["low", "mid", "high"]), ordered=True
    )
    rebuilt = compacted_column(ordered, "x").chunk(0)
    assert rebuilt.dictionary.to_pylist() == ["low", "high"]
    assert rebuilt.type.ordered


def test_ordered_categories_of_several_chunks_keep_the_order_that_is_listed() -> None:
    listed = pa.array(["low", "mid", "high"])
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), listed, ordered=True)
        for codes in ([0, 2], [1])
    ]
    rebuilt = compacted_column(pa.chunked_array(chunks), "x")
    assert rebuilt.chunk(0).dictionary.to_pylist() == ["low", "mid", "high"]
    assert order_of_times(rebuilt, "x").tolist() == [0, 2, 1]


def test_chunks_with_dictionaries_of_their_own_share_one() -> None:
    for kind in (pa.string(), pa.string_view()):
        chunks = [
            pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), pa.array(listed, kind))
            for listed in (["a", "b"], ["c", "a"])
        ]
        column = compacted_column(pa.chunked_array(chunks), "x")
        assert column.num_chunks == 1
        assert column.to_pylist() == ["b", "a", "a", "c"]


def test_what_is_written_keeps_the_public_alphabet(tmp_path: Path) -> None:
    released = decode_column(
        [0, 0], Alphabet(["z", "y", "x"]), pa.dictionary(pa.int8(), pa.string())
    )
    column = compacted_column(released, "x", keep_unused=True)
    assert column.chunk(0).dictionary.to_pylist() == ["z", "y", "x"]
    write_table(pa.table({"x": released}), tmp_path / "t.arrow")
    with pa.ipc.open_file(str(tmp_path / "t.arrow")) as reader:
        written: Any = reader.read_all()["x"].chunk(0)
    assert written.dictionary.to_pylist() == ["z", "y", "x"]


def test_untouched_columns_stay_as_they_are() -> None:
    table = pa.table({"x": pa.array(["a", "b"])[1:], "y": pa.array(["a", "b"])[1:]})
    out: Any = compacted(table, untouched=["x"])
    assert out["x"].chunk(0).offset == 1
    assert out["y"].chunk(0).offset == 0


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([[1]], pa.list_view(pa.int64())),
        pa.array([[[("a", 1)]]], pa.list_(pa.map_(pa.string(), pa.int64()))),
        pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array(["a"])]),
    ],
    ids=lambda array: str(array.type),
)
def test_a_type_that_cannot_be_rebuilt_is_refused(refused: Any, array: Any) -> None:
    with refused(DataError) as seen:
        compacted(pa.table({"x": array}))
    assert "column 'x'" in seen.text


def test_masked_codes_leave_no_trace() -> None:
    alphabet = Alphabet(["a", "b", "c"])
    kind = pa.dictionary(pa.int8(), pa.string())
    out = decode_column([1, 2], alphabet, kind, absent=np.array([False, True]))
    assert out.to_pylist() == ["b", None]
    assert bytes(out.indices.buffers()[1])[:2] == b"\x01\x00"


def _enum(kind: Any) -> pl.DataFrame:
    whole = pl.DataFrame({"x": pl.Series(["a", SECRET, "b", None], dtype=kind)})
    return whole.filter(pl.col("x").is_null() | (pl.col("x").cast(pl.String) != SECRET))


def _masked(values: list[Any], dtype: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"x": pd.array(values, dtype=dtype)})
    frame.loc[1, "x"] = pd.NA
    return frame


def _indexed(index: Any) -> pd.DataFrame:
    return pd.DataFrame({"x": [1, 2, 3]}, index=index).head(2)


def _masked_index() -> pd.DataFrame:
    values = pd.array([1, HIDDEN, 3], dtype="Int64")
    values[1] = pd.NA
    return pd.DataFrame({"x": [1, 2, 3]}, index=pd.Index(values))


TEXT = ["a", LONG, SECRET]
ENUM = pl.Enum(["z", SECRET, "b", "a"])
MULTI = [("a", 1), (LONG, 2), (SECRET, HIDDEN)]
FRAMES: dict[str, Callable[[], Any]] = {
    "polars filter": lambda: pl.DataFrame({"x": TEXT}).filter(pl.col("x") != SECRET),
    "polars head": lambda: pl.DataFrame({"x": TEXT, "n": [1, 2, HIDDEN]}).head(2),
    "polars slice": lambda: pl.DataFrame({"x": TEXT[::-1]}).slice(1),
    "polars enum": lambda: _enum(ENUM),
    "polars list": lambda: pl.DataFrame({"x": [["a"], [SECRET]]}).head(1),
    "polars list of enums": lambda: pl.DataFrame(
        {"x": pl.Series([["a"], ["b"]], dtype=pl.List(ENUM))}
    ),
    "polars struct": lambda: pl.DataFrame({"x": [{"u": 1, "v": "q"}, {"u": HIDDEN, "v": SECRET}]})[
        :1
    ],
    "polars when": lambda: pl.DataFrame({"n": [1, HIDDEN]}).select(
        pl.when(pl.col("n") < 9).then("n").alias("x")
    ),
    "pandas category": lambda: pd.DataFrame({"x": pd.Categorical([*TEXT, None])}).drop(index=2),
    "pandas ordered": lambda: pd.DataFrame(
        {"x": pd.Categorical(["b", "a"], categories=["b", SECRET, "a"], ordered=True)}
    ),
    "pandas category of nothing": lambda: pd.DataFrame(
        {"x": pd.Categorical([None, None], categories=[SECRET])}
    ),
    "pandas Int64": lambda: _masked([1, HIDDEN, 3], "Int64"),
    "pandas Float64": lambda: _masked([1.0, np.int64(HIDDEN).view("f8"), 3.0], "Float64"),
    "pandas arrow dictionary": lambda: pd.DataFrame(
        {"x": pd.Series(TEXT, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))}
    ).head(2),
    "pandas index of categories": lambda: _indexed(pd.CategoricalIndex(TEXT, name="id")),
    "pandas index of levels": lambda: _indexed(pd.MultiIndex.from_tuples(MULTI, names=["u", "v"])),
    "pandas index Int64": _masked_index,
    "arrow slice": lambda: pa.table({"x": TEXT, "n": [1, 2, HIDDEN]}).slice(0, 2),
    "arrow batch": lambda: pa.RecordBatch.from_pydict({"x": TEXT}).slice(0, 2),
    "arrow dictionary": lambda: pa.table({"x": pa.array(TEXT).dictionary_encode()}).slice(0, 2),
}


def _saved(frame: Any) -> list[bytes]:
    """What a user may save of a frame: pickles, and the frame library's own files."""
    out = [pickle.dumps(frame, protocol) for protocol in (2, 5)]
    if isinstance(frame, pl.DataFrame):
        for write, ending in ((frame.write_ipc, ".arrow"), (frame.write_parquet, ".parquet")):
            sink = io.BytesIO()
            write(sink)
            out.append(unpacked(sink.getvalue(), ending))
    if isinstance(frame, pd.DataFrame):
        sink = io.BytesIO()
        frame.to_parquet(sink)
        out.append(unpacked(sink.getvalue(), ".parquet"))
    return out


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_comes_back_with_its_rows_and_nothing_else(name: str, tmp_path: Path) -> None:
    frame = FRAMES[name]()
    assert any(map(tells, _saved(frame))), "the test must be able to fail"
    arrow = to_arrow(frame)
    assert_tells_nothing(arrow.table)
    back = arrow.restore(arrow.table)
    assert not any(map(tells, _saved(back)))
    if isinstance(frame, pd.DataFrame):
        pd.testing.assert_frame_equal(
            back, frame, check_categorical=False, check_index_type=False, check_dtype=False
        )
    elif isinstance(frame, pl.DataFrame):
        assert back.to_dicts() == frame.to_dicts()
    else:
        assert back.to_pydict() == frame.to_pydict()
    for ending in (".arrow", ".parquet"):
        write_table(arrow.table, tmp_path / f"t{ending}")
        assert not tells(unpacked((tmp_path / f"t{ending}").read_bytes(), ending))


def test_categories_that_do_not_occur_do_not_come_back() -> None:
    frame = pd.DataFrame({"x": pd.Categorical(["b", SECRET, "a"])}).drop(index=1)
    assert to_arrow(frame).restore(to_arrow(frame).table)["x"].cat.categories.tolist() == ["a", "b"]
    enum = to_arrow(_enum(ENUM))
    assert enum.restore(enum.table).schema["x"] == pl.Enum(["b", "a"])


def test_a_column_that_is_replaced_is_not_rebuilt() -> None:
    frame = pl.DataFrame({"x": ["a", "b"], "y": ["a", "b"]}).slice(1)
    table = to_arrow(frame, replaced=["x"]).table
    assert table["x"].type == pa.string_view()
    assert table["x"].to_pylist() == ["b"]


@pytest.mark.parametrize("ending", [".arrow", ".parquet"])
def test_a_file_is_read_without_what_another_tool_left_in_it(tmp_path: Path, ending: str) -> None:
    left = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["a", SECRET, "b"]))
    table = pa.table({"x": left, "y": behind_a_null(pa.array(["u", SECRET]), 0b10)})
    path = tmp_path / f"t{ending}"
    if ending == ".arrow":
        path.write_bytes(as_file(table))
    else:
        pyarrow.parquet.write_table(table, path)
    assert tells(unpacked(path.read_bytes(), ending))
    out = read_table(path)
    assert_tells_nothing(out)
    assert out.to_pydict() == table.to_pydict()
    assert tells(pickle.dumps(read_table(path, replaced=["x", "y"])))


@pytest.mark.parametrize("ending", [".arrow", ".parquet", ".csv", ".csv.gz"])
def test_a_table_is_written_without_what_is_not_in_its_rows(tmp_path: Path, ending: str) -> None:
    table = pa.table({"x": TEXT, "n": [1, 2, HIDDEN], "v": pa.array(TEXT, pa.string_view())})[:2]
    write_table(table, tmp_path / f"t{ending}")
    content = (tmp_path / f"t{ending}").read_bytes()
    assert not tells(unpacked(content, ending))
