"""The page of a verdict: what was proved or refuted, checked again, with the word that tells.

Contract. What is shown was checked a moment before, by `privet.verify.certificate_files`, which
shares nothing with the search: proofs in whole numbers, counterexamples in rationals. Models are
public. The curve of worst ratios is searched anew within small limits; the part that was not
finished is left out and said to be.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from privet.exact import log_up
from privet.plain_text import count, plain
from privet.privacy.guarantee import decimal_up
from privet.reports.charts import Axis, Line, Trellis, line_chart, round_ticks, trellis_chart
from privet.reports.html import (
    Html,
    code,
    facts,
    figure,
    joined,
    listing,
    name_of,
    notice,
    page,
    paragraph,
    section,
    table,
)
from privet.reports.verify_plots import path_shares
from privet.verify import ratio_by_length
from privet.verify.certificate import ModelClaim
from privet.verify.certificate_files import Counterexample, Shown
from privet.verify.problem import Law
from privet.verify.wording import law_text, number, times_text, word_text, words_text
from privet.weighted.words_check import WordClaim

_MOST_STEPS = 14
"""Symbols of a word that a trellis of a telephone's width has room for."""

_MOST_STATES = 12
_LONGEST = 8
"""Lengths of the curve of worst ratios."""

_NODES = 20_000
"""Steps of the search for one point of the curve; counted, so that the page is always the same."""

_MOST_CELLS = 144


def verdict_page(shown: Sequence[Shown], place: Path | None = None) -> str:
    """The report of what certificates and counterexamples show. `place`: of their file."""
    broken = sum(isinstance(each, Counterexample) for each in shown)
    title = "The claim is violated" if broken else "The claim holds"
    return page(
        f"{title}: a verdict on privacy" if len(shown) == 1 else _title(broken, len(shown)),
        "Report of a verification",
        _opening(shown, broken),
        (_one(each, i) for i, each in enumerate(shown)),
        _models(shown),
        _rests(shown),
        _checking(place),
        footer="Made from the certificates alone. Ratios and probabilities are exact; decimals are "
        "rounded.",
    )


def _title(broken: int, claims: int) -> str:
    if not broken:
        return f"All {count(claims)} claims hold: a verdict on privacy"
    return f"{count(broken)} of {count(claims)} claims violated: a verdict on privacy"


def _opening(shown: Sequence[Shown], broken: int) -> Html:
    checked = (
        f"{'It was' if len(shown) == 1 else f'All {count(len(shown))} claims were'} checked again "
        "for this report, from the file alone and without searching: proofs step by step in whole "
        "numbers, counterexamples in exact fractions."
    )
    if broken:
        return notice(
            "bad",
            "Not as private as claimed",
            paragraph("A word that shows it is below."),
            paragraph(checked),
        )
    return notice("good", "As private as claimed", paragraph(checked))


def _one(each: Shown, order: int) -> Html:
    heading = f"Claim {order + 1}"
    if isinstance(each, WordClaim):
        return section(heading, *_spending(each))
    claim = [
        paragraph(_claim(each), kind="promise"),
        facts(
            [
                ("First law", _law(each, each.first)),
                ("Second law", _law(each, each.second)),
                ("Claimed ratio", f"{number(each.ratio)}, epsilon {_epsilon(each.ratio)}"),
            ]
        ),
    ]
    if isinstance(each, Counterexample):
        return section(heading, *claim, *_broken(each), _curve(each))
    return section(
        heading,
        *claim,
        notice("good", "Holds", paragraph("Proved for every such word; the proof was followed.")),
        _curve(each),
    )


def _claim(each: "ModelClaim | Counterexample") -> str:
    words = "word"
    if isinstance(each, ModelClaim):
        words = words_text(each.lengths.shortest, each.lengths.longest)
    verb = "No" if isinstance(each, ModelClaim) else "Claimed: no"
    return (
        f"{verb} {words} of observations is more than {number(each.ratio)} times as likely if the "
        "first state follows the first law as if it follows the second."
    )


def _law(each: "ModelClaim | Counterexample", law: Law) -> str:
    return law_text(each.model, law).strip("()")


def _epsilon(ratio: Fraction) -> str:
    return decimal_up(log_up(ratio), 5) if ratio >= 1 else "0"


def _spending(claim: WordClaim) -> list[Html]:
    places = len(claim.ratios)
    change = "1 place changes" if places == 1 else f"1 to {count(places)} places change"
    spent = decimal_up(log_up(claim.factor), 6)
    return [
        paragraph(
            f"Where {change} of a {words_text(claim.shortest, claim.longest)} of the language, the "
            f"exponential mechanism spends at most epsilon {spent}.",
            kind="promise",
        ),
        facts(
            [
                ("States of the language", count(len(claim.moves))),
                ("Symbols", count(len(claim.moves[0]))),
                ("Most that odds change", number(claim.factor)),
            ]
        ),
        notice("good", "Holds", paragraph("Proved for every such pair, and the proof followed.")),
    ]


# ------------------------------------------------------------------------------- a counterexample


def _broken(each: Counterexample) -> list[object]:
    over, under = each.probabilities
    size = "1 symbol" if len(each.word) == 1 else f"{count(len(each.word))} symbols"
    rows = [
        ("Word", [name_of(word_text(each.word)), f" ({size})"]),
        ("Probability under the first law", _probability(over)),
        ("Probability under the second law", _probability(under)),
        ("So it is", f"{times_text(each)} as likely"),
    ]
    return [
        notice(
            "bad",
            "Violated",
            paragraph(
                f"One word is {times_text(each)} as likely, more than {number(each.ratio)} times."
            ),
        ),
        facts(rows),
        _trellis(each),
    ]


