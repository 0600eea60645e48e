"""CSV is read strictly: every row counted, nothing guessed, nothing quoted in an error."""

import gzip
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet.data import csv_files, names_in_file, read_table, write_table
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
        (b'a,b\n1,5" pipe\n"2","x\ny"\n', {"a": ["1", "2"], "b": ['5" pipe', "x\ny"]}),
        (b'"a","b"\n"1","x ""q"""\n', {"a": ["1"], "b": ['x "q"']}),
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
        (b'a,b\n1,"{secret}\nend,end\n3,y\n', "never closes"),
        (b'a,b\n1,x\n2,"{secret}\n3,y\n4,"z\n5,w\n', "closing quote in row 1"),
        (b'a,b\n1,"x"{secret}\n', "closing quote in row 0"),
        (b"a;b\n1;{secret}\n", "separated by semicolons, but the separator must be a comma"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, refused: Any, secret: str, content: bytes, said: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.replace(b"{secret}", secret.encode()))
    wanted = ["a"] if b";" in content else None
    with refused(FileFormatError) as seen:
        read_table(path, columns=wanted)
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
    assert "same name for columns 0 and 2" in seen.text


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


class ShortReads(io.RawIOBase):
    """A file that gives a few bytes at a time, as the system does above 2 GiB."""

    def __init__(self, content: bytes) -> None:
        self.rest = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, free: Any) -> int:
        part = self.rest.read(min(len(free), 7))
        free[: len(part)] = part
        return len(part)


@pytest.mark.parametrize("expected", [0, 10, 5000, 6000])
def test_a_file_is_read_to_its_end_however_little_comes_at_once(
    monkeypatch: pytest.MonkeyPatch, expected: int
) -> None:
    content = b"a,b\n" + b"1,x\n" * 1249
    monkeypatch.setattr(csv_files, "BLOCK", 64)
    assert len(content) == 5000
    assert csv_files._read_all(ShortReads(content), expected, None) == content
    assert csv_files._read_all(ShortReads(content), expected, 100) == content[:100]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_every_row_of_a_file_is_read_when_reads_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"t{ending}"
    content = b"a,b\n" + b"1,x\n" * 500
    path.write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
    opened = Path.open

    def short(self: Path, mode: str = "r", buffering: int = -1, **rest: Any) -> Any:
        if self == path and buffering == 0:
            return ShortReads(content)
        return opened(self, mode, buffering, **rest)

    monkeypatch.setattr(Path, "open", short)
    monkeypatch.setattr(gzip, "open", lambda _: ShortReads(content))
    assert read_table(path).num_rows == 500


@pytest.mark.parametrize("columns", [["a"], ["b"], ["b", "a"]])
def test_data_cannot_stand_for_the_end_of_the_file(
    tmp_path: Path, refused: Any, monkeypatch: pytest.MonkeyPatch, columns: list[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\nend,"end\n2,x\n')
    with refused(FileFormatError):
        read_table(path, columns=columns)
    ends: list[str] = []

    def see(count: int) -> bytes:
        ends.append("made")
        return bytes([len(ends)]) * count

    monkeypatch.setattr("privet.data.csv_files.os.urandom", see)
    path.write_bytes(b"a,b\nend,end\n")
    for _ in range(2):
        assert read_table(path).to_pydict() == {"a": ["end"], "b": ["end"]}
    assert len(ends) == 2, "each read makes an end of its own"


def test_a_file_without_a_header_does_not_show_its_first_record(
    tmp_path: Path, refused: Any, secret: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"{secret},yes,41\nb,no,40\n".encode())
    with refused(ColumnNotFoundError) as seen:
        read_table(path, columns=["vote"])
    assert "header" in seen.text
    assert "yes" not in seen.text
    path.write_bytes(f"{secret},{secret},41\nb,no,40\n".encode())
    for read in (read_table, names_in_file):
        with refused(DataError) as seen:
            read(path)
        assert "columns 0 and 1" in seen.text
        assert "header" in seen.text
