"""Laws that estimates obey whatever the data: sums, linearity, symmetry, nearest points."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import LinearConstraint, minimize

from privet import estimate
from privet.symbols import Alphabet

FLOATS = st.floats(-1e6, 1e6, allow_nan=False)


@st.composite
def released(draw: st.DrawFn, columns: int = 1) -> tuple[np.ndarray, list[SimpleNamespace]]:
    """Counts of a table with at least one row, and mechanisms that tell something."""
    shape = tuple(draw(st.integers(2, 5)) for _ in range(columns))
    counts = draw(arrays.arrays(np.int64, shape, elements=st.integers(0, 10**6)))
    counts.flat[0] += 1
    mechanisms = []
    for size in shape:
        lift = draw(st.sampled_from([Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 2)]))
        mechanisms.append(
            SimpleNamespace(
                alphabet=Alphabet(range(size)),
                keep_probability=Fraction(1, size) + lift * (1 - Fraction(1, size)),
            )
        )
    return counts, mechanisms


def near(size: float) -> float:
    """Rounding to expect of sums of numbers of that size."""
    return 1e-13 * (1 + size)


@given(released())
def test_one_column(case: tuple[np.ndarray, list[SimpleNamespace]]) -> None:
    counts, (mechanism,) = case
    known = estimate.frequencies_from_counts(counts, mechanism)
    assert known.shares.sum() == pytest.approx(1, abs=near(abs(known.shares).sum()))
    check_table(known)
    order = np.argsort(known.shares, kind="stable")
    assert np.array_equal(np.sort(counts), counts[order])


@given(released(columns=2))
def test_two_columns(case: tuple[np.ndarray, list[SimpleNamespace]]) -> None:
    counts, mechanisms = case
    known = estimate.joint_frequencies_from_counts(counts, mechanisms)
    size = abs(known.shares).sum()
    assert known.shares.sum() == pytest.approx(1, abs=near(size))
    for axis in (0, 1):
        margin = known.margin(axis)
        assert known.shares.sum(axis=1 - axis) == pytest.approx(margin.shares, abs=near(size))
    check_table(known)


def check_table(known: estimate.FrequencyEstimate | estimate.JointEstimate) -> None:
    assert known.projected.min() >= 0
    assert known.projected.sum() == pytest.approx(1)
    assert (known.standard_errors > 0).all()
    lower, upper = known.intervals[..., 0], known.intervals[..., 1]
    wide_lower, wide_upper = (known.simultaneous_intervals[..., side] for side in (0, 1))
    assert (wide_lower >= 0).all()
    assert (wide_lower <= lower).all()
    assert (lower <= upper).all()
    assert (upper <= wide_upper).all()
    assert (wide_upper <= 1).all()
    clipped = known.shares.clip(0, 1)
    assert (lower <= clipped + 1e-12).all()
    assert (clipped <= upper + 1e-12).all()


@given(released(), st.data())
def test_estimates_of_parts_mix_to_that_of_the_whole(
    case: tuple[np.ndarray, list[SimpleNamespace]], data: st.DataObject
) -> None:
    counts, (mechanism,) = case
    other = np.array(data.draw(st.permutations(counts.tolist())))
    first, second = (estimate.Tally.from_counts(part) for part in (counts, other))
    whole = estimate.frequencies_from_counts(first + second, mechanism)
    parts = [estimate.frequencies_from_counts(part, mechanism) for part in (first, second)]
    mixed = (parts[0].counts + parts[1].counts) / whole.tally.total
    assert mixed == pytest.approx(whole.shares, abs=near(abs(whole.shares).sum()) * 10)


@given(released(), st.data())
def test_renaming_symbols_renames_the_estimate(
    case: tuple[np.ndarray, list[SimpleNamespace]], data: st.DataObject
) -> None:
    counts, (mechanism,) = case
    order = data.draw(st.permutations(range(counts.size)))
    known = estimate.frequencies_from_counts(counts, mechanism)
    renamed = estimate.frequencies_from_counts(counts[order], mechanism)
    assert renamed.shares == pytest.approx(known.shares[order], rel=1e-9, abs=1e-9)
    assert renamed.standard_errors == pytest.approx(known.standard_errors[order], rel=1e-6)
    assert renamed.intervals == pytest.approx(known.intervals[order], rel=1e-9, abs=1e-9)


@given(
    arrays.arrays(np.uint8, 30, elements=st.integers(0, 2)),
    arrays.arrays(np.int64, 30, elements=st.integers(1, 4)),
    st.sampled_from([0.125, 1.0, 3e7]),
)
def test_weights_count_rows_and_only_their_ratios_matter(
    codes: np.ndarray, weights: np.ndarray, scale: float
) -> None:
    mechanism = SimpleNamespace(alphabet=Alphabet(["a", "b", "c"]), keep_probability=Fraction(3, 5))
    weighted = estimate.frequencies(codes, mechanism, weights=weights)
    scaled = estimate.frequencies(codes, mechanism, weights=weights * scale)
    repeated = estimate.frequencies(np.repeat(codes, weights), mechanism)
    assert weighted.shares == pytest.approx(repeated.shares)
    assert scaled.shares == pytest.approx(weighted.shares)
    assert scaled.standard_errors == pytest.approx(weighted.standard_errors)
    assert weighted.effective_size <= 30 * (1 + 1e-12)


@given(arrays.arrays(np.float64, st.integers(1, 12), elements=FLOATS), st.floats(1e-6, 1e6))
def test_projection_is_the_nearest_point(values: np.ndarray, total: float) -> None:
    nearest = estimate.project_to_simplex(values, total)
    assert nearest.min() >= 0
    assert nearest.sum() == pytest.approx(total)
    # x is nearest in a convex set if and only if (v - x).(y - x) <= 0 for each of its corners y.
    gaps = values - nearest
    size = (1 + abs(values).max()) * total
    assert (gaps * total - gaps @ nearest).max() <= 1e-9 * size
    again = estimate.project_to_simplex(nearest, total)
    assert again == pytest.approx(nearest, abs=1e-9 * total)


@given(
    arrays.arrays(np.float64, 6, elements=st.floats(-2, 2)),
    arrays.arrays(np.float64, 6, elements=st.floats(0.01, 1)),
)
def test_projection_never_moves_away_from_true_shares(
    values: np.ndarray, weights: np.ndarray
) -> None:
    truth = weights / weights.sum()
    nearest = estimate.project_to_simplex(values)
    assert np.linalg.norm(nearest - truth) <= np.linalg.norm(values - truth) + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_projection_agrees_with_a_quadratic_program(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.2, 0.6, (2, 3))

    def distance(x: np.ndarray) -> float:
        return float(((x - values.ravel()) ** 2).sum())

    solved = minimize(
        distance,
        np.full(6, 1 / 6),
        bounds=[(0, None)] * 6,
        constraints=LinearConstraint(np.ones((1, 6)), 1, 1),
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    nearest = estimate.project_to_simplex(values)
    assert nearest.shape == (2, 3)
    assert nearest.ravel() == pytest.approx(solved.x, abs=1e-6)


def test_shares_are_their_own_projection() -> None:
    shares = np.array([0.5, 0.0, 0.3, 0.2])
    assert estimate.project_to_simplex(shares) == pytest.approx(shares)
    assert estimate.project_to_simplex(np.array([5.0, -3, 0])).tolist() == [1, 0, 0]