def _probability(share: Fraction) -> str:
    return number(share) if share >= Fraction(1, 1000) or not share else f"{float(share):.4g}"


def _trellis(each: Counterexample) -> object:
    model = each.model
    if len(model.states) > _MOST_STATES:
        return paragraph(f"Its {count(len(model.states))} states are too many to draw.")
    codes = [model.observations.index(symbol) for symbol in each.word]
    steps = min(len(codes), _MOST_STEPS)
    panels = []
    for title, law, kind in (
        ("under the first law", each.first, "first"),
        ("under the second law", each.second, "second"),
    ):
        states, moves = path_shares(model, np.array([float(share) for share in law]), codes)
        panels.append(
            Trellis(
                title,
                [list(map(float, shares)) for shares in states[:steps]],
                [[list(map(float, row)) for row in move] for move in moves[: steps - 1]],
                "first" if kind == "first" else "second",
            )
        )
    word = [str(symbol) for symbol in each.word[:steps]]
    rest = "" if steps == len(codes) else f" Its first {steps} symbols are drawn."
    caption = (
        "How the word comes about, step by step: a disc is a hidden state, the larger the "
        f"likelier; a line is a move.{rest}"
    )
    chart = trellis_chart(
        "The word on its trellis",
        f"The word {word_text(each.word)}. {_likeliest(each, panels)}",
        word,
        [str(state) for state in model.states],
        panels,
    )
    return figure(chart, caption)


def _likeliest(each: Counterexample, panels: Sequence[Trellis]) -> str:
    """The likeliest state of each step, for those who do not see the picture."""
    names = [str(state) for state in each.model.states]
    told = []
    for panel in panels:
        path = [
            names[int(np.argmax(shares))] if any(shares) else "impossible"
            for shares in panel.states
        ]
        told.append(f"{panel.title} its likeliest states are {', '.join(path)}")
    return f"{told[0][:1].upper()}{told[0][1:]}; {told[1]}."


def _curve(each: "ModelClaim | Counterexample") -> object:
    """The worst ratio by length, as far as it is found quickly."""
    if len(each.model.states) > _MOST_STATES:
        return None
    brackets = ratio_by_length(
        each.model, each.first, each.second, _LONGEST, time_limit=None, node_limit=_NODES
    )
    points = []
    for length, bracket in enumerate(brackets, 1):
        if not bracket.is_closed or not math.isfinite(bracket.low):
            break
        points.append((float(length), float(bracket.low)))
    if len(points) < 2:
        return None
    claimed = float(each.ratio)
    # A ratio far above the claim would press the claim onto the axis.
    logarithmic = max(claimed, points[-1][1]) > 20 * min(claimed, points[0][1])
    top = 1.08 * max(claimed, *(y for _, y in points))
    bottom = min(1.0, *(y for _, y in points)) if logarithmic else 0.0
    bottom = max(bottom, 1e-3) if logarithmic else bottom
    ticks = _powers(bottom, top) if logarithmic else round_ticks(bottom, top)
    last = points[-1][0]
    x = Axis("symbols of a word", 1.0, last, [(a, f"{a:g}") for a, _ in points])
    y = Axis("largest ratio", bottom, top, [(t, plain(t, 3)) for t in ticks], logarithmic)
    spoken = "; ".join(f"{a:g}: {plain(b)}" for a, b in points)
    return figure(
        line_chart(
            "The largest ratio of a word, by its length",
            f"Claimed is {plain(claimed)}. By length: {spoken}.",
            x,
            y,
            [
                Line("claimed", [(1.0, claimed), (last, claimed)], "second", dashed=True),
                Line("the word that tells most", points, "first", dots=points),
            ],
        ),
        f"Of words of 1 to {last:g} symbols, each found exactly. What tells more lies higher.",
    )


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    step = max(1, (last - first) // 5 + 1)
    return [10.0**power for power in range(first, last + 1, step)]


# ------------------------------------------------------------------------------------ the rest


def _models(shown: Sequence[Shown]) -> object:
    """Each model once, as tables."""
    models = []
    for each in shown:
        if not isinstance(each, WordClaim) and each.model not in models:
            models.append(each.model)
    parts: list[object] = []
    for model in models:
        if len(model.states) * (len(model.states) + len(model.observations)) > _MOST_CELLS:
            sizes = f"{count(len(model.states))} states, {count(len(model.observations))}"
            parts.append(paragraph(f"A model of {sizes} observations: too large to print."))
            continue
        for caption, columns, entries in (
            ("Probability of the next state.", model.states, model.exact_transition),
            ("Probability of what is seen in a state.", model.observations, model.exact_emission),
        ):
            rows = [
                [str(state), *(number(share) for share in row)]
                for state, row in zip(model.states, entries, strict=True)
            ]
            head = ["state", *map(str, columns)]
            parts.append(table(caption, head, rows, numbers=len(columns), named=True))
    return section("The model", *parts) if parts else None


def _rests(shown: Sequence[Shown]) -> Html:
    exactly = (
        "It is about what is written here, exactly as it is. Whether a program or the world "
        "behaves like this is another question."
    )
    laws = "It protects the two laws that were compared, and nothing else."
    has_model = any(not isinstance(each, WordClaim) for each in shown)
    return section(
        "What this verdict rests on", listing([exactly, laws] if has_model else [exactly])
    )


def _checking(place: Path | None) -> Html:
    import shlex

    name = "proof.json" if place is None else shlex.quote(place.name)
    return section(
        "How to check this",
        paragraph("The same check, by anybody who has the file; nothing else is used:"),
        code(f"privet verify certificate {name}"),
        joined([paragraph("This report again:"), code(f"privet report {name} -o report.html")]),
    )
