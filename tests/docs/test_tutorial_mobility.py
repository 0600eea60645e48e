"""docs/tutorial/mobility.md: the figures that it quotes without printing them."""

import math
from itertools import pairwise

from pages import Page
from privet import RandomizedResponse, datasets

TEXT = " ".join(Page("docs/tutorial/mobility.md").text.split())
WORDS = datasets.income().words().to_lists()


def test_how_often_states_stay() -> None:
    stays = {}
    for state in ("1", "3", "5"):
        steps = [b for word in WORDS for a, b in pairwise(word) if a == state]
        stays[state] = f"{steps.count(state) / len(steps):.2f}"
    assert (
        f"lowest quintile keeps a state with probability {stays['1']} a year, the middle one "
        f"{stays['3']} and the highest {stays['5']}" in TEXT
    )


def test_one_year_in_six_moves_a_state() -> None:
    moves = [a != b for word in WORDS for a, b in pairwise(word)]
    assert 5.5 < len(moves) / sum(moves) < 6.5
    assert "one year of six" in TEXT


def test_how_many_years_are_wrong_at_each_epsilon() -> None:
    alphabet = datasets.income().alphabets["quintile"]
    wrong = [RandomizedResponse(alphabet, epsilon=e).expected_errors(1) for e in (1, 3, 5)]
    assert [round(10 * wrong[0]), round(1 / wrong[1]), round(1 / wrong[2], -1)] == [6, 6, 40]
    assert "six of ten released years are wrong; at 3 one in six; at 5 one in forty" in TEXT
    assert f"e^5 = {math.exp(5):.0f}" in TEXT
