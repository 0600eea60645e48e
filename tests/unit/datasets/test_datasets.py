"""The data sets that are shipped: whole, within their alphabets, and with a source and licence."""

from pathlib import Path

import pytest

from privet import datasets
from privet.data import encode_column
from privet.datasets.catalogue import Dataset
from privet.errors import DataError, ParameterError


@pytest.mark.parametrize("name", datasets.NAMES)
def test_every_data_set_is_whole_and_described(name: str) -> None:
    dataset = datasets.load(name)
    assert dataset.name == name
    assert dataset.description
    assert dataset.source
    assert dataset.licence
    assert dataset.table.num_rows == dataset.path.read_text().count("\n") - 1
    for column, alphabet in dataset.alphabets.items():
        codes = encode_column(dataset.table.column(column), alphabet, name=column)
        # Every category occurs: an alphabet with a misspelt symbol would not pass.
        assert set(codes.tolist()) == set(range(len(alphabet)))


def test_every_file_has_its_line_of_source_and_licence() -> None:
    folder = Path(datasets.__file__).parent
    sources = (folder / "SOURCES.md").read_text()
    # geometric.csv is the law of a mechanism, not data.
    files = {path.name for path in folder.glob("*.csv")} - {"geometric.csv"}
    assert files == {f"{name}.csv" for name in datasets.NAMES}
    for file in files:
        line = next(line for line in sources.splitlines() if line.startswith(f"| `{file}`"))
        assert "public domain" in line or "Creative Commons Attribution 4.0" in line


def test_voters_have_the_known_counts() -> None:
    table = datasets.voters().table
    assert table.num_rows == 944
    assert table["party"].to_pylist().count("strong Democrat") == 200
    assert table["party"].to_pylist().count("strong Republican") == 175
    assert table["education"].to_pylist().count("high school") == 248
    assert table["vote"].to_pylist().count("Dole") == 393
    assert table["clinton_placement"].to_pylist().count("liberal") == 317


def test_income_is_48_words_of_81_years() -> None:
    words = datasets.income().words()
    assert len(words) == 48
    assert set(words.lengths.tolist()) == {81}
    assert datasets.income().table["year"][0].as_py() == "1929"
    assert datasets.income().table["year"][-1].as_py() == "2009"


def test_seattle_is_one_word_of_1461_days() -> None:
    words = datasets.seattle().words()
    assert len(words) == 1
    assert words[0][:2] == ["drizzle", "rain"]
    assert words.lengths.tolist() == [1461]
    assert datasets.seattle().table["date"][-1].as_py() == "2015-12-31"
    assert words[0].count("sun") == 714


def test_meters_are_24_words_of_four_weeks_in_steps_of_3_hours() -> None:
    words = datasets.meters().words()
    assert len(words) == 24
    assert set(words.lengths.tolist()) == {4 * 7 * 8}
    assert words[0][:4] == ["peak", "peak", "peak", "peak"]
    names = datasets.meters().table["meter"].to_pylist()
    assert names[:: 4 * 7 * 8] == [
        f"{who}-{n:02d}" for who in ("trial", "home") for n in range(1, 13)
    ]
    assert datasets.meters().table["level"].to_pylist().count("peak") == 756


def test_the_table_is_read_once() -> None:
    assert datasets.voters().table is datasets.load("voters").table


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="voters, income, seattle, meters"):
        datasets.load("titanic")
    with pytest.raises(DataError, match="no sequences"):
        datasets.voters().words()
    assert isinstance(datasets.voters(), Dataset)
