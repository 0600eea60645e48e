"""Replayable and chosen bits."""

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.testing import ChosenSource, ReplaySource


def test_one_seed_one_sequence() -> None:
    first, again, other = (ReplaySource(seed).words(100) for seed in (7, 7, 8))
    assert (first == again).all()
    assert (first != other).all()


def test_the_sequence_does_not_depend_on_how_it_is_cut() -> None:
    whole = ReplaySource(1).words(1000, np.uint8)
    source = ReplaySource(1)
    parts = [source.words(n, np.uint8) for n in (1, 7, 500, 492)]
    assert (np.concatenate(parts) == whole).all()


def test_the_sequence_never_changes_between_versions() -> None:
    assert ReplaySource(0).words(4, np.uint8).tolist() == [27, 164, 34, 65]


def test_neither_is_private() -> None:
    assert not ReplaySource(1).private
    assert not ChosenSource(lambda _: 0).private


def test_chosen_words_come_out() -> None:
    source = ChosenSource(lambda out: np.arange(out.size))
    assert source.words(4, np.uint16).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", [-1, True, "x", 1.5])
def test_seeds_are_whole_numbers(seed: object) -> None:
    with pytest.raises(ParameterError):
        ReplaySource(seed)  # type: ignore[arg-type]  # a wrong argument is the point
