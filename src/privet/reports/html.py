"""A page of HTML from nested calls, with everything that is not HTML escaped.

Contract. Text becomes HTML in one place, `escaped`, which every child and every attribute goes
through; only what this module made is taken as it is. Signs that steer a terminal or turn the
direction of text around are shown as a replacement sign. A page is one file: it asks for nothing
from anywhere, runs no script, and forbids both to the browser. The same calls give the same bytes.
"""

import html as _html
from collections.abc import Iterable, Sequence
from importlib.resources import files

_KEPT_INVISIBLE = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}\n"
"""Emoji and some scripts are written with them."""

_EMPTY = frozenset({"meta", "line", "path", "rect", "circle", "polyline"})
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: str) -> str:
    """Any text at all as HTML, for an element or an attribute."""
    seen = "".join(
        sign
        if sign.isprintable() or sign in _KEPT_INVISIBLE
        else "\N{REPLACEMENT CHARACTER}"
        if sign != "\t"
        else " "
        for sign in text
    )
    return _html.escape(seen)


def element(name: str, /, *children: object, **attributes: object) -> Html:
    """<name attribute="value">children</name>.

    An attribute `class_` is class, `stroke_width` is stroke-width; one that is None is left out.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY:
        return Html(f"<{name}{given}>" if name == "meta" else f"<{name}{given}/>")
    return Html(f"<{name}{given}>{joined(children)}</{name}>")


def joined(children: object) -> Html:
    """Children as HTML, one after the other."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return Html(escaped(children))
    if isinstance(children, Iterable):
        return Html("".join(map(joined, children)))
    raise TypeError(f"A {type(children).__name__} is not part of a page.")


# --------------------------------------------------------------------------- what pages are made of


def name_of(text: object) -> Html:
    """A name that somebody else chose: set apart, so that its direction turns nothing around."""
    return element("bdi", str(text), class_="name")


def section(title: object, *children: object, level: int = 2) -> Html:
    """A heading and what belongs to it."""
    return element("section", element(f"h{level}", title), *children)


def paragraph(*children: object, kind: str | None = None) -> Html:
    """A paragraph; `kind`: a class of page.css."""
    return element("p", *children, class_=kind)


def listing(items: Iterable[object], kind: str | None = None) -> Html:
    """A list of points."""
    return element("ul", (element("li", item) for item in items), class_=kind)


def notice(kind: str, title: str, *children: object) -> Html:
    """A box that stands out; `kind`: "good", "bad" or "open"; the title says it in words."""
    return element("div", paragraph(title, kind="title"), *children, class_=f"notice {kind}")


def facts(pairs: Iterable[tuple[str, object]]) -> Html:
    """Names and what they are, as a list of definitions."""
    return element(
        "dl", (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    )


def table(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    numbers: int = 0,
    named: bool = False,
) -> Html:
    """A table; the first cell of a row is its header, the last `numbers` columns are numbers.

    `named`: the columns have names that somebody chose, and may be broken anywhere. On a narrow
    screen each row is a block of its own, so every cell also says its column.
    """
    first_number = len(columns) - numbers

    def cell(place: int, content: object) -> Html:
        kind = "number" if place >= first_number else None
        if place:
            return element("td", content, class_=kind, data_column=columns[place])
        return element("th", content, scope="row")

    head = (
        element("th", name, scope="col", class_="number" if place >= first_number else None)
        for place, name in enumerate(columns)
    )
    body = (element("tr", (cell(place, each) for place, each in enumerate(row))) for row in rows)
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *body),
        class_=None if named else "whole",
    )


def code(*lines: str) -> Html:
    """Commands, as they are typed."""
    return element("pre", element("code", "\n".join(lines)))


def figure(picture: Html, caption: str) -> Html:
    """A picture with what it shows."""
    return element("figure", picture, element("figcaption", caption))


def page(title: str, kind: str, *children: object, footer: str) -> str:
    """The whole file. `kind`: what it is a report of, above the title."""
    style = files("privet.reports").joinpath("page.css").read_text(encoding="utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{title} \N{MIDDLE DOT} Privet"),
        Html(f"<style>\n{style}</style>"),
    )
    body = element(
        "body",
        element("header", paragraph(kind, kind="kind"), element("h1", title)),
        element("main", *children),
        element("footer", paragraph(footer)),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n{body}\n</html>\n'
