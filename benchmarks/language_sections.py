"""The questions about languages that forbid words: speed of their mechanisms, and Algorithm 1.

Contract. As `sections.py`: what fails is a row that says so, and a target that was not measured.
"""

import math
from statistics import median

from outcomes import Effort, extra_of, failed_row, in_millions, in_seconds, speed_of
from processes import Failed, Outcome, Processes
from report import Section, Target, figure

ON_LANGUAGES = {
    "exponential": ("WordExponential", 3.0, 10**4),
    "permute-and-flip": ("WordPermuteAndFlip", 0.1, 10**3),
}
"""Class, goal in million symbols/s for many words, length of the single word of the other goal."""

EPSILONS = ("1", "3", "8")

LENGTHS = (10, 20, 50, 100, 200)

_SLOPE_FROM = 50
"""How a time grows is read off the lengths from here on; below, what is constant is in the way."""


def languages(run: Processes, effort: Effort) -> Section:
    """The word mechanisms where not every word is possible."""
    section = Section(
        "Words of a language",
        "Words of the grid world (4 x 4 rooms, 3 to 5 successors each) released on the language of "
        "the walks that it allows, adjacency 1, at the published rate. Every released word is "
        "checked to be in the language. Memory is beyond the input words. The last row is "
        "`count_by_distance`: exact integers of up to 2,085 bits.",
        (
            "what",
            "epsilon",
            "words",
            "symbols each",
            "million symbols/s",
            "seconds",
            "MB",
            "wrong",
        ),
    )
    for title, (name, goal, single) in ON_LANGUAGES.items():
        for epsilon in EPSILONS:
            for count, length in ((10**4, 100), (1, single)):
                words = effort.rows(count) if count > 1 else "1"
                case = ("on-language", name, epsilon, words, str(length), str(effort.repeats))
                outcome = run.privet(*case)
                wrong = "-" if isinstance(outcome, Failed) else f"{outcome['wrong']:.4f}"
                head = (title, epsilon, f"{int(words):,}", f"{length:,}")
                section.rows.append(_measured(head, outcome, wrong))
                section.targets += _targets(
                    f"{title} on a language, epsilon {epsilon}", goal, length, outcome
                )
    outcome = run.privet("counting", "1000", str(effort.repeats))
    head = ("`count_by_distance`", "-", "1", "1,000")
    section.rows.append(_measured(head, outcome, "-"))
    name = "`count_by_distance`, 1,000 symbols, 16 states"
    section.targets.append(Target(name, 5, "s", _median_seconds(outcome)))
    return section


def _measured(head: tuple[str, ...], outcome: Outcome, wrong: str) -> tuple[str, ...]:
    speed, seconds = in_millions(speed_of(outcome)), in_seconds(_median_seconds(outcome))
    row = (*head, speed, seconds, extra_of(outcome), wrong)
    return failed_row(row, outcome) if isinstance(outcome, Failed) else row


def _median_seconds(outcome: Outcome) -> float | None:
    return None if isinstance(outcome, Failed) else float(median(outcome["seconds"]))


def _targets(name: str, goal: float, length: int, outcome: Outcome) -> list[Target]:
    if length != 100:
        return [Target(f"{name}, one word of {length:,}", 2, "s", _median_seconds(outcome))]
    speed = speed_of(outcome)
    extra = None if isinstance(outcome, Failed) else outcome["extra"] / 1e6
    millions = None if speed is None else speed / 1e6
    return [
        Target(f"{name}, 10,000 words of 100", goal, "million symbols/s", millions, at_least=True),
        Target(f"memory of {name}", 1000, "MB", extra),
    ]


def algorithm_1(run: Processes, effort: Effort) -> Section:
    """Drawing a word at a distance by the published automaton, and by Privet."""
    del effort
    section = Section(
        "Algorithm 1 of [benvenuti-rao-hale-2026] beside Privet's permute-and-flip",
        "One word at epsilon 3, adjacency 1, published rate. Algorithm 1 is written literally in "
        "`benchmarks/algorithm_1.py`: the automaton of the words at one distance (the mean one), "
        "V of each of its states, the policy, one word drawn; on the grid world its states hold "
        "the room too. How the distance itself is drawn is left out on its side. Privet's draw at "
        "the same distance is `sample_at_distance`, exact; its whole release is "
        "`mechanism.release` of the word, which draws the distance as well and on a language never "
        "counts by distance. Both are Python; Algorithm 1 has no numpy to help it. The rows "
        f"'grows as' give the exponent of n between n = {_SLOPE_FROM} and n = {LENGTHS[-1]}.",
        (
            "language",
            "n",
            "distance",
            "states",
            "Algorithm 1, ms",
            "of it the walk, ms",
            "Privet, same distance, ms",
            "Privet, whole release, ms",
            "ratio, same distance",
            "ratio, whole release",
        ),
    )
    for kind in ("all words", "grid world"):
        found: dict[int, dict[str, float]] = {}
        for length in LENGTHS:
            outcome = run.privet("algorithm-1", kind, str(length), "3")
            if isinstance(outcome, Failed):
                empty = (kind, str(length), *["-"] * 8)
                section.rows.append(failed_row(empty, outcome))
                continue
            found[length] = outcome
            section.rows.append((kind, str(length), *_compared(outcome)))
        if {_SLOPE_FROM, LENGTHS[-1]} <= found.keys():
            section.rows.append((kind, "grows as", "-", *_growth(found), "-", "-"))
    return section


_TIMES = ("published", "follow", "own", "whole")


def _compared(outcome: dict[str, float]) -> tuple[str, ...]:
    return (
        f"{outcome['distance']:.0f}",
        f"{outcome['states']:,.0f}",
        *(figure(outcome[name] * 1e3) for name in _TIMES),
        *(figure(outcome["published"] / outcome[name]) for name in ("own", "whole")),
    )


def _growth(found: dict[int, dict[str, float]]) -> tuple[str, ...]:
    first, last = found[_SLOPE_FROM], found[LENGTHS[-1]]
    span = math.log(LENGTHS[-1] / _SLOPE_FROM)
    return tuple(
        f"n^{math.log(last[name] / first[name]) / span:.1f}" for name in ("states", *_TIMES)
    )


def expansion(run: Processes, effort: Effort) -> Section:
    """The law of the distance, by the printed sum over subsets and by an integral."""
    del effort
    section = Section(
        "The law of permute-and-flip, expanded as it was published",
        "All words over two symbols at epsilon 3, adjacency 1. The published law of the distance "
        "is a sum over all subsets of the other candidates, 2^(2^n - 1) terms for each "
        "distance: n = 5 would take 2^31, and n = 10 more than 10^307. Privet takes one integral, "
        "of which the time includes making the mechanism.",
        (
            "n",
            "words",
            "terms of a distance",
            "as published, ms",
            "Privet, ms",
            "ratio",
            "laws differ by",
        ),
    )
    for length in range(1, 5):
        outcome = run.privet("expansion", str(length), "3")
        if isinstance(outcome, Failed):
            section.rows.append(failed_row((str(length), *["-"] * 6), outcome))
            continue
        words = outcome["words"]
        section.rows.append(
            (
                str(length),
                str(words),
                f"{2 ** (words - 1):,}",
                figure(outcome["published"] * 1e3),
                figure(outcome["own"] * 1e3),
                figure(outcome["published"] / outcome["own"]),
                f"{outcome['off']:.0e}",
            )
        )
    return section
