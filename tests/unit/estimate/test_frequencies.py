"""What one column's estimate says, by hand-computed numbers, and its refusals."""

import json
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from privet import estimate
from privet.chains import MarkovChain
from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.languages import Language
from privet.mechanisms import WordExponential
from privet.symbols import Alphabet, Codes, Words

ABC = Alphabet(["a", "b", "c"])


def response(keep: Fraction | int, alphabet: Alphabet = ABC) -> SimpleNamespace:
    return SimpleNamespace(alphabet=alphabet, keep_probability=Fraction(keep))


HALF = response(Fraction(1, 2))  # keeps with 1/2, moves to each other with 1/4


def test_shares_by_hand() -> None:
    known = estimate.frequencies_from_counts([50, 30, 20], HALF)
    assert known.shares == pytest.approx([1.0, 0.2, -0.2])
    assert known.counts == pytest.approx([100, 20, -20])
    assert known.projected == pytest.approx([0.9, 0.1, 0])
    # Projected composition (0.9, 0.1, 0) / 100; a row's indicator has variance 1/4 in its own
    # category and 3/16 in others, over the squared contrast 1/16.
    expected = [(0.9 * 4 + 0.1 * 3) / 100, (0.1 * 4 + 0.9 * 3) / 100, 0.03]
    assert known.standard_errors**2 == pytest.approx(expected)
    assert known.count_standard_errors == pytest.approx(100 * known.standard_errors)
    assert known.size == known.effective_size == 100
    assert known.alphabet == ABC


def test_released_rows_and_their_counts_say_the_same() -> None:
    rows = ["a"] * 50 + ["b"] * 30 + ["c"] * 20
    from_rows = estimate.frequencies(rows, HALF, 0.9, variance="sampling")
    from_counts = estimate.frequencies_from_counts([50, 30, 20], HALF, 0.9, variance="sampling")
    assert from_rows.to_json() == from_counts.to_json()


def test_without_noise_the_estimate_is_the_count() -> None:
    known = estimate.frequencies(["a", "b", "a"], response(1))
    assert known.shares == pytest.approx([2 / 3, 1 / 3, 0])
    assert known.standard_errors.tolist() == [0, 0, 0]
    assert known.intervals[0] == pytest.approx([2 / 3, 2 / 3])
    sampled = estimate.frequencies(["a", "b", "a"], response(1), variance="sampling")
    assert sampled.standard_errors[0] == pytest.approx(math.sqrt(2 / 9 / 3))
    assert sampled.intervals[0, 1] - sampled.intervals[0, 0] > 0.5


def test_almost_no_information_gives_huge_honest_errors() -> None:
    known = estimate.frequencies(["a", "b", "a"], response(Fraction(1, 3) + Fraction(1, 10**9)))
    assert known.standard_errors.min() > 1e8
    assert known.intervals.tolist() == [[0, 1]] * 3
    weighted = estimate.frequencies(
        ["a", "b", "a"], response(Fraction(1, 3) + Fraction(1, 10**9)), weights=[1, 2, 3]
    )
    assert weighted.standard_errors.min() > 1e8
    assert weighted.intervals.tolist() == [[0, 1]] * 3


def test_no_information_is_refused() -> None:
    with pytest.raises(ParameterError, match="independent of its input"):
        estimate.frequencies(["a"], response(Fraction(1, 3)))


def test_one_row_is_enough_and_none_are_not() -> None:
    known = estimate.frequencies(["a"], HALF, variance="sampling")
    assert known.shares == pytest.approx([3, -1, -1])
    assert known.standard_errors.min() > 1
    with pytest.raises(DataError, match="no released rows"):
        estimate.frequencies([], HALF)
    with pytest.raises(DataError, match="no released rows"):
        estimate.frequencies_from_counts([0, 0, 0], HALF)


def test_weighted_shares_by_hand() -> None:
    known = estimate.frequencies(["a", "b", "c"], HALF, weights=[2, 1, 1])
    assert known.shares == pytest.approx([1, 0, 0])
    assert known.counts == pytest.approx([4, 0, 0])
    assert known.effective_size == pytest.approx(16 / 6)
    assert known.interval_method == "normal"
    assert known.intervals.min() >= 0
    assert known.intervals.max() <= 1


def test_equal_weights_are_no_weights() -> None:
    rows = list("aabbbccc")
    plain = estimate.frequencies(rows, HALF)
    weighted = estimate.frequencies(rows, HALF, weights=[0.1] * 8)
    assert weighted.interval_method == "exact"
    assert weighted.shares == pytest.approx(plain.shares)
    assert weighted.standard_errors == pytest.approx(plain.standard_errors)
    assert np.array_equal(weighted.intervals, plain.intervals)


