"""The page of what `privet verify model` or `verify mechanism` printed with --json.

Contract. Such a verdict has no proof, so it cannot be checked again, and the page opens with that.
An undecided one is told as what it is: nothing was proved, and nothing refuted. What the file says
is shown as text, whatever it is; what it lacks is left out.
"""

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.errors import FileFormatError
from privet.reports.html import (
    Html,
    code,
    facts,
    name_of,
    notice,
    page,
    paragraph,
    section,
    table,
)
from privet.verify.wording import number, word_text

_VERDICTS = {
    "holds": ("good", "The claim is said to hold"),
    "violated": ("bad", "The claim is said to be violated"),
    "undecided": ("open", "Undecided: nothing was proved, and nothing refuted"),
    "known": ("open", "The worst ratio is said to be known"),
    "bracket": ("open", "The worst ratio is said to lie between two numbers"),
    None: ("open", "Nothing was claimed"),
}
"""What "verdict" can be, and its title."""


def stated_page(content: Mapping[str, Any], place: Path) -> str:
    """The report of a verdict that was printed. Errors: FileFormatError for an unknown verdict."""
    verdict = content["verdict"]
    if not (verdict is None or isinstance(verdict, str)) or verdict not in _VERDICTS:
        raise FileFormatError(
            f"{place} is not what privet verify model or verify mechanism prints with --json.",
            hint="Its verdict is holds, violated or undecided.",
            path=str(place),
        )
    kind, title = _VERDICTS[verdict]
    return page(
        title,
        "Report of a verification",
        notice(
            "open",
            "Not checked for this report",
            paragraph(
                "The file states a verdict and holds no proof, so nothing here could be checked. "
                "Ask for the certificate, or for the file that was verified."
            ),
        ),
        notice(kind, f"{title}.", paragraph(_claim(content))),
        _pairs(content.get("pairs")),
        _mechanism(content) if "worst_pair" in content else None,
        section(
            "How to check this",
            paragraph("With the file that was verified, from the start:"),
            code("privet verify model MODEL.toml --save-certificate proof.json")
            if "worst_pair" not in content
            else code("privet verify mechanism TABLE.csv"),
        ),
        footer="Made from a printed verdict alone; nothing in it was checked.",
    )


def _claim(content: Mapping[str, Any]) -> str:
    """What was claimed, as far as the file says."""
    told = [
        f"{name} {_number(content[name])}"
        for name in ("ratio", "epsilon", "delta")
        if content.get(name) is not None
    ]
    lengths = content.get("length")
    if lengths is not None:
        between = isinstance(lengths, list) and len(lengths) == 2
        told.append(
            f"words of {lengths[0]} to {lengths[1]} symbols" if between else _words(lengths)
        )
    return f"Asked about: {', '.join(told)}." if told else "No claim stands in the file."


def _words(lengths: object) -> str:
    return "words of every length" if lengths == "all" else f"words of {lengths} symbols"


def _pairs(pairs: object) -> Html | None:
    if not isinstance(pairs, list):
        return None
    rows = [
        [
            [name_of(each.get("first", "")), " against ", name_of(each.get("second", ""))],
            str(each.get("verdict", "")),
            _known(each),
        ]
        for each in pairs
        if isinstance(each, dict)
    ]
    columns = ["laws of the first state", "verdict", "what is known"]
    return section("Each pair of laws", table("As stated.", columns, rows))


def _known(pair: Mapping[str, Any]) -> str:
    told = []
    if pair.get("low") is not None and pair.get("high") is not None:
        told.append(f"the worst ratio lies in {_number(pair['low'])} to {_number(pair['high'])}")
    if pair.get("ratio_of_word") is not None:
        told.append(f"a word is {_number(pair['ratio_of_word'])} times as likely")
    if isinstance(pair.get("word"), list):
        told.append(f"the word {word_text(pair['word'])}")
    told += [str(pair[name]) for name in ("reason", "hint", "because") if pair.get(name)]
    return "; ".join(told)


def _mechanism(content: Mapping[str, Any]) -> Html:
    names = {
        "smallest_delta": "Smallest delta at the claim",
        "smallest_ratio": "Smallest ratio at this delta",
        "smallest_epsilon": "Smallest epsilon at this delta",
    }
    rows: list[tuple[str, object]] = [
        (title, _number(content[name])) for name, title in names.items() if content.get(name)
    ]
    for name, title in (
        ("worst_pair", "Inputs that tell most"),
        ("worst_set", "Outputs that show it"),
        ("probabilities", "Their probabilities"),
    ):
        if isinstance(content.get(name), list):
            rows.append((title, ", ".join(map(_number, content[name]))))
    return section("The mechanism", facts(rows))


def _number(value: object) -> str:
    """A fraction as decimals; anything else as it stands."""
    text = "infinite" if value == "inf" else str(value)
    with suppress(ValueError, ZeroDivisionError):
        return number(Fraction(text))
    return text
