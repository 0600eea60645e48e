"""Predicted and achievable errors as a chart and a table.

Contract. The numbers are those of `privet.reports.predicted`; a second line is drawn only where
another mechanism has clearly fewer errors.
"""

from fractions import Fraction

from privet.plain_text import percent, plain
from privet.privacy.guarantee import decimal_up
from privet.releasing import Part
from privet.reports.charts import Axis, Line, line_chart, round_ticks
from privet.reports.html import Html, figure, joined, paragraph, table
from privet.reports.predicted import Comparison

_LEVELS = {Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)}
"""Multiples of the epsilon that are told in numbers."""


def comparison(part: Part, found: Comparison) -> object:
    """The chart and the table of a comparison, or why there is none."""
    if not found.predicted:
        return paragraph(f"No comparison with other epsilons: {found.reason}.", kind="quiet")
    is_share = found.blind is not None

    def shown(error: float | None) -> str:
        if error is None:
            return "not computed"
        return percent(error) if is_share else plain(error)

    rows = []
    for epsilon, error in found.predicted:
        if epsilon / found.at in _LEVELS:
            here = " (this release)" if epsilon == found.at else ""
            best = found.error_at(epsilon)[1]
            row = [f"{decimal_up(epsilon, 5)}{here}", shown(error)]
            rows.append([*row, shown(best)] if found.achievable else row)
    columns = ["epsilon", found.error]
    columns += ["achievable"] if found.achievable else []
    caption = "What the error would be at other epsilons, from the mechanism's own formula."
    if found.achievable:
        caption += _of_the_best(found)
    if is_share and found.blind is not None:
        caption += f" Guessing without the data: {percent(found.blind)}."
    return joined(
        [
            figure(_chart(part, found), "The marked point is this release."),
            table(caption, columns, rows, numbers=len(columns) - 1),
        ]
    )


def _of_the_best(found: Comparison) -> str:
    """How the mechanism compares, where that was computed."""
    if not _is_best(found):
        return f" Achievable: the best mechanism of Privet, here {found.best}."
    if len(found.achievable) < len(found.predicted):
        return (
            " At the epsilon of this release no mechanism of Privet has fewer errors; what is "
            "achievable at the others was not computed."
        )
    return " No mechanism of Privet has fewer errors at the same guarantee."


def _is_best(found: Comparison) -> bool:
    """Whether the mechanism has the fewest errors that are known, to 0.1 %, at every epsilon."""
    least = dict(found.achievable)
    return all(error <= least.get(epsilon, error) * 1.001 for epsilon, error in found.predicted)


def _chart(part: Part, found: Comparison) -> Html:
    points = [(float(epsilon), error) for epsilon, error in found.predicted]
    best = [(float(epsilon), error) for epsilon, error in found.achievable]
    here = [(float(e), error) for e, error in found.predicted if e == found.at]
    top = 1.05 * max(found.blind or 0.0, *(error for _, error in (*points, *best)))
    ticks = round_ticks(0, top)
    named = [
        (tick, percent(tick).replace(".0 %", " %") if found.blind is not None else plain(tick))
        for tick in ticks
    ]
    levels = [float(e) for e, _ in found.predicted if e / found.at in _LEVELS]
    x = Axis("epsilon", points[0][0], points[-1][0], [(e, plain(e, 3)) for e in levels], True)
    y = Axis(found.error, 0.0, top or 1.0, named)
    lines = [Line("this mechanism", points, "first", dots=here)]
    if len(best) > 1 and not _is_best(found):
        lines.insert(0, Line(f"achievable: {found.best}", best, "second", dashed=True))
    if found.blind is not None:
        across = [(points[0][0], found.blind), (points[-1][0], found.blind)]
        lines.append(Line("guessing without the data", across, "ink", dashed=True))
    about = "" if part.column is None else f" of {part.column[:40]}"
    spoken = "; ".join(f"{plain(e, 3)}: {plain(error, 3)}" for e, error in points)
    return line_chart(
        f"Predicted error{about} against epsilon",
        f"The error falls as epsilon grows. Epsilon and {found.error}: {spoken}.",
        x,
        y,
        lines,
    )
