"""docs/tutorial/survey.md: the figures that it quotes without printing them."""

import math

from pages import Page
from privet import Alphabet, datasets, plan_table

TEXT = " ".join(Page("docs/tutorial/survey.md").text.split())
VOTERS = datasets.voters()


def test_the_errors_it_quotes_are_those_of_the_plans() -> None:
    alphabets = {name: VOTERS.alphabets[name] for name in ("vote", "party")}
    joint = [plan_table(alphabets, epsilon=e, rows=944).standard_error() or 0.0 for e in (1, 3, 6)]
    assert [round(100 * error) for error in joint] == [36, 6, 2]
    assert "up to 36 percentage points" in TEXT
    assert f"a factor of {math.exp(6):.0f}" in TEXT
    assert 35 < (joint[0] / joint[1]) ** 2 < 36
    wrong = [column.share_wrong for column in plan_table(alphabets, epsilon=3).columns]
    assert [round(100 * share) for share in wrong] == [18, 57]
    assert "18 % of the votes and 57 % of the party" in TEXT


def test_the_truth_it_quotes_is_in_the_data() -> None:
    rows = VOTERS.table.select(["party", "vote"]).to_pylist()
    strong = [row["vote"] for row in rows if row["party"] == "strong Democrat"]
    shares = [f"{strong.count(vote) / len(rows):.1%}".replace("%", " %") for vote in VOTES]
    assert f"{shares[0]} strong Democrats for Clinton and {shares[1]} for Dole" in TEXT


def test_its_categories_are_those_of_the_data() -> None:
    assert VOTERS.alphabets["vote"] == Alphabet(VOTES)
    assert f"{len(VOTERS.table):,} voters" in TEXT


VOTES = ["Clinton", "Dole"]
