"""CSV is read strictly: every row counted, nothing guessed, nothing quoted in an error."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet.data import read_table, write_table
from privet.errors import ColumnNotFoundError, DataError, FileFormatError


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,x\n2,y\n", {"a": ["1", "2"], "b": ["x", "y"]}),
        (b"a,b\n1,x\n2,y", {"a": ["1", "2"], "b": ["x", "y"]}),
        (b"a,b\r\n1,x\r\n", {"a": ["1"], "b": ["x"]}),
        (b"a,b\r1,x\r", {"a": ["1"], "b": ["x"]}),
        (b"\xef\xbb\xbfa,b\n1,x\n", {"a": ["1"], "b": ["x"]}),
        (b'a,b\n1,"x, y"\n2,"say ""no"""\n', {"a": ["1", "2"], "b": ["x, y", 'say "no"']}),
        (b'a,b\n1,"two\nlines"\n', {"a": ["1"], "b": ["two\nlines"]}),
        (b'a,b\n1,5" pipe\n', {"a": ["1"], "b": ['5" pipe']}),
        (b'"a,1","two\nlines"\n1,2\n', {"a,1": ["1"], "two\nlines": ["2"]}),
        (b"a,b\n,x\n1,\n", {"a": [None, "1"], "b": ["x", None]}),
        (b"a,b\n1,2\n\n3,4\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
        (b"a\nx\n\ny\n", {"a": ["x", None, "y"]}),
        (b"a,b\n007,NA\n1e3,nan\n", {"a": ["007", "1e3"], "b": ["NA", "nan"]}),
        ("a,é\nß,😀\n".encode(), {"a": ["ß"], "é": ["😀"]}),
        (b"a,b\nend,end\n", {"a": ["end"], "b": ["end"]}),
    ],
)
def test_what_is_read(tmp_path: Path, content: bytes, expected: dict[str, Any]) -> None:
    path, packed = tmp_path / "t.csv", tmp_path / "t.csv.gz"
    path.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    assert read_table(path).to_pydict() == expected
    assert read_table(packed).to_pydict() == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"a,b\n1,\xff{secret}\n", "UTF-8"),
        (b"a,b\n" + b"1,2\n" * 9000 + b"1,\xff{secret}\n", "UTF-8"),
        ("a,b\n1,{secret}\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n1,{secret}\0\n", "binary"),
        (b"a,\n1,{secret}\n", "no name for column 1"),
        (b"\n\na,b\n1,{secret}\n", "no name for column 0"),
        (b"a,b\n1,2\n1,2,{secret}\n", "3 fields in row 1"),
        (b"a,b\n" + b"1,2\n" * 5 + b"{secret}\n", "1 fields in row 5"),
        (b'a,b\n1,"{secret}', "never closes"),
        (b'a,b\n1,"{secret}\n2,x\n3,y\n', "never closes"),
        (b'a,b\n1,5" pipe\n2,"{secret}\n', "never closes"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, refused: Any, secret: str, content: bytes, said: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.replace(b"{secret}", secret.encode()))
    with refused(FileFormatError) as seen:
        read_table(path)
    assert said in seen.text
    assert str(path) in seen.text


def test_a_long_field_after_an_open_quote_is_refused_too(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\n1,"' + b"x,y\n" * 3_000_000)
    with refused(FileFormatError):
        read_table(path)


def test_names_of_columns_must_be_unique(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b,a\n1,2,3\n")
    with refused(DataError) as seen:
        read_table(path)
    assert "two columns named 'a'" in seen.text


def test_a_header_alone_is_no_data(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "t.csv"
    for content in (b"a,b\n", b"a,b"):
        path.write_bytes(content)
        with refused(DataError) as seen:
            read_table(path)
        assert "no rows" in seen.text


def test_only_the_columns_named_are_read(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b,c\n1,2,3\n")
    assert read_table(path, columns=["c", "a"]).to_pydict() == {"a": ["1"], "c": ["3"]}
    with refused(ColumnNotFoundError) as seen:
        read_table(path, columns=["a", "d"])
    assert "'d'" in seen.text
    assert "a, b, c" in seen.text


def test_damaged_compression_is_refused(tmp_path: Path, refused: Any, secret: str) -> None:
    path = tmp_path / "t.csv.gz"
    whole = gzip.compress(b"a,b\n" + b"1," + secret.encode() + b"\n" * 1000)
    for content in (whole[:-9], whole[:20], whole[:-8] + bytes(8)):
        path.write_bytes(content)
        with refused(FileFormatError):
            read_table(path)


def test_plain_text_is_written_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_table(pa.table({"a": ["x", None], "n": [1, 2], "b": [True, None]}), path)
    assert path.read_bytes() == b"a,n,b\nx,1,true\n,2,\n"


def test_what_needs_quotes_has_them(tmp_path: Path) -> None:
    table = pa.table({"a, b": ["x,y", 'say "no"', "two\nlines", None], "n": ["1", "2", "3", "4"]})
    write_table(table, tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").equals(table)
    assert b"\n,4\n" not in (tmp_path / "t.csv").read_bytes()[:3]


def test_an_empty_text_is_not_written_as_a_missing_value(tmp_path: Path) -> None:
    write_table(pa.table({"a": ["", None], "b": ["x", "y"]}), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == b'a,b\n"","x"\n,"y"\n'


def test_compression_tells_neither_name_nor_time(tmp_path: Path) -> None:
    table = pa.table({"a": ["x", "y"]})
    write_table(table, tmp_path / "first.csv.gz")
    write_table(table, tmp_path / "second.csv.gz")
    assert (tmp_path / "first.csv.gz").read_bytes() == (tmp_path / "second.csv.gz").read_bytes()
    assert read_table(tmp_path / "first.csv.gz").equals(table)
