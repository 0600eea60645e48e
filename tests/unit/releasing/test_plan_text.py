"""A plan in Python's print: the table of the command line, and no walls of fractions."""

from privet import Alphabet, Language, plan
from privet.releasing.plan_text import plan_text

ABC = Alphabet("abc")


def test_a_plan_is_a_readable_table() -> None:
    text = plan_text(plan(ABC, epsilon="1/3", length=5, adjacency=2), rows=100)
    lines = text.splitlines()
    assert lines[0].startswith("epsilon = 0.333334: words of 5 symbols out of 3, protecting any 2")
    assert lines[1].split("  ")[0] == "mechanism"
    assert sum(" * " in line for line in lines) == 1
    assert "* Recommended: " in text
    assert "'paper rate': the published rate, epsilon / (2b)" in text
    assert "'std. error'" in text
    assert "Fraction" not in text


def test_a_plan_on_a_language_says_what_is_possible() -> None:
    language = Language.from_allowed(ABC, [[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    text = plan_text(plan(language, epsilon=1, length=4))
    assert "possible" in text.splitlines()[1]
    assert "+-" in text


def test_a_plan_prints_as_its_table() -> None:
    made = plan(Alphabet("abc"), epsilon=1, length=5)
    assert str(made) == plan_text(made)
    assert "Fraction(" not in str(made)
