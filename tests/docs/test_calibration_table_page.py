"""docs/calibration-table.md holds what benchmarks/calibration_table.py computes, and no other.

Tables that follow from formulas are recomputed; of the others a small one is made, and one cell of
the page is compared with `privet.plan`, which has its own words and its own search.
"""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import privet
from privet.randomness import using_source
from privet.testing import ReplaySource

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "calibration-table.md").read_text(encoding="utf-8")
EPSILONS = (1, 2, 3, 5, 8)
FIGURE = r"\d+(\.\d+)?( ± \d+(\.\d+)?)?( \(published rate\))?|-"
SIGMAS = 5.0

Cells = dict[str, list[str]]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("calibration_table")


def content(name: str) -> str:
    return PAGE.partition(f"<!-- table: {name} -->\n")[2].partition("<!-- end -->")[0]


def tables(text: str) -> list[Cells]:
    """Each table as {row: cells}; the header is the row "mechanism"."""
    found: list[Cells] = []
    for block in re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.MULTILINE):
        lines = [line.strip("|\n").split("|") for line in block.splitlines()]
        rows = [
            [cell.strip() for cell in line] for line in lines if set("".join(line)) - set("-: ")
        ]
        found.append({row[0]: row[1:] for row in rows})
    return found


def figure(cell: str) -> tuple[float, float]:
    """(figure, standard error)."""
    mean, _, error = cell.removesuffix(" (published rate)").partition(" ± ")
    return float(mean), float(error or 0)


RATE = "- its rate, times the published one"
WORLDS = ("grid-3x3", "grid-4x4", "income", "mvad", "expression")


@pytest.mark.parametrize("name", ["all-words", *WORLDS])
def test_every_cell_is_there_and_within_its_guarantee(name: str) -> None:
    both = tables(content(name))
    assert len(both) == 2  # one symbol, 2 symbols
    for cells in both:
        header, *rows = cells
        assert cells[header] == [f"epsilon {epsilon}" for epsilon in EPSILONS]
        assert len(rows) >= 6
        assert all(re.fullmatch(FIGURE, cell) for row in rows for cell in cells[row])
    if name == "all-words":
        return
    for cells in both:
        spent = cells["- proved to spend at most"]
        assert all(cell == "-" or float(cell) <= e for cell, e in zip(spent, EPSILONS, strict=True))
        certified, published, flip = (
            [figure(cell) for cell in cells[row]]
            for row in (
                "exponential (certified rate)",
                "exponential (published rate)",
                "permute-and-flip (published rate)",
            )
        )
        for ours, *theirs in zip(certified, published, flip, strict=True):
            assert all(ours[0] <= other[0] for other in theirs)


def test_the_table_of_all_words_is_what_is_computed(module: Any) -> None:
    made = module.section(module.all_words())
    assert module.put(PAGE, "all-words", made) == PAGE


def test_a_small_table_has_the_rows_of_the_page(module: Any) -> None:
    with using_source(ReplaySource(3)):
        small = module.grid(2, count=12, length=5)
        (made,) = tables(module.section(small, epsilons=(3,), adjacencies=(1,), seconds=10))
    assert list(made) == list(tables(content("grid-3x3"))[0])
    assert all(re.fullmatch(FIGURE, cell) for row in list(made)[1:] for cell in made[row])
    assert float(made[RATE][0]) > 1.3
    wrong = figure(made["exponential (certified rate)"][0])[0]
    assert wrong < figure(made["exponential (published rate)"][0])[0]


def test_a_rate_that_was_not_found_is_said_to_be_the_published_one(module: Any) -> None:
    with using_source(ReplaySource(3)):
        small = module.grid(2, count=12, length=5)
        # Nothing else asks for this epsilon, so no calibration of this process is taken.
        (made,) = tables(module.section(small, epsilons=(4,), adjacencies=(1,), seconds=0))
    (cell,) = made["exponential (certified rate)"]
    (published,) = made["exponential (published rate)"]
    assert cell == f"{published} (published rate)"
    assert made[RATE] == ["-"]


