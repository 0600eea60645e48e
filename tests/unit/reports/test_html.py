"""Pages are escaped everywhere, ask for nothing, and can be read in both colour schemes."""

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.reports.html import code, element, escaped, joined, name_of, page, section, table

STYLE = files("privet.reports").joinpath("page.css").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """The tags and the text of a page, as a browser would read them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.text += "".join(f"[{value}]" for _, value in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Tags:
    found = Tags()
    found.feed(html)
    found.close()
    return found


@given(st.text(), st.text())
def test_no_text_is_ever_read_as_markup(first: str, second: str) -> None:
    found = read(element("p", first, title=second))
    assert found.tags == ["p"]
    shown = "".join(sign for sign in first + second if sign.isprintable())
    assert all(sign in found.text for sign in shown)


@pytest.mark.parametrize(
    "text", ["</style><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "]]>"]
)
def test_what_would_break_out_is_shown_as_it_is(text: str) -> None:
    made = page(text, text, section(text, code(text), table(text, [text], [[text]])), footer=text)
    found = read(made)
    assert found.tags.count("script") == found.tags.count("img") == 0
    assert found.text.count(text) >= 7


def test_signs_that_turn_text_around_are_replaced_and_names_are_set_apart() -> None:
    assert escaped("a\u202eb\x00\ud800\u2066c") == "a\ufffdb\ufffd\ufffd\ufffdc"
    assert escaped("\U0001f469\u200d\U0001f680\n") == "\U0001f469\u200d\U0001f680\n"
    assert name_of("x") == '<bdi class="name">x</bdi>'


def test_a_child_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="int"):
        joined(3)


def test_a_page_forbids_scripts_and_requests_and_names_its_language() -> None:
    made = page("t", "k", footer="f")
    assert made.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert "default-src &#x27;none&#x27;" in made
    assert not re.search(r"https?://|url\(|@import|<script", made)


def test_a_table_names_its_headers_for_those_who_hear_it() -> None:
    made = table("what", ["a", "b"], [["1", "2"]], numbers=1)
    assert made.count('scope="col"') == 2
    assert made.count('scope="row"') == 1
    assert "<caption>what</caption>" in made
    assert '<td class="number" data-column="b">2</td>' in made


# ---------------------------------------------------------------------------------------- contrast


def schemes() -> list[dict[str, str]]:
    """The colours of the light scheme, the dark one, and of paper."""
    found = re.findall(r":root \{(.*?)\}", STYLE, flags=re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", each)) for each in found]


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark", "print"])
def test_text_stands_out_from_every_ground_it_is_on(scheme: dict[str, str]) -> None:
    """WCAG 2 AA: 4.5 for text, 3 for lines and discs."""
    pairs = [(ink, ground) for ink in ("ink", "quiet") for ground in ("ground", "raised")]
    pairs += [(kind, f"{kind}-ground") for kind in ("good", "bad", "open")]
    pairs += [("ink", f"{kind}-ground") for kind in ("good", "bad", "open")]
    pairs += [("first", "ground"), ("second", "ground")]
    assert {name: contrast(scheme[name[0]], scheme[name[1]]) for name in pairs} == {
        name: pytest.approx(contrast(scheme[name[0]], scheme[name[1]]))
        for name in pairs
        if contrast(scheme[name[0]], scheme[name[1]]) >= 4.5
    }


def test_the_probe_for_contrast_knows_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") < 4.5
