"""docs/verification.md: its figures are those of its code."""

from pages import Follow, Page

PAGE = Page("docs/verification.md")


def test_the_commands_say_what_breaks(follow: Follow) -> None:
    said = follow(PAGE).lines("sh")
    assert said.count("violated") == 2
    # Two directions of the model, and the mechanism; all the other commands find that claims hold.
    assert sum("VIOLATED" in line for line in said) == 3
    assert sum("HOLDS" in line for line in said) == 2  # followed from the certificate alone


def test_the_figures_are_those_of_the_code(follow: Follow) -> None:
    lines = follow(PAGE).lines("python")
    assert lines[0] == "['Holds', 'Holds']"
    assert lines[1:3] == ["14 None"] * 2
    assert lines[3] == "['positive', 'positive', 'positive'] 2464/471"
    assert lines[4].startswith("Holds")
    assert lines[5].startswith("13.086")
    assert lines[6].startswith("[2.0, 3.43, 5.23")
    assert lines[7].startswith("Holds")
    assert lines[8] == "{'p': Fraction(1, 2)} 2"
    assert lines[9].startswith("(Fraction(8, 1), ")
    assert lines[10:12] == ["2", "8"]
    assert lines[12].startswith("Holds")
    assert lines[17] in ("one of 0 True True", "one of 4 True True")
    assert len(lines) == 18
