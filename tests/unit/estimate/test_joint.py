"""Joint tables: against the Kronecker inverse, their margins, and what is refused."""

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from privet import estimate
from privet.errors import DataError, ParameterError
from privet.estimate.channel import read_channel
from privet.estimate.moments import Variance
from privet.symbols import Alphabet, Words

ABC, XY, UV = Alphabet(["a", "b", "c"]), Alphabet(["x", "y"]), Alphabet(["u", "v"])


def response(alphabet: Alphabet, keep: Fraction) -> SimpleNamespace:
    return SimpleNamespace(alphabet=alphabet, keep_probability=keep)


FIRST, SECOND = response(ABC, Fraction(1, 2)), response(XY, Fraction(3, 4))
THIRD = response(UV, Fraction(9, 10))
COUNTS = np.array([[30, 50], [20, 40], [90, 10]])


def test_two_columns_are_undone_by_the_kronecker_inverse() -> None:
    known = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND])
    inverse = np.kron(read_channel(FIRST)[1].inverse, read_channel(SECOND)[1].inverse)
    assert known.shares.ravel() == pytest.approx(COUNTS.ravel() / 240 @ inverse)
    assert known.shares.sum() == pytest.approx(1)
    assert known.projected.min() >= 0
    assert known.standard_errors.shape == (3, 2)
    assert known.simultaneous_intervals.shape == (3, 2, 2)
    assert known.covariance.shape == (6, 6)


def test_rows_and_counts_say_the_same() -> None:
    rows = [
        (a, x) for i, a in enumerate("abc") for j, x in enumerate("xy") for _ in range(COUNTS[i, j])
    ]
    first, second = ([row[side] for row in rows] for side in (0, 1))
    from_rows = estimate.joint_frequencies([(first, FIRST), (second, SECOND)], 0.9)
    from_counts = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], 0.9)
    assert from_rows.to_json() == from_counts.to_json()


def test_three_columns() -> None:
    counts = np.arange(1, 13).reshape(3, 2, 2)
    known = estimate.joint_frequencies_from_counts(counts, [FIRST, SECOND, THIRD])
    first, second, third = (read_channel(each)[1].inverse for each in (FIRST, SECOND, THIRD))
    inverse = np.kron(np.kron(first, second), third)
    assert known.shares.ravel() == pytest.approx(counts.ravel() / 78 @ inverse)
    assert np.diag(known.covariance) == pytest.approx(known.standard_errors.ravel() ** 2)
    assert known.margin(2).shares == pytest.approx(known.shares.sum(axis=(0, 1)))


@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
def test_margins_are_the_columns_own_estimates(variance: Variance) -> None:
    known = estimate.joint_frequencies_from_counts(
        COUNTS,
        [FIRST, SECOND],
        variance=variance,
        names=["letter", "side"],
    )
    own = estimate.frequencies_from_counts(COUNTS.sum(axis=1), FIRST, variance=variance)
    margin = known.margin("letter")
    assert margin.to_json() == own.to_json() == known.margin(0).to_json()
    assert margin.shares == pytest.approx(known.shares.sum(axis=1))
    assert known.margin("side").alphabet == XY


def test_conditional_shares() -> None:
    known = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], names=["l", "s"])
    within = known.projected.sum(axis=1)
    assert known.conditional("l")[0] == pytest.approx(known.projected[0] / within[0])
    assert known.conditional("l")[[0, 2]].sum(axis=1) == pytest.approx([1, 1])
    assert known.conditional(1).sum(axis=0) == pytest.approx([1, 1])
    certain = estimate.joint_frequencies_from_counts(
        [[5, 0], [0, 0], [5, 5]], [response(ABC, Fraction(1)), response(XY, Fraction(1))]
    )
    conditional = certain.conditional(0)
    assert conditional[[0, 2]].tolist() == [[1, 0], [0.5, 0.5]]
    assert np.isnan(conditional[1]).all()


