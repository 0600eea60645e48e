"""The questions about certified rates: how long a bracket takes, how close it is, how long a check.

Contract. As `sections.py`: what fails is a row that says so, and a target that was not measured.
"""

from outcomes import Effort, failed_row, in_seconds
from processes import Failed, Outcome, Processes
from report import Section, Target

_ALL = (
    ("2x2 rooms", 2.0),
    ("3x3 rooms", 2.0),
    ("5 states, 18 moves", 2.0),
    ("6 states, 20 moves", 2.0),
    ("4x4 rooms", 10.0),
)
_TWO = (("3x3 rooms", 10.0), ("4x4 rooms", 60.0))
_RATES = ("0.5", "1", "2", "4")
_HARDEST = "0.7"
"""Of 4x4 rooms; about the rate that spends 1."""

_LARGE = "12 states, 60 moves"


def certified(run: Processes, effort: Effort) -> Section:
    """Brackets of what the exponential mechanism spends, and their certificates read again."""
    section = Section(
        "Certified rates: what the exponential mechanism spends",
        "CPU seconds of one bracket of the epsilon that is spent at a rate, its own checks among "
        "them, and of reading the certificate again from text. Walks through rooms, and chains "
        "with drawn moves; words of all lengths to 0.5 %, or of 30 symbols and two differences to "
        "3 %. A bracket that is wider than asked counts as not measured. The goal of a check is "
        "the time of the bracket without one.",
        ("language", "rate", "b", "symbols", "spent", "seconds", "check", "kB"),
    )
    rates = _RATES if effort.shrink == 1 else _RATES[-1:]
    for name, goal in _ALL:
        for rate in rates:
            _add(section, run, (name, rate, "1", "all"), (0.005, goal))
    _add(section, run, ("4x4 rooms", _HARDEST, "1", "all"), (0.005, 10.0))
    for name, goal in _TWO:
        for rate in rates:
            _add(section, run, (name, rate, "2", "30"), (0.03, goal))
    for adjacency in ("1", "2"):
        _add(section, run, (_LARGE, "1", adjacency, "all"), (1.0, 60.0))
    return section


def _add(
    section: Section,
    run: Processes,
    question: tuple[str, str, str, str],
    goals: tuple[float, float],
) -> None:
    """One row; `goals`: the gap that is promised, and the seconds."""
    promised, goal = goals
    outcome: Outcome = run.privet("spent", *question, str(min(promised, 0.03)), "100")
    name, rate, adjacency, length = question
    about = f"{name}, rate {rate}, b = {adjacency}, {length} symbols"
    if isinstance(outcome, Failed):
        section.rows.append(failed_row((*question, "-", "-", "-", "-"), outcome))
        section.targets.append(Target(f"{about}: bracket", goal, "s", None))
        return
    low, high = outcome["low"], outcome["high"]
    seconds, check = outcome["seconds"], outcome["check"]
    kilobytes = f"{outcome['size'] / 1000:.0f}"
    section.rows.append(
        (
            *question,
            f"{low:.4f} to {high:.4f}",
            in_seconds(seconds),
            in_seconds(check),
            kilobytes,
        )
    )
    closed = (high - low) / high <= promised
    section.targets.append(Target(f"{about}: bracket", goal, "s", seconds if closed else None))
    section.targets.append(Target(f"{about}: check", round(seconds - check, 3), "s", check))
