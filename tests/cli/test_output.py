"""Tables for terminals of any width, and for programs."""

import pytest

from privet.cli.output import listed, table_lines

TABLE = [
    ["mechanism", "epsilon spent", "share", "estimate"],
    ["permute-and-flip (exact rate)", "2.0001", "35.1 %", "no"],
    ["randomised response *", "4", "0.0 %", "yes"],
]


def flat(lines: list[list[str]]) -> list[str]:
    return [line for row in lines for line in row]


@pytest.mark.parametrize("width", [45, 60, 80])
def test_no_word_and_no_number_is_broken(width: int) -> None:
    lines = flat(table_lines(TABLE, 1, width))
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert sorted(words) == sorted(" ".join(cell for row in TABLE for cell in row).split())
    for cell in ("2.0001", "35.1 %", "0.0 %"):
        assert any(cell in line for line in lines)


def test_without_a_width_a_row_is_a_line_without_trailing_blanks() -> None:
    lines = table_lines(TABLE, 1, None)
    assert [len(row) for row in lines] == [1, 1, 1]
    assert lines[0] == ["mechanism                      epsilon spent   share  estimate"]
    assert all(line == line.rstrip() for line in flat(lines))


def test_what_is_narrower_than_its_words_overflows() -> None:
    assert "permute-and-flip" in " ".join(flat(table_lines(TABLE, 1, 5)))


def test_lists() -> None:
    assert listed(["a"]) == "'a'"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