def test_description_says_which_variance() -> None:
    mechanism = estimate.frequencies(list("aabbc"), HALF).description
    sampling = estimate.frequencies(list("aabbc"), HALF, variance="sampling").description
    weighted = estimate.frequencies(list("ab"), HALF, weights=[1, 3]).description
    assert "the mechanism's noise alone" in mechanism
    assert "population" in sampling
    assert "effective number 1.6" in weighted
    assert "normal method" in weighted
    assert "Estimated from 1 released row." in estimate.frequencies(["a"], HALF).description


def test_description_says_what_sampling_does_not_hold_for() -> None:
    known = estimate.frequencies(list("aabbc"), HALF, variance="sampling")
    assert "one person has several rows" in known.description
    assert "symbols of words" in known.description
    assert "weighs more" not in known.description
    weighted = estimate.frequencies(list("ab"), HALF, weights=[1, 3], variance="sampling")
    assert "no row was drawn of a kind that weighs more" in weighted.description
    assert "several rows" not in estimate.frequencies(list("aabbc"), HALF).description


def test_description_says_when_shares_are_no_shares() -> None:
    # Shares 1, 0.2 and -0.2; then 3, -1 and -1, which no interval within [0, 1] holds.
    some = estimate.frequencies_from_counts([50, 30, 20], HALF).description
    assert "may be negative or above 1, and 1 of 3 is; intervals are cut to [0, 1], so 1" in some
    assert "does not hold the estimate; the projected shares are the nearest" in some
    three = estimate.frequencies(["a"], HALF).description
    assert "3 of 3 are; intervals are cut to [0, 1], so 3 of them do not hold" in three
    inside = estimate.frequencies_from_counts([40, 30, 30], HALF).description
    assert "negative" not in inside
    for rows in range(1, 40):  # shares of 0 and 1, whatever rounding makes of them
        certain = estimate.frequencies_from_counts([rows, 0, 0], response(Fraction(1)))
        assert "negative" not in certain.description
    assert "cut" not in inside


def test_description_spells_numbers_for_people() -> None:
    many = estimate.frequencies_from_counts([500_000, 400_000, 334_567], HALF)
    assert "from 1,234,567 released rows" in many.description
    weighted = estimate.frequencies(list("ab") * 1000, HALF, weights=[1, 3] * 1000)
    assert "effective number 1,600)" in weighted.description
    assert "Šidák, 3 comparisons." in weighted.description
    two = response(Fraction(3, 4), Alphabet("xy"))
    for method in ("exact", "normal"):
        known = estimate.frequencies_from_counts([30, 20], two, method=method)
        assert known.simultaneous_method.endswith(", 1 comparison")


def test_rows_and_json_hold_plain_values() -> None:
    known = estimate.frequencies(list("aabbc"), HALF)
    table = known.rows()
    assert [row["symbol"] for row in table] == ["a", "b", "c"]
    assert list(table[0]) == [
        "symbol",
        "share",
        "standard_error",
        "lower",
        "upper",
        "simultaneous_lower",
        "simultaneous_upper",
        "projected",
        "count",
    ]
    assert all(type(value) is float for value in list(table[0].values())[1:])
    read = json.loads(json.dumps(known.to_json()))
    assert read["shares"] == known.shares.tolist()
    assert read["variance"] == "mechanism"
    assert read["interval_method"] == "exact"
    assert read["alphabets"] == [["a", "b", "c"]]


def test_arrays_are_read_only() -> None:
    known = estimate.frequencies(list("aabbc"), HALF)
    for array in (known.shares, known.intervals, known.covariance, known.projected):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_simultaneous_intervals_hold_the_single_ones() -> None:
    for method in ("exact", "normal"):
        known = estimate.frequencies_from_counts([500, 300, 200], HALF, method=method)
        assert (known.simultaneous_intervals[:, 0] <= known.intervals[:, 0]).all()
        assert (known.simultaneous_intervals[:, 1] >= known.intervals[:, 1]).all()
        assert known.simultaneous_method.endswith("3 comparisons")


def test_words_are_pooled() -> None:
    words = Words.from_lists(ABC, [["a", "b"], ["a"]])
    assert estimate.frequencies(words, HALF).size == 3
    with pytest.raises(ParameterError, match="not drawn independently"):
        estimate.frequencies(words, HALF, variance="sampling")


