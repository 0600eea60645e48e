"""The page of a ledger: what was spent on which data, what is left, and whether the rows hold.

Contract. Everything follows from the rows, which hold no data; names of accounts, persons and
columns stand in them. The whole ledger is verified first, and the page opens with what was found.
What is spent is rounded up, what is left rounded down. Times are those of the machines that wrote
the rows, and rows keep their order whatever these say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from privet.errors import LedgerDamagedError
from privet.ledger import Account, Entry, Ledger, Verification
from privet.ledger.wording import down_text, left_text, protected, what_happened
from privet.plain_text import count, plain
from privet.privacy.guarantee import decimal_up
from privet.reports.charts import Axis, Line, bar, line_chart, round_ticks
from privet.reports.html import (
    Html,
    code,
    element,
    facts,
    figure,
    listing,
    name_of,
    notice,
    page,
    paragraph,
    section,
    table,
)

_MANY_PERSONS = 200
"""Up to here the person who lost most is looked for."""


_SHORT, _TWO_DAYS = 600, 172_800
"""Seconds."""

_CAPTION = "Each dot is a release that counts. A step down is one made void."


@dataclass(frozen=True)
class _Standing:
    """An account as it is read, or why it could not be."""

    account: Account
    history: Sequence[Entry]
    budget: Fraction
    spent: Fraction


def ledger_page(ledger: Ledger, account: str | None = None) -> str:
    """The report of a ledger, of one account or of all. Errors: LedgerError for no account."""
    found = ledger.verify()
    names = ledger.accounts() if account is None else [account]
    if account is not None and found.ok:
        ledger.account(account)  # which refuses a name that is not there
    read = [_standing(ledger, name) for name in names]
    shown = [each for each in read if isinstance(each, _Standing)]
    title = "Privacy spent, by account" if account is None else f"Privacy spent on {account}"
    several = len(shown) > 1
    return page(
        title,
        "Report of a ledger",
        _verified(found),
        (each for each in read if isinstance(each, Html)),
        _all_accounts(shown) if several or not names else None,
        (_account(each) for each in shown),
        _checking(found),
        footer="Made from the rows of the ledger, which hold no data. What is spent is rounded up, "
        "what is left is rounded down. Times are UTC, as the writing machines knew them.",
    )


def _standing(ledger: Ledger, name: str) -> "_Standing | Html":
    try:
        account = ledger.account(name)
        return _Standing(account, account.history(), account.budget, account.spent())
    except LedgerDamagedError as error:
        return notice(
            "bad",
            "An account cannot be read",
            paragraph("Account ", name_of(name), f": {error.message}"),
        )


def _verified(found: Verification) -> Html:
    rows = "1 row" if found.rows == 1 else f"{count(found.rows)} rows"
    if found.fault is not None:
        return notice(
            "bad",
            "The ledger was damaged or tampered with",
            paragraph(f"{rows} fit together. Then: {found.fault.what}"),
            paragraph("Nothing below can be relied on. Spend nothing; restore a copy."),
        )
    restated = [
        paragraph(
            "This version of Privet puts account ",
            name_of(each.account),
            f" at epsilon {decimal_up(each.now, 5)}, above the {decimal_up(each.stated, 5)} that "
            "is stated.",
        )
        for each in found.restated
    ]
    return notice(
        "open" if restated else "good",
        f"Verified for this report: {rows} fit together, from the first to the last",
        paragraph(
            "Head: ",
            element("span", f"{found.head.count}:{found.head.hash}", class_="hash"),
            ". Compare it with one that was written down before.",
        ),
        restated,
    )


def _all_accounts(shown: Sequence[_Standing]) -> Html:
    if not shown:
        return paragraph("The ledger has no account that can be read.")
    rows = [
        [
            name_of(each.account.name),
            down_text(each.budget),
            decimal_up(each.spent, 5),
            left_text(each.budget - each.spent),
        ]
        for each in shown
    ]
    columns = ["account", "budget", "spent", "left"]
    return section(
        "All accounts",
        table("Epsilon of each account.", columns, rows, numbers=3),
        paragraph("Accounts do not add up: each is about its own data.", kind="quiet"),
    )


def _account(each: _Standing) -> Html:
    numbers = [
        ("budget", down_text(each.budget)),
        ("spent", decimal_up(each.spent, 5)),
        ("left", left_text(each.budget - each.spent)),
    ]
    share = float(each.spent / each.budget) if each.budget else 1.0
    told = f"{min(100.0, 100 * share):.0f} % of the budget"
    return section(
        _joined("Account ", each.account.name),
        paragraph("Protected: ", protected(each.account), "."),
        element(
            "dl",
            (element("div", element("dt", name), element("dd", value)) for name, value in numbers),
            class_="numbers",
        ),
        figure(bar("Share of the budget that is spent", told, share), f"Spent: {told}."),
        _warnings(each.history),
        figure(_over_time(each), _CAPTION),
        _worst(each),
        _history(each.history),
    )


def _joined(text: str, name: str) -> Html:
    return Html(f"{text}{name_of(name)}")


def _warnings(history: Sequence[Entry]) -> list[Html]:
    reserves = [entry for entry in history if entry.kind == "reserve"]
    waiting = [entry for entry in reserves if entry.state == "reserved"]
    seeded = [entry for entry in reserves if entry.seeded and entry.state != "void"]
    shown = []
    if waiting:
        shown.append(
            notice(
                "open",
                f"{_releases(len(waiting))} reserved and not committed",
                paragraph(
                    "The process ended, or has not ended yet, before the release was given out. "
                    "Nobody can know from outside that nothing was seen, so it counts as spent."
                ),
            )
        )
    if seeded:
        shown.append(
            notice(
                "bad",
                f"{_releases(len(seeded))} drawn from a seed",
                paragraph("Their noise can be computed again: they protect nobody."),
                listing(what_happened(entry) for entry in seeded),
            )
        )
    return shown


def _releases(number: int) -> str:
    return "1 release is" if number == 1 else f"{count(number)} releases are"


# ------------------------------------------------------------------------------------- over time


def _over_time(each: _Standing) -> Html:
    """Spent and budget after every row; many rows in little time lie at equal steps instead."""
    history = each.history
    times = _times(history)
    first, last = times[0], times[-1]
    spread = last > first
    places = [float(i) for i in range(len(times))] if not spread else times
    end = places[-1] + (places[-1] - places[0]) * 0.04 + (0.0 if spread else 0.5)
    spent = [(place, float(entry.spent)) for place, entry in zip(places, history, strict=True)]
    budget = [(place, float(entry.budget)) for place, entry in zip(places, history, strict=True)]
    dots = [
        point
        for point, entry in zip(spent, history, strict=True)
        if entry.kind == "reserve" and entry.state != "void"
    ]
    spent.append((end, spent[-1][1]))
    budget.append((end, budget[-1][1]))
    top = 1.08 * max(value for _, value in (*spent, *budget))
    day = f" of {datetime.fromtimestamp(first, UTC).date()}" if 0 < last - first < _SHORT else ""
    x = Axis(f"time (UTC){day}", places[0], end, _dates(first, last) if spread else [])
    y = Axis("epsilon", 0.0, top or 1.0, [(tick, plain(tick, 3)) for tick in round_ticks(0, top)])
    return line_chart(
        f"Epsilon spent over time, account {each.account.name[:40]}",
        f"{len(dots)} releases; {decimal_up(each.spent, 5)} spent of {down_text(each.budget)}.",
        x,
        y,
        [
            Line("budget", budget, "second", stepped=True, dashed=True),
            Line("spent, with a dot for each release", spent, "first", stepped=True, dots=dots),
        ],
    )


def _times(history: Sequence[Entry]) -> list[float]:
    """Seconds of each row, never before those of the row before it."""
    times: list[float] = []
    for entry in history:
        try:
            time = datetime.fromisoformat(entry.time).timestamp()
        except ValueError:  # a remark of a machine: nothing depends on it
            time = times[-1] if times else 0.0
        times.append(max(time, times[-1]) if times else time)
    return times


def _dates(first: float, last: float) -> list[tuple[float, str]]:
    """Both ends and the middle, as dates or, within two days, as times."""
    length = last - first
    form = "%H:%M:%S" if length < _SHORT else "%d %b %H:%M" if length < _TWO_DAYS else None
    texts = []
    for place in (first, (first + last) / 2, last):
        moment = datetime.fromtimestamp(place, UTC)
        texts.append((place, moment.date().isoformat() if form is None else moment.strftime(form)))
    return texts


# --------------------------------------------------------------------------------- who, and what


def _worst(each: _Standing) -> Html:
    """Whose records lost most."""
    persons = sorted({e.person for e in each.history if e.person is not None and e.state != "void"})
    if not persons:
        return paragraph(
            "Every release is about everybody in the data, so everybody has lost the same."
        )
    if len(persons) > _MANY_PERSONS:
        return paragraph(
            f"{count(len(persons))} persons have releases of their own. What is spent is that of "
            "the worst of them, or an upper bound within the budget."
        )
    losses = {person: each.account.record_loss(person) for person in persons}
    known = {loss: each.account.framework.epsilon(loss) for loss in set(losses.values())}
    worst = max(persons, key=lambda person: known[losses[person]])
    most = known[losses[worst]]
    others = sum(known[loss] == most for loss in losses.values()) - 1
    also = "" if not others else f" ({count(others)} more lost as much)"
    everybody = each.account.framework.epsilon(each.account.record_loss())
    return facts(
        [
            ("Who lost most", [name_of(worst), f": epsilon {decimal_up(most, 5)}{also}"]),
            ("Everybody else", f"epsilon {decimal_up(everybody, 5)}, by releases about everybody"),
        ]
    )


def _history(history: Sequence[Entry]) -> Html:
    rows = [
        [
            [_unbroken(entry.time[:10]), " ", _unbroken(entry.time[11:19])],
            what_happened(entry),
            _unbroken(entry.state) if entry.state else None,
            _unbroken(entry.reservation, "hash ") if entry.reservation else None,
            decimal_up(entry.spent, 5),
            down_text(entry.budget),
        ]
        for entry in history
        if entry.kind not in ("commit", "checkpoint")
    ]
    columns = ["time (UTC)", "what", "state", "entry", "spent", "budget"]
    caption = "Every row of the account; spent and budget are those from the row on."
    return section("History", table(caption, columns, rows, numbers=2), level=3)


def _unbroken(text: str, kind: str = "") -> Html:
    return element("span", text, class_=f"{kind}unbroken")


def _checking(found: Verification) -> Html:
    return section(
        "How to check this",
        paragraph("That no row was changed, removed or added since this report was made:"),
        code(f"privet ledger verify --ledger LEDGER --head {found.head.count}:{found.head.hash}"),
        paragraph("Every row with its hash, to be computed again without Privet:"),
        code("privet ledger export --ledger LEDGER -o rows.jsonl"),
    )
