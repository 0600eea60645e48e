"""Counting released rows: blocks, weights, joint cells, and what is refused."""

import tracemalloc

import numpy as np
import pytest

from privet.errors import DataError, DomainError, ParameterError, ParameterTypeError
from privet.estimate.counting import Tally, tally_columns
from privet.symbols import Alphabet, Codes, Words

ABC, XY = Alphabet(["a", "b", "c"]), Alphabet(["x", "y"])


def test_labels_codes_and_words_are_counted_alike() -> None:
    labels = ["a", "c", "c", "b"]
    words = Words.from_lists(ABC, [["a", "c"], [], ["c", "b"]])
    forms = (labels, np.array(labels), ABC.encode(labels), Codes(np.array([[0, 2], [2, 1]])), words)
    for form in forms:
        assert tally_columns([(ABC, form)], None).counts.tolist() == [1, 1, 2]


def test_joint_cells_are_in_alphabet_order() -> None:
    known = tally_columns([(ABC, list("acca")), (XY, list("xyyx"))], None)
    assert known.counts.tolist() == [[2, 0], [0, 0], [0, 2]]
    assert known.margin(0).counts.tolist() == [2, 0, 2]
    assert known.margin(1).counts.tolist() == [2, 2]


def test_weights_are_summed_and_squared() -> None:
    known = tally_columns([(ABC, list("abba"))], [1, 2, 0, 3.5])
    assert known.weights.tolist() == [4.5, 2, 0]
    assert known.squares.tolist() == [13.25, 4, 0]
    assert known.rows == 4
    assert known.concentration == pytest.approx(17.25 / 6.5**2)
    assert not known.equal_weights
    assert tally_columns([(ABC, list("abba"))], [0.3] * 4).equal_weights


def test_a_word_lends_its_weight_to_all_its_symbols() -> None:
    words = Words.from_lists(ABC, [["a", "a", "b"], ["b"], []])
    assert tally_columns([(ABC, words)], [2, 5, 7]).weights.tolist() == [4, 7, 0]


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 3, 1000), rng.integers(0, 2, 1000)
    weights = rng.random(1000)
    columns = [(ABC, first), (XY, second)]
    whole = tally_columns(columns, weights)
    monkeypatch.setattr("privet.estimate.counting._BLOCK", 7)
    blocks = tally_columns(columns, weights)
    assert np.array_equal(whole.counts, blocks.counts)
    assert whole.weights == pytest.approx(blocks.weights)
    assert np.array_equal(whole.counts, np.histogram2d(first, second, [3, 2])[0])


def test_memory_does_not_grow_with_the_rows() -> None:
    codes = np.zeros(20_000_000, np.uint8)
    tracemalloc.start()
    tally_columns([(ABC, codes), (XY, codes)], None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


def test_parts_add_up() -> None:
    first = tally_columns([(ABC, list("ab"))], [1, 2])
    second = tally_columns([(ABC, list("cab"))], None)
    both = first + second
    assert both.counts.tolist() == [2, 2, 1]
    assert both.weights.tolist() == [2, 3, 1]
    assert both.largest == 2
    assert both.weighted
    with pytest.raises(DataError, match="do not add"):
        first + tally_columns([(XY, list("xy"))], None)


@pytest.mark.parametrize("counts", [[1.5, 2, 3], [-1, 2, 3], [True, False, True], ["1", "2", "3"]])
def test_counts_that_are_none_are_refused(counts: list[object]) -> None:
    with pytest.raises(DataError, match="whole numbers"):
        Tally.from_counts(counts)  # type: ignore[arg-type]  # wrong on purpose


def test_no_rows_are_refused() -> None:
    nothings: list[object] = [[], np.array([], np.uint8), Words.from_lists(ABC, [[], []])]
    for nothing in nothings:
        with pytest.raises(DataError, match="no released rows"):
            tally_columns([(ABC, nothing)], None)


def test_columns_of_different_rows_are_refused() -> None:
    with pytest.raises(DataError, match="different lengths: 2, 3"):
        tally_columns([(ABC, list("ab")), (XY, list("xxy"))], None)
    one, other = (Words.from_lists(XY, rows) for rows in ([["x"], ["x", "y"]], [["x", "y"], ["x"]]))
    with pytest.raises(DataError, match="words of two columns"):
        tally_columns([(XY, one), (XY, other)], None)


def test_symbols_outside_the_alphabet_are_refused_by_position() -> None:
    with pytest.raises(DomainError, match="position 1") as caught:
        tally_columns([(ABC, ["a", "secret"])], None)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], "2 design weights for 3 rows"),
        ([1, -1, 2], "position 1"),
        ([1, 1, float("nan")], "position 2"),
        ([float("inf"), 1, 1], "position 0"),
        ([0, 0, 0], "all zero"),
        ([1e300, 1, 1], "all zero, or too large"),
        ([1e-300, 0, 0], "too large or small"),
    ],
)
def test_wrong_weights_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        tally_columns([(ABC, list("abc"))], weights)


def test_weights_that_are_no_numbers_are_refused() -> None:
    for weights in ([True, True, False], ["1", "1", "1"], [1j, 1, 1]):
        with pytest.raises(ParameterTypeError, match="numbers"):
            tally_columns([(ABC, list("abc"))], weights)


def test_a_table_beyond_memory_is_refused() -> None:
    large = Alphabet(range(5000))
    with pytest.raises(ParameterError, match="25000000 cells"):
        tally_columns([(large, [1]), (large, [2])], None)
