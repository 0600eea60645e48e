"""Every page is followed to the letter: its blocks run in order, and print what it shows.

Figures that a page quotes in its prose are in the test of that page.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from pages import DOCS, ROOT, Follow, Page

REFERENCE = DOCS / "reference"  # written by docs/generate.py, whose examples tests/cli runs
PAGES = [
    Page(place.relative_to(ROOT).as_posix())
    for place in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
    if REFERENCE not in place.parents and "_build" not in place.parts
]
FOLLOWED = [page for page in PAGES if page.run_blocks()]


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.path)
def test_a_page_runs_in_order_and_prints_what_it_shows(page: Page, follow: Follow) -> None:
    """A text block that is another text than what was printed needs another fence than text."""
    assert follow(page).not_printed() == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_a_python_block_that_is_not_run_is_python(page: Page) -> None:
    for block in page.all_blocks():
        if block.language == "python" and not block.is_run:
            compile("\n" * (block.line - 1) + block.text, page.place, "exec")


def test_all_languages_of_pages_are_known() -> None:
    """A misspelt fence would be a block that nobody runs."""
    known = {"python", "sh", "console", "text", "json", "toml", "sql"}
    assert {block.language for page in PAGES for block in page.all_blocks()} <= known
    assert len(FOLLOWED) >= 8


Made = Callable[[str], Page]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(text: str) -> Page:
        place = tmp_path / "page.md"
        place.write_text(text, encoding="utf-8")
        return Page(str(place))  # an absolute path stays what it is below the root

    return make


SMALL = """A page.

```sh
echo 1.5 >number
```

```python
from pathlib import Path

def twice():
    return 2 * float(Path("number").read_text())
```

```python no-test
twice(1, 2)
```

```sh
cat number; echo "two  words"
```

```python
print(twice())
```

```text
two words
...
3.0
```

```text varies
9.9 two words 7
```
"""


def test_blocks_run_in_order_in_one_folder_and_one_namespace(made: Made, tmp_path: Path) -> None:
    page = made(SMALL)
    followed = page.follow(tmp_path)
    assert followed.printed == ("", "", "1.5\ntwo  words\n", "3.0\n")
    assert followed.lines("python") == ["3.0"]
    assert followed.not_printed() == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("...\n3.0", "...\n3.1"), ("two words\n...", "two word\n..."), ("9.9 two", "9.9 three")],
)
def test_what_was_not_printed_is_found(made: Made, tmp_path: Path, right: str, wrong: str) -> None:
    page = made(SMALL.replace(right, wrong))
    assert len(page.follow(tmp_path).not_printed()) == 1


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("python\nimport warnings\nwarnings.warn('soon')", 'page.md", line 7'),
        ("python\nx = 1\nprint(y)", 'page.md", line 7'),
        ("sh\nfalse\necho", "line 6: exit 1"),
    ],
)
def test_a_block_that_fails_fails_the_page(
    made: Made, tmp_path: Path, block: str, says: str
) -> None:
    page = made(f"```sh\ntrue\n```\n\n```{block}\n```\n")
    with pytest.raises(AssertionError, match=says):
        page.follow(tmp_path)