def test_symbols_of_words_are_called_symbols() -> None:
    words = Words.from_lists(ABC, [["a", "b"], ["a"]])
    known = estimate.frequencies(words, HALF)
    assert known.description.startswith("Estimated from 3 released symbols. ")
    assert "row" not in known.description
    assert "3 symbols" in repr(known)
    weighted = estimate.frequencies(words, HALF, weights=[1, 2])
    assert weighted.description.startswith("Estimated from 3 released symbols with design weights")
    part = estimate.tally(words, HALF)
    assert (part + part).of_words
    rows = estimate.frequencies(["a", "b"], HALF)
    assert rows.description.startswith("Estimated from 2 released rows. ")
    one = estimate.frequencies(Words.from_lists(ABC, [["a"]]), HALF)
    assert one.description.startswith("Estimated from 1 released symbol. ")
    pairs = [(words, HALF), (words, HALF)]
    assert "3 released symbols" in estimate.joint_frequencies(pairs).description


def test_positions_of_words() -> None:
    words = Words.from_lists(ABC, [["a", "b", "c"], ["a"], [], ["b", "b"]])
    by_position = estimate.frequencies_by_position(words, HALF, variance="sampling")
    assert [known.size for known in by_position] == [3, 2, 1]
    assert by_position[1].shares == pytest.approx([-1, 3, -1])
    weighted = estimate.frequencies_by_position(words, HALF, weights=[1, 2, 5, 3])
    assert [known.tally.total for known in weighted] == [6, 4, 1]
    assert weighted[0].tally.weights.tolist() == [3, 3, 0]


def test_positions_of_integer_symbols_are_codes() -> None:
    numbers = Alphabet([5, 7, 9])
    words = Words.from_lists(numbers, [[5, 7], [5, 9]])
    by_position = estimate.frequencies_by_position(words, response(1, numbers))
    assert by_position[1].shares == pytest.approx([0, 0.5, 0.5])


def test_positions_need_words() -> None:
    with pytest.raises(ParameterTypeError, match="no positions"):
        estimate.frequencies_by_position(["a"], HALF)
    nothings: list[list[list[str]]] = [[], [[], []]]
    for nothing in nothings:
        with pytest.raises(DataError, match="no released symbols"):
            estimate.frequencies_by_position(Words.from_lists(ABC, nothing), HALF)
    words = Words.from_lists(ABC, [["a"], ["b"]])
    with pytest.raises(DataError, match="1 design weights for 2 words"):
        estimate.frequencies_by_position(words, HALF, weights=[1])


def test_counts_of_another_shape_are_refused() -> None:
    for counts in ([1, 2], [[1, 2, 3]], [1, 2, 3, 4]):
        with pytest.raises(DataError, match="shape"):
            estimate.frequencies_from_counts(counts, HALF)


def test_any_response_matrix_will_do() -> None:
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
    mechanism = SimpleNamespace(alphabet=ABC, response_matrix=matrix)
    expected = np.array([100, 300, 600]) @ matrix
    known = estimate.frequencies_from_counts(np.round(expected).astype(int), mechanism)
    assert known.shares == pytest.approx([0.1, 0.3, 0.6], abs=2e-3)
    assert known.interval_method == "normal"


def test_a_large_alphabet_is_quick() -> None:
    numbers = Alphabet(range(60_000))
    codes = Codes(np.arange(120_000) % 60_000)
    known = estimate.frequencies(codes, response(Fraction(1, 100), numbers))
    assert known.shares == pytest.approx(np.full(60_000, 1 / 60_000))


def test_repr_holds_no_numbers_but_sizes() -> None:
    assert repr(estimate.frequencies(list("abc"), HALF)) == (
        "FrequencyEstimate(3 cells, 3 rows, variance='mechanism')"
    )


def test_a_mechanism_that_mixes_symbols_is_called_by_its_title() -> None:
    mechanism = WordExponential(Language.from_regex(ABC, "(a|b)*c*"), epsilon=1)
    with pytest.raises(ParameterTypeError, match=r"^The exponential mechanism"):
        estimate.frequencies(Words.from_lists(ABC, [["a", "c"]]), mechanism)
    with pytest.raises(ParameterTypeError, match=r"^The exponential mechanism"):
        estimate.decode.viterbi(
            Words.from_lists(ABC, [["a", "c"]]),
            mechanism,
            MarkovChain([1, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], ABC),
        )


def test_it_prints_as_a_table() -> None:
    known = estimate.frequencies_from_counts([50, 30, 20], HALF)
    header, _, first, *_ = str(known).splitlines()
    assert header.split() == ["symbol", "share", "std.", "error", "interval", "all", "at", "once"]
    assert first.split()[:3] == ["a", "100.0%", "19.7%"]  # sqrt(3.9 / 100)
    assert str(known).endswith(known.description)
    large = Alphabet(range(300))
    wide = estimate.frequencies_from_counts([1] * 300, response(Fraction(1, 2), large))
    assert str(wide).startswith("FrequencyEstimate(300 cells")
