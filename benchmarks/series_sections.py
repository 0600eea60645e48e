"""The question about queries of a correlated series: how long its noise scales take to find.

Contract. As `sections.py`: what fails is a row that says so, and a target that was not measured.
"""

from statistics import median

from outcomes import Effort, failed_row, in_seconds
from processes import Failed, Outcome, Processes
from report import Section, Target, figure

_GOALS = {"0.5": 0.5, "0.9": 1.0}
"""Seconds for the quilt scale of 10^6 nodes, by the probability to stay."""

_STARTS = ("stationary", "given", "any")

_LOOPS = {
    ("0.5", "literally"): 10**6,
    ("0.9", "literally"): 10**4,
    ("0.5", "tabulated"): 10**7,
    ("0.9", "tabulated"): 10**7,
}
"""The most quilts that a loop may look at; only the second search is larger than that."""

_TIMES_FASTER = 100


def series(run: Processes, effort: Effort) -> Section:
    """Exact quilt scales beside the plain double loop, and scales by propagation."""
    section = Section(
        "Noise scales for queries of a correlated series",
        "Epsilon 1, Lipschitz constant 1, CPU seconds from the matrices to the scale, the making "
        "of `MarkovChain` and `MarkovFramework` among it. Chains of 5 and 51 states stay with the "
        "probability in the table, else move from i to j in proportion to exp(-|i - j| / 3). "
        '"Given" is certain of the first state. The family has 100 chains with random rows and '
        "first laws, entries uniform on [0.1, 1] before normalising. The double loop, in "
        "`benchmarks/double_loop.py`, is numpy in doubles: for one node far from both ends of a "
        "stationary series it looks at every pair of distances (a, b) that can still be better, "
        "while Privet covers all nodes and certifies its roundings. Literally, it computes the "
        "whole formula of the max-influence for each pair; tabulated, it keeps the two maxima over "
        "the far nodes' states by distance, as a careful loop would. A loop that ran "
        "whole found Privet's scale to within a millionth, or its row would say that it failed.",
        ("what", "states", "stays", "start", "nodes", "seconds", "scale", "beside"),
    )
    own = _quilts(run, effort, section)
    _loops(run, effort, section, own)
    _family(run, effort, section)
    _propagation(run, effort, section)
    return section


def _quilts(run: Processes, effort: Effort, section: Section) -> dict[str, float | None]:
    """The rows of the quilt scale; the seconds of the stationary start, by how a chain stays."""
    own: dict[str, float | None] = {}
    for stay, goal in _GOALS.items():
        for start in _STARTS:
            for power in (4, 5, 6):
                length = effort.rows(10**power)
                outcome = run.privet("quilt", stay, start, length, str(effort.repeats))
                _add(section, ("`quilt_scale`", "51", stay, start, f"{int(length):,}"), outcome)
            seconds = _seconds(outcome)
            if start == "stationary":
                own[stay] = seconds
            name = f"quilt scale, 51 states, stays {stay}, {start}, 10^6 nodes"
            section.targets.append(Target(name, goal, "s", seconds))
    return own


def _loops(run: Processes, effort: Effort, section: Section, own: dict[str, float | None]) -> None:
    for (stay, way), most in _LOOPS.items():
        outcome = run.privet("double-loop", stay, way, effort.rows(most))
        head = (f"double loop, {way}", "51", stay, "stationary", "one")
        ratio = None
        if isinstance(outcome, Failed):
            section.rows.append(failed_row((*head, "-", "-", "-"), outcome))
        else:
            whole, privet = outcome["whole"], own[stay]
            ratio = whole / privet if privet else None
            times = "" if ratio is None else f"; {figure(ratio)} times Privet's time"
            row = (*head, in_seconds(whole), "-", f"{_extent(outcome)}{times}")
            section.rows.append(row)
        if way == "literally":
            name = f"quilt scale, stays {stay}, against the literal double loop"
            goal = Target(name, _TIMES_FASTER, "times its speed", ratio, at_least=True)
            section.targets.append(goal)


def _extent(outcome: dict[str, float]) -> str:
    """How much of the search was done, and whether its time is extrapolated."""
    done, in_all = f"{outcome['pairs']:,}", f"{outcome['in_all']:,}"
    if outcome["pairs"] == outcome["in_all"]:
        return f"all {in_all} pairs"
    return f"EXTRAPOLATED from the first {done} of {in_all} pairs"


def _family(run: Processes, effort: Effort, section: Section) -> None:
    length = effort.rows(10**5)
    for start in ("stationary", "given"):
        outcome = run.privet("quilt-family", "100", start, length, str(effort.repeats))
        head = ("`quilt_scale`, 100 chains", "4", "-", start, f"{int(length):,}")
        _add(section, head, outcome)
        name = f"quilt scale, 100 chains of 4 states, {start}, 10^5 nodes"
        section.targets.append(Target(name, 2, "s", _seconds(outcome)))


def _propagation(run: Processes, effort: Effort, section: Section) -> None:
    length = effort.rows(10**6)
    for size, goal in (("5", 1), ("51", 60)):
        # With a goal of a minute, five repetitions could take longer than a process is given.
        repeats = effort.repeats if size == "5" else min(3, effort.repeats)
        for stay in _GOALS:
            outcome = run.privet("propagation", size, stay, length, str(repeats))
            beside = "-"
            if not isinstance(outcome, Failed):
                ratio = outcome["quilt_scale"] / outcome["scale"]
                beside = f"the quilt scale is {figure(ratio)} times as large"
            head = ('`scale(method="propagation")`', size, stay, "stationary", f"{int(length):,}")
            _add(section, head, outcome, beside)
            name = f"propagation scale, {size} states, stays {stay}, 10^6 nodes"
            section.targets.append(Target(name, goal, "s", _seconds(outcome)))


def _add(section: Section, head: tuple[str, ...], outcome: Outcome, beside: str = "-") -> None:
    """Head, seconds, scale and what is beside, or why there are none."""
    if isinstance(outcome, Failed):
        section.rows.append(failed_row((*head, "-", "-", "-"), outcome))
    else:
        seconds, scale = in_seconds(_seconds(outcome)), figure(outcome["scale"])
        section.rows.append((*head, seconds, scale, beside))


def _seconds(outcome: Outcome) -> float | None:
    return None if isinstance(outcome, Failed) else float(median(outcome["seconds"]))
