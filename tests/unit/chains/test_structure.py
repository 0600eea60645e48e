"""Patterns of steps, and drawing along them."""

from itertools import count

import numpy as np
import pytest

from privet.chains.simulate import draw_categories, draw_paths, place, uniforms
from privet.chains.structure import closed_classes, mixing_steps, reachability
from privet.testing import ChosenSource, ReplaySource

CYCLE = np.roll(np.eye(4, dtype=bool), 1, axis=1)
LADDER = np.triu(np.ones((4, 4), bool))


def slow_mixing_steps(support: np.ndarray) -> int | None:
    power = support.astype(int)
    for steps in count(1):
        if power.all():
            return steps
        if steps > (len(support) - 1) ** 2 + 1:
            return None
        power = (power @ support > 0).astype(int)
    return None


def test_reachability_and_classes() -> None:
    assert reachability(CYCLE).all()
    assert (reachability(LADDER) == LADDER).all()
    assert closed_classes(CYCLE) == [[0, 1, 2, 3]]
    assert closed_classes(LADDER) == [[3]]
    assert closed_classes(np.eye(3, dtype=bool)) == [[0], [1], [2]]
    assert closed_classes(np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1]], bool)) == [[0, 1]]


@pytest.mark.parametrize("seed", range(60))
def test_mixing_steps_are_the_first_positive_power(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 8))
    support = rng.random((size, size)) < rng.choice([0.25, 0.4, 0.6, 1.0])
    support[np.arange(size), rng.integers(0, size, size)] = True
    assert mixing_steps(support) == slow_mixing_steps(support)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_wielandts_matrix_takes_as_long_as_any(size: int) -> None:
    support = np.roll(np.eye(size, dtype=bool), 1, axis=1)
    support[size - 1, 1] = True
    assert mixing_steps(support) == (size - 1) ** 2 + 1


def test_a_state_of_weight_zero_is_never_drawn() -> None:
    weights = np.array([[0.0, 1.0, 0.0, 2.0, 0.0]])
    ends = np.array([0.0, np.nextafter(1, 0)])
    assert place(np.cumsum(np.repeat(weights, 2, axis=0), axis=1), ends).tolist() == [1, 3]
    # The largest share times any total stays below the total.
    totals = np.random.default_rng(1).random(1000) * 2.0 ** np.arange(-500, 500)
    for total in (*totals, *np.nextafter(2.0 ** np.arange(-3, 3), 9), 1.0, 2.0):
        assert place(np.array([[0.0, total, total]]), ends[1:]).tolist() == [1]


def test_uniforms_fill_the_unit_interval() -> None:
    top = ChosenSource(lambda out: np.full_like(out, np.iinfo(out.dtype).max))
    low = ChosenSource(np.zeros_like)
    assert uniforms(top, 2).tolist() == [1 - 2**-53] * 2
    assert uniforms(low, 1).tolist() == [0.0]


def test_draws_follow_their_weights_and_their_chain() -> None:
    source = ReplaySource(3)
    drawn = draw_categories(source, np.tile([1.0, 0.0, 3.0], (4000, 1)))
    assert np.bincount(drawn, minlength=3)[1] == 0
    assert abs((drawn == 2).mean() - 0.75) < 5 * (0.75 * 0.25 / 4000) ** 0.5
    lengths = np.array([2, 0, 5, 3])
    path = draw_paths(source, np.eye(4)[2], CYCLE.astype(float), lengths, np.dtype(np.uint8))
    assert path.tolist() == [2, 3, 2, 3, 0, 1, 2, 2, 3, 0]
    assert path.dtype == np.uint8