def test_the_command_writes_into_the_page(
    module: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "calibration-table.md"
    page.write_text("before\n<!-- table: small -->\n<!-- end -->\nafter\n", encoding="utf-8")
    small = ("A small grid", lambda: module.grid(2, count=8, length=4))
    monkeypatch.setattr(module, "WORLDS", {"small": small})
    monkeypatch.setattr(module, "EPSILONS", (2,))
    monkeypatch.setattr(module, "PAGE", page)
    assert module.main(["--only", "small", "--seconds", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("## A small grid")
    assert "randomised response + Viterbi" in printed
    assert "<!-- table: small -->\n<!-- end -->" in page.read_text(encoding="utf-8")
    assert module.main(["--only", "small", "--seconds", "5", "--write"]) == 0
    written = page.read_text(encoding="utf-8")
    assert len(tables(written)) == 2
    assert written.startswith("before\n")
    assert written.endswith("<!-- end -->\nafter\n")


def test_the_plan_says_the_same(module: Any) -> None:
    with using_source(ReplaySource(1)):
        world = module.grid(3, count=2)
    plan = privet.plan(
        world.language,
        epsilon=3,
        length=world.length,
        chain=world.chain,
        calibration="exact",
        seconds=60,
    )
    rows = {row.title: row for row in plan.rows}
    cells = tables(content("grid-3x3"))[0]
    for ours, theirs in (
        ("exponential (published rate)", "exponential (paper rate)"),
        ("permute-and-flip (published rate)", "permute-and-flip (paper rate)"),
        ("randomised response + Viterbi", "randomised response + Viterbi"),
        ("randomised response + marginals *", "randomised response + marginals"),
    ):
        mean, error = figure(cells[ours][EPSILONS.index(3)])
        row = rows[theirs]
        spread = (error**2 + row.errors_standard_error**2) ** 0.5
        assert abs(mean - row.expected_errors) < SIGMAS * spread
    response = rows["randomised response"].expected_errors
    assert cells["randomised response *"][EPSILONS.index(3)] == f"{response:.3f}"
    _the_certified_rate_agrees(cells, rows)


def _the_certified_rate_agrees(cells: Cells, rows: dict[str, Any]) -> None:
    """Two searches may end at rates a little apart; the errors then differ by as much."""
    row = rows["exponential (certified rate)"]
    mean, error = figure(cells["exponential (certified rate)"][EPSILONS.index(3)])
    gain = row.mechanism.rate(30) / 1.5
    told = float(cells[RATE][EPSILONS.index(3)])
    assert abs(gain / told - 1) < 0.03
    spread = (error**2 + row.errors_standard_error**2) ** 0.5
    # A rate higher by a share s changes the errors by about 2.5 s there.
    allowed = SIGMAS * spread + 4 * abs(gain / told - 1) * mean
    assert abs(mean - row.expected_errors) < allowed
    assert row.spent <= 3


def test_links_lead_somewhere() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    assert targets
    assert [t for t in targets if not (ROOT / "docs" / t).exists()] == []


def ratios(names: tuple[str, ...], row: str, places: int, epsilons: tuple[int, ...]) -> str:
    """The range of wrong symbols of that row over those of the certified rate, as the page says."""
    found = []
    for name in names:
        cells = tables(content(name))[places - 1]
        for epsilon in epsilons:
            at = EPSILONS.index(epsilon)
            both = (row, "permute-and-flip (published rate)") if "published" in row else (row,)
            best = min(figure(cells[each][at])[0] for each in both)
            found.append(best / figure(cells["exponential (certified rate)"][at])[0])
    digits = 0 if min(found) > 10 else 1
    return f"{min(found):.{digits}f} to {max(found):.{digits}f}"


def test_what_is_said_is_in_the_tables() -> None:
    said = " ".join(PAGE.partition("## What the tables say")[2].split())
    published, viterbi = "exponential (published rate)", "randomised response + Viterbi"
    one = [ratios(WORLDS, published, 1, (epsilon,)) for epsilon in (1, 3, 8)]
    two = [ratios(WORLDS, published, 2, (epsilon,)) for epsilon in (1, 3, 8)]
    assert (
        f"{one[0]} times as many wrong symbols at epsilon 1, {one[1]} times at epsilon 3, {one[2]} "
        f"times at epsilon 8; with 2 symbols {two[0]}, {two[1]} and {two[2]} times."
    ) in said
    for names, where in (
        (("grid-3x3", "grid-4x4"), "on the grid worlds"),
        (("income", "mvad"), "on income and mvad"),
    ):
        both = [ratios(names, viterbi, places, EPSILONS).split(" to ") for places in (1, 2)]
        low, high = min(low for low, _ in both), max(high for _, high in both)
        assert f"{low} to {high} times as many {where}" in said


def test_permute_and_flip_errs_more_at_its_bounded_rate_than_the_certified_exponential() -> None:
    (flip,) = tables(content("flip"))
    cells = tables(content("grid-3x3"))[0]
    for at in range(len(EPSILONS)):
        bounded = figure(flip["wrong symbols at it"][at])[0]
        assert bounded > figure(cells["exponential (certified rate)"][at])[0]
        assert flip["rate, times the published one"][at] <= cells[RATE][at]
