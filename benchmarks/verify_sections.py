"""The questions about verification: both verdicts, every length, hard families, and z3 beside them.

Contract. As `sections.py`: what fails is a row that says so, and a target that was not measured.
"""

from statistics import median

from outcomes import Effort, failed_row, in_seconds
from processes import Failed, Outcome, Processes
from report import Section, Target, figure

_SIZES = (("2", "2"), ("4", "3"), ("8", "4"), ("16", "2"), ("16", "4"))
_RANDOM = ("dense", "ring", "sticky")

_BESIDE_Z3 = (
    ("2", "2", "7", "holds"),
    ("2", "2", "8", "holds"),
    ("2", "2", "20", "holds"),
    ("4", "2", "6", "holds"),
    ("8", "4", "3", "holds"),
    ("8", "4", "3", "violated"),
    ("16", "4", "2", "holds"),
    ("16", "4", "3", "violated"),
)
"""States, symbols, length, verdict: about the longest words that z3 finishes, and one beyond."""

_HARD = (
    ("ring", "16", "4", "20"),
    ("cyclic", "16", "4", "20"),
    ("static", "16", "4", "20"),
    ("3-SAT", "8", "8", "9"),
)

_TIMES_FASTER = 1000
_SLOW_ENOUGH = 1.0
"""Seconds from which z3's time counts for the goal."""


def verification(run: Processes, effort: Effort) -> Section:
    """Verdicts a per cent from the worst ratio, and a millionth, at one length and at all."""
    section = Section(
        "Hidden Markov models: both verdicts",
        "CPU seconds of `verify.hidden_markov`, its second check among them; the median of some "
        "calls. Dense: every entry drawn from 1 to 9; ring: a ring of states that is left with "
        "probability 1/10; sticky: 9/10 of the identity plus a tenth of a dense matrix. The claim "
        "lies 1 % above the worst ratio that is known at 20 symbols (it holds), 1 % below (it is "
        "violated), or a millionth above the one known at that length, or for words of every "
        "length. What a limit of 3 s cut short is undecided, and its row says how far it is.",
        ("model", "symbols of a word", "claim", "seconds", "verdict"),
    )
    repeats = str(effort.repeats)
    limit = "3" if effort.shrink == 1 else "0.2"
    for family in _RANDOM:
        for states, symbols in _SIZES:
            outcome = run.privet("verify-margins", family, states, symbols, "20", limit, repeats)
            _add_margins(section, f"{family} {states}x{symbols}", outcome)
    outcome = run.privet("verify-narrow", "dense", "16", "4", "100", limit, repeats)
    _add_narrow(section, "dense 16x4", "100", outcome, 2)
    for family in _RANDOM:
        for states, symbols in _SIZES:
            outcome = run.privet("verify-narrow", family, states, symbols, "all", limit, repeats)
            _add_narrow(section, f"{family} {states}x{symbols}", "every length", outcome, 1)
    return section


def _add_margins(section: Section, model: str, outcome: Outcome) -> None:
    for name, side, expected in (("above", "holds", "Holds"), ("below", "violated", "Violated")):
        head = (model, "20", f"1 % {name}")
        value = None
        if isinstance(outcome, Failed):
            section.rows.append(failed_row((*head, "-", "-"), outcome))
        else:
            taken, verdict = median(outcome[name]), outcome[f"{name}_verdict"]
            section.rows.append((*head, in_seconds(taken), verdict))
            value = taken if verdict == expected else max(taken, outcome["limit"])
        section.targets.append(Target(f"{model}, k = 20, 1 % {name}: {side}", 0.1, "s", value))


def _add_narrow(section: Section, model: str, length: str, outcome: Outcome, goal: float) -> None:
    head, value = (model, length, "a millionth above"), None
    if isinstance(outcome, Failed):
        section.rows.append(failed_row((*head, "-", "-"), outcome))
    else:
        taken, verdict = median(outcome["seconds"]), outcome["verdict"]
        section.rows.append((*head, in_seconds(taken), verdict))
        value = taken if verdict == "Holds" else max(taken, outcome["limit"])
    name = f"{model}, {length if length[0].isalpha() else f'k = {length}'}, a millionth above"
    section.targets.append(Target(name, goal, "s", value))


def hard_models(run: Processes, effort: Effort) -> Section:
    """Families that no bound prunes well."""
    limit = 30 if effort.shrink == 1 else 1
    section = Section(
        "Hidden Markov models: hard families",
        f"The worst ratio itself within a limit of {limit} s, exact or as a bracket, and the claim "
        "a millionth above it. CPU seconds. Ring and cyclic: 16 states that move around slowly, or "
        "for certain; static: 16 states that never move; 3-SAT: the worst ratio of 9 symbols is 4 "
        "exactly if eight clauses over 8 variables can be satisfied together.",
        ("model", "symbols of a word", "worst ratio", "seconds", "claim", "seconds of it"),
    )
    for family, states, symbols, length in _HARD:
        outcome = run.privet("verify-hard", family, states, symbols, length, str(limit))
        name = f"{family} {states}x{symbols}"
        value = None
        if isinstance(outcome, Failed):
            section.rows.append(failed_row((name, length, "-", "-", "-", "-"), outcome))
        else:
            value = max(outcome["worst"], outcome["claim"])
            section.rows.append(
                (
                    name,
                    length,
                    outcome["answer"],
                    in_seconds(outcome["worst"]),
                    outcome["verdict"],
                    in_seconds(outcome["claim"]),
                )
            )
        section.targets.append(
            Target(f"{name}, k = {length}: an answer or a bracket", 60, "s", value)
        )
    return section


def beside_z3(run: Processes, effort: Effort) -> Section:
    """The published encoding in z3, and Privet, on the same claims."""
    limit = 30 if effort.shrink == 1 else 1
    section = Section(
        "Hidden Markov models: beside z3 with the published encoding",
        "Dense models, the claim 1 % above (holds) or below (violated) the worst ratio. z3 gets "
        "Algorithm 1 as published, through its own interface (`benchmarks/z3_published.py`), and "
        f"{limit} s; both verdicts must agree, or the row says that they do not. CPU seconds.",
        ("model", "symbols of a word", "verdict", "z3", "Privet", "Privet is faster"),
    )
    for states, symbols, length, side in _BESIDE_Z3:
        outcome = run.privet(
            "verify-z3", "dense", states, symbols, length, side, str(limit), str(effort.repeats)
        )
        _add_beside(section, (f"dense {states}x{symbols}", length, side), outcome)
    return section


def _add_beside(section: Section, head: tuple[str, str, str], outcome: Outcome) -> None:
    if isinstance(outcome, Failed):
        section.rows.append(failed_row((*head, "-", "-", "-"), outcome))
        return
    own, theirs = median(outcome["own"]), outcome["published"]
    finished = outcome["answer"] != "unknown"
    shown = in_seconds(theirs) if finished else f"unknown after {figure(theirs)} s"
    more = "" if finished else "more than "
    section.rows.append((*head, shown, in_seconds(own), f"{more}{figure(theirs / own)} times"))
    if finished and theirs > _SLOW_ENOUGH:
        name = f"against z3, {head[0]}, k = {head[1]}, {head[2]}"
        goal = Target(name, _TIMES_FASTER, "times its speed", theirs / own, at_least=True)
        section.targets.append(goal)
