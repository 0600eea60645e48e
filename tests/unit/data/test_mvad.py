"""The transition from school to work of 712 young people (mvad), as a wide table of 72 months.

The table is read from the wheel of `sequenzo`, which `make setup` keeps beside the environment as a
file of data; none of its code is installed or run.
"""

import sys
import zipfile
from pathlib import Path

import pytest

from privet.data import expand_columns, read_table, words_from_wide, write_table
from privet.symbols import Alphabet

STATES = Alphabet(["employment", "FE", "HE", "joblessness", "school", "training"])


@pytest.fixture(scope="module")
def mvad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheels = sorted(Path(sys.prefix, "inputs").glob("sequenzo-*.whl"))
    assert wheels, "the test inputs are missing: run 'make setup'"
    path = tmp_path_factory.mktemp("mvad") / "mvad.csv"
    with zipfile.ZipFile(wheels[-1]) as wheel:
        path.write_bytes(wheel.read("sequenzo/datasets/mvad.csv"))
    return path


def test_mvad_becomes_words_and_comes_back(mvad: Path, tmp_path: Path) -> None:
    table = read_table(mvad)
    months = expand_columns(table.column_names, ["*.9?"])
    assert len(months) == 72
    assert months[0] == "Jul.93"
    assert months[-1] == "Jun.99"
    found = words_from_wide(table, STATES, months)
    assert len(found.words) == 712
    assert found.words[0][:5] == ["training", "training", "employment", "employment", "employment"]
    assert set(found.words.lengths.tolist()) == {72}
    out = found.rebuild(found.words)
    assert out.equals(table)
    write_table(out, tmp_path / "out.csv")
    assert read_table(tmp_path / "out.csv").equals(table)
