"""Estimating from a release by its receipt: what `privet estimate` prints, in Python."""

from pathlib import Path

import numpy as np
import pytest

from privet import (
    Alphabet,
    ColumnNotFoundError,
    DataError,
    ParameterError,
    ParameterTypeError,
    RandomizedResponse,
    WordStaircase,
    estimate,
    estimate_release,
    release,
)

VOTE, NEWS = Alphabet(["Clinton", "Dole"]), Alphabet(["0", "1", "2"])
MECHANISMS = {
    "vote": RandomizedResponse(VOTE, epsilon=2),
    "news": RandomizedResponse(NEWS, epsilon=3),
}


@pytest.fixture
def voters(tmp_path: Path) -> Path:
    place = tmp_path / "voters.csv"
    rows = [f"{('Clinton', 'Dole')[n % 3 == 0]},{n % 3},{n}" for n in range(60)]
    place.write_text("vote,news,age\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return place


@pytest.fixture
def released(voters: Path) -> Path:
    place = voters.with_name("out.csv")
    release(MECHANISMS, voters, keep=["age"], output=place)
    return place


def test_each_column_by_itself_and_several_together(released: Path) -> None:
    lines = [line.split(",") for line in released.read_text(encoding="utf-8").splitlines()]
    values = {name: [line[place] for line in lines[1:]] for place, name in enumerate(lines[0])}
    found = estimate_release(released)
    assert list(found) == ["vote", "news"]
    for name, mechanism in MECHANISMS.items():
        alone = estimate.frequencies(values[name], mechanism)
        assert np.array_equal(found[name].shares, alone.shares)
    assert list(estimate_release(released, "news")) == ["news"]
    (joint,) = estimate_release(str(released), ["vote", "news"], confidence="0.9").values()
    pairs = [(values[name], mechanism) for name, mechanism in MECHANISMS.items()]
    same = estimate.joint_frequencies(pairs, 0.9, names=list(MECHANISMS))
    assert np.array_equal(joint.shares, same.shares)
    assert np.array_equal(joint.intervals, same.intervals)


def test_a_release_in_memory_needs_no_file(voters: Path) -> None:
    import pandas as pd

    done = release(MECHANISMS, pd.read_csv(voters, dtype=str))
    found = estimate_release(done)
    alone = estimate.frequencies(done.data["vote"], MECHANISMS["vote"])
    assert np.array_equal(found["vote"].shares, alone.shares)


def test_what_is_not_of_the_release_is_refused(released: Path) -> None:
    with pytest.raises(DataError, match="'age' was kept"):
        estimate_release(released, "age")
    with pytest.raises(ColumnNotFoundError, match="'wage'"):
        estimate_release(released, "wage")
    with pytest.raises(ParameterTypeError, match=r"estimate\.frequencies"):
        estimate_release(["Clinton", "Dole"])  # type: ignore[arg-type]  # what is refused
    with pytest.raises(DataError, match="no file"):
        estimate_release(released.with_name("gone.csv"))
    released.write_text(released.read_text(encoding="utf-8") + "Dole,1,5\n", encoding="utf-8")
    with pytest.raises(DataError, match="byte for byte"):
        estimate_release(released)
    assert estimate_release(released, changed_file=True)["vote"].size == 61


def test_words_have_one_estimate_and_some_have_none(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    wide.write_text("m1,m2\n" + "0,1\n2,2\n" * 20, encoding="utf-8")
    columns = ["m1", "m2"]
    symbols = RandomizedResponse(NEWS, epsilon=2)
    done = release(symbols, wide, columns=columns, adjacency=1, output=tmp_path / "out.csv")
    (found,) = estimate_release(done).values()
    assert found.size == 80
    assert estimate_release(done, "m2")["m2"].size == 40
    with pytest.raises(ParameterError, match="no joint table"):
        estimate_release(done, columns)
    stairs = WordStaircase(NEWS, epsilon=2, adjacency=2)
    with pytest.raises(DataError, match="cannot be estimated"):
        estimate_release(release(stairs, wide, columns=columns, adjacency=2))