def test_weights() -> None:
    first, second = list("aabc"), list("xyxy")
    plain = estimate.joint_frequencies([(first, FIRST), (second, SECOND)])
    weighted = estimate.joint_frequencies([(first, FIRST), (second, SECOND)], weights=[2, 2, 2, 2])
    assert weighted.shares == pytest.approx(plain.shares)
    assert weighted.counts == pytest.approx(2 * plain.counts)
    assert weighted.standard_errors == pytest.approx(plain.standard_errors)
    uneven = estimate.joint_frequencies([(first, FIRST), (second, SECOND)], weights=[1, 0, 0, 0])
    one = estimate.joint_frequencies([(["a"], FIRST), (["x"], SECOND)])
    assert uneven.shares == pytest.approx(one.shares)
    assert uneven.effective_size == 1


def test_parts_of_rows_add_up() -> None:
    first, second = list("aabcbacb"), list("xyxyyyxx")
    parts = [
        estimate.joint_tally([(first[part], FIRST), (second[part], SECOND)])
        for part in (slice(0, 3), slice(3, None))
    ]
    known = estimate.joint_frequencies_from_counts(parts[0] + parts[1], [FIRST, SECOND])
    whole = estimate.joint_frequencies([(first, FIRST), (second, SECOND)])
    assert known.to_json() == whole.to_json()


def test_rows_name_the_columns() -> None:
    known = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], names=["l", "s"])
    assert [(row["l"], row["s"]) for row in known.rows()][:3] == [
        ("a", "x"),
        ("a", "y"),
        ("b", "x"),
    ]
    assert json.loads(json.dumps(known.to_json()))["columns"] == ["l", "s"]
    unnamed = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND])
    assert list(unnamed.rows()[0])[:2] == ["column 0", "column 1"]


def test_words_of_two_columns_are_pooled() -> None:
    first = Words.from_lists(ABC, [["a", "b"], ["c"]])
    second = Words.from_lists(XY, [["x", "x"], ["y"]])
    assert estimate.joint_frequencies([(first, FIRST), (second, SECOND)]).size == 3
    with pytest.raises(ParameterError, match="not drawn independently"):
        estimate.joint_frequencies([(first, FIRST), (second, SECOND)], variance="sampling")


def test_wrong_columns_are_refused() -> None:
    with pytest.raises(DataError, match="different lengths: 1, 2"):
        estimate.joint_frequencies([(["a"], FIRST), (["x", "y"], SECOND)])
    with pytest.raises(DataError, match="at least two columns; there is 1"):
        estimate.joint_frequencies([(["a"], FIRST)])
    with pytest.raises(DataError, match="2 columns need 2 different names"):
        estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], names=["same", "same"])
    known = estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], names=["l", "s"])
    for column in (2, -1, "letter"):
        with pytest.raises(ParameterError, match="no such column"):
            known.margin(column)
    with pytest.raises(ParameterError, match="Exact intervals"):
        estimate.joint_frequencies_from_counts(COUNTS, [FIRST, SECOND], method="exact")


def test_hardly_informative_columns_together_are_refused() -> None:
    faint = [response(ABC, Fraction(1, 3) + Fraction(1, 10**80)) for _ in range(2)]
    estimate.frequencies_from_counts([1, 2, 3], faint[0])
    with pytest.raises(ParameterError, match="independent of its input"):
        estimate.joint_frequencies_from_counts(np.ones((3, 3), int), faint)


def test_a_column_may_be_called_as_a_number_is() -> None:
    known = estimate.joint_frequencies_from_counts(
        COUNTS, [FIRST, SECOND], names=["share", "count"]
    )
    header, _, *lines = str(known).splitlines()[:8]
    assert header.split()[:3] == ["share", "count", "share"]
    assert [line.split()[:2] for line in lines] == [[a, x] for a in "abc" for x in "xy"]
    with pytest.raises(DataError, match=r"called 'share'.* cell_numbers"):
        known.rows()
