"""The figures that docs/tutorial/mechanism.md quotes are those that its commands print."""

import re
from pathlib import Path

import pytest

from pages import ROOT, run

PAGE = (ROOT / "docs" / "tutorial" / "mechanism.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each of its shell blocks prints."""
    folder = tmp_path_factory.mktemp("mechanism")
    blocks = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    return [run(block, folder) for block in blocks]


def test_the_quoted_lines_are_printed(printed: list[str]) -> None:
    told = {re.sub(r"[\s─]+", " ", line) for line in "\n".join(printed).splitlines()}
    for block in re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL):
        for line in block.splitlines():
            assert re.sub(r"[\s─]+", " ", line) in told, line


def test_the_verdicts_in_the_text_are_those_found(printed: list[str]) -> None:
    draft, mended, twelve, claim, checked, always, found, every, library, _ = printed
    assert "0.07042954" in draft
    assert draft.endswith("violated\n")
    assert "0.9946226 (the logarithm of 2.703704 (73/27))" in mended
    assert "15.50676" in twelve
    assert "yes x2" in claim
    assert "2 certificates stand" in checked
    assert "15.5 is not enough" in always
    assert always.count("HOLDS. No word of any length is more than 16 times") == 2
    value = float(re.search(r"at t = ([\d.]+)", found)[1])  # type: ignore[index]  # it is there
    assert 0.55 < value < 0.56
    assert every.endswith("not for all of them\n")
    assert "VIOLATED" not in every.partition("3/5")[0]
    assert "VIOLATED" not in library


def test_links_and_pictures_are_there() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    folder = Path(ROOT / "docs" / "tutorial")
    assert [t for t in targets if not (folder / t).exists()] == []
    pictures = [folder / t for t in targets if t.endswith(".png")]
    assert all(path.stat().st_size < 60_000 for path in pictures)
