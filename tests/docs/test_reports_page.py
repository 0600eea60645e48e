"""docs/reports.md: its commands and its code write the pages it tells of."""

import re

from pages import DOCS, Follow, Page

PAGE = Page("docs/reports.md")


def test_the_pages_say_what_they_are_for(follow: Follow) -> None:
    followed = follow(PAGE)
    assert "violated" in followed.lines("sh")
    assert followed.lines("python") == ["True"]
    says = {
        "release.html": "has this SHA-256",
        "ledger.html": "Verified for this report",
        "survey.html": "Account",
        "verdict.html": "Not as private as claimed",
        "again.html": "Account",
        "proof.html": "As private as claimed",
    }
    for name, text in says.items():
        assert text in (followed.folder / name).read_text(encoding="utf-8"), name


def test_pictures_are_small() -> None:
    pictures = re.findall(r"\]\((pictures/[^)]+)\)", PAGE.text)
    assert len(pictures) == 3
    assert all((DOCS / name).stat().st_size < 150_000 for name in pictures)
