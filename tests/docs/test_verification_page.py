"""docs/verification.md is followed to the letter: what it shows runs and prints what it says."""

from pathlib import Path

from pages import Page, run

PAGE = Page("docs/verification.md")


def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    commands = PAGE.commands()
    assert len(commands) == 9
    printed = [run(command, tmp_path) for command in commands]
    model, mechanism = PAGE.blocks("text")
    assert _words(printed[0].partition("Certificate:")[0]) == _words(model)
    assert "HOLDS" in printed[1]
    assert printed[2].splitlines()[-1] == "violated"
    assert "holds" in printed[3]
    assert "report-noisy-max" in printed[4]
    assert "privet verify model max.json" in printed[5]
    assert "holds" in printed[6]
    assert "VIOLATED" not in printed[6]
    assert printed[7] == mechanism
    assert printed[8].splitlines()[-1] == "violated"
    for written in ("proof.json", "profile.svg", "pictures/model.svg", "pictures/ratio.svg"):
        assert (tmp_path / written).exists()


def _words(text: str) -> list[str]:
    """Without the rules of tables, which are as long as the widest line."""
    return text.replace("─", "").split()


def test_the_python_examples_run_in_order(tmp_path: Path) -> None:
    lines = PAGE.python_output(tmp_path)
    assert lines[0] == "['Holds', 'Holds']"
    assert lines[1:3] == ["14 None"] * 2
    assert lines[3] == "['positive', 'positive', 'positive'] 2464/471"
    assert lines[4].startswith("Holds(")
    assert lines[5].startswith("13.086")
    assert lines[6].startswith("[2.0, 3.43, 5.23")
    assert lines[7].startswith("Holds(")
    assert lines[8] == "{'p': Fraction(1, 2)} 2"
    assert lines[9].startswith("(Fraction(8, 1), ")
    assert lines[10:12] == ["2", "8"]
    assert lines[12].startswith("Holds(")
    assert lines[17] in ("one of 0 True True", "one of 4 True True")
    assert len(lines) == 18
