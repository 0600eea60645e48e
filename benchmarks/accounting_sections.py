"""The questions about accounts: sums on a chain, one budget beside other libraries, a ledger.

Contract. As `sections.py`: what fails is a row that says so, and a target that was not measured.
"""

import json
import sys
from statistics import median

from outcomes import Effort, failed_row, in_seconds
from processes import HERE, Failed, Outcome, Processes
from report import Section, Target, figure

SPENDS = (500, 1_000, 2_000)
_SHAPES = ("everywhere", "anywhere", "short")
_COUNTS = (1_000, 10_000, 100_000)
_GOALS = {"quilt": ("by quilts", 2.0), "propagation": ("by propagation", 30.0)}
_WRITERS, _WRITING = 8, 30


def accounts(run: Processes, effort: Effort) -> Section:
    """Very many releases on a Markov chain added up."""
    section = Section(
        "Accounts of a correlated series",
        "Releases on a series of 1,000,000 nodes and a chain of 4 states: each reads all nodes, a "
        "random stretch, or up to 50 nodes. CPU seconds of adding them and of each of the two "
        "bounds for the sum, of which an accountant takes the smaller.",
        ("nodes read", "releases", "pieces", "adding", "quilts", "propagation", "epsilon"),
    )
    for shape in _SHAPES:
        for count in _COUNTS:
            outcome = run.privet("account-on-a-chain", shape, effort.rows(count))
            head = (shape, effort.rows(count))
            if isinstance(outcome, Failed):
                section.rows.append(failed_row((*head, *"-----"), outcome))
            else:
                section.rows.append((*head, *_sum(outcome)))
            if count == _COUNTS[-1] and shape == "anywhere":
                for name, (how, goal) in _GOALS.items():
                    what = f"the epsilon of {count:,} releases on a chain, {how}"
                    section.targets.append(Target(what, goal, "s", _seconds(outcome, name)))
    return section


def _sum(outcome: dict[str, float]) -> tuple[str, ...]:
    smaller = min(outcome["quilt_epsilon"], outcome["propagation_epsilon"])
    times = (in_seconds(_seconds(outcome, name)) for name in ("adding", "quilt", "propagation"))
    return f"{outcome['pieces']:,}", *times, figure(smaller)


def _seconds(outcome: Outcome, name: str = "seconds") -> float | None:
    return None if isinstance(outcome, Failed) else float(median(outcome[name]))


def budgets(run: Processes, effort: Effort) -> Section:
    """Spends of one budget, each checked, beside other libraries' accountants."""
    section = Section(
        "One budget beside other libraries",
        "Spends of one budget under independent records, one after the other as a program makes "
        "them: each is checked, and the total read after it. CPU seconds without imports and "
        "construction. OpenDP: a composition that grows by one measurement, its map after each; "
        "diffprivlib: `BudgetAccountant.spend` and `.total`.",
        ("library", *(f"{count:,} spends" for count in SPENDS), "Privet is faster"),
    )
    counts = [effort.rows(count) if effort.shrink == 1 else "20" for count in SPENDS]
    own = [run.privet("account-of-one-budget", count) for count in counts]
    section.rows.append(_budget_row("Privet", own, None))
    fastest = None
    for name in ("opendp", "diffprivlib"):
        peer = [run.peer_accountant(name, count) for count in counts]
        section.rows.append(_budget_row(name, peer, own[-1]))
        taken = _seconds(peer[-1])
        fastest = taken if fastest is None or (taken is not None and taken < fastest) else fastest
    ours = _seconds(own[-1])
    ratio = fastest / ours if fastest and ours else None
    name = "2,000 spends of one budget against the fastest other library"
    section.targets.append(Target(name, 1, "times its speed", ratio, at_least=True))
    return section


def _budget_row(library: str, outcomes: list[Outcome], own: Outcome | None) -> tuple[str, ...]:
    times = [_seconds(outcome) for outcome in outcomes]
    ours = None if own is None else _seconds(own)
    ratio = f"{figure(times[-1] / ours)} times" if times[-1] and ours else "-"
    row = (library, *map(in_seconds, times), ratio)
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
    return failed_row(row, failed[0]) if failed else row


def ledgers(run: Processes, effort: Effort) -> Section:
    """Spends of many processes in one ledger."""
    seconds = _WRITING if effort.shrink == 1 else 1
    section = Section(
        "A ledger that many processes share",
        f"{_WRITERS} processes reserve and commit for {seconds} s as fast as they can; every fifth "
        "spend is of an account whose budget is soon used up. Afterwards every spend that a "
        "process was told of is in the ledger, no other is, and no account is above its budget, "
        "or the row says that it failed. PostgreSQL is a server of its own with its own settings "
        "(fsync on). Wall time.",
        ("store", "spends/s", "spends", "lost", "refused", "capped account", "verify"),
    )
    command = [sys.executable, str(HERE / "ledger.py"), "--json", "--seconds", str(seconds)]
    printed = run.output([*command, "--processes", str(_WRITERS)])
    if isinstance(printed, Failed):
        section.rows.append(failed_row(("both", *"------"), printed))
        found = []
    else:
        found = json.loads(printed.splitlines()[-1])
    for each in found:
        section.rows.append(
            (
                each["store"],
                f"{each['per_second']:,.0f}",
                f"{each['spends']:,}",
                f"{each['lost']:,}",
                f"{each['refused']:,}",
                each["narrow"],
                in_seconds(each["verify_seconds"]),
            )
        )
    lost = sum(each["lost"] for each in found) if found else None
    section.targets.append(Target("spends of a ledger that are lost", 0, "spends", lost))
    return section
