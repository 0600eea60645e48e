"""The questions that are asked, one function each: what is run, its table, its targets.

Contract. A section never raises because something it measures fails: the row says what happened,
and the target that hangs on it is "not measured".
"""

from dataclasses import dataclass
from statistics import median
from typing import Any

from measure import KEEP, kept_as_the_law_says
from peers import ROUTES
from processes import Failed, Outcome, Processes
from report import Section, Target, figure

SIZES = (2, 3, 8, 20, 51, 256, 1000)

COLUMNS = (
    "polars String",
    "polars Enum",
    "Arrow string",
    "Arrow dictionary",
    "pandas str",
    "pandas category",
)

WORD_MECHANISMS = {
    "randomised response": "RandomizedResponse",
    "exponential": "WordExponential",
    "permute-and-flip": "WordPermuteAndFlip",
    "staircase": "WordStaircase",
}

_CLOSED_FORM = ("randomised response", "exponential")


@dataclass(frozen=True)
class Effort:
    """How much is measured: rows are divided by `shrink`, and each figure is of `repeats`."""

    repeats: int = 5
    shrink: int = 1

    @property
    def more(self) -> str:
        """Repetitions, as an argument, where a goal hangs on a figure of a tenth of a second."""
        return str(2 * self.repeats + 1)

    def rows(self, full: int) -> str:
        """The rows of a case, as its argument."""
        return str(full // self.shrink)


def _speed(outcome: Outcome) -> float | None:
    """Rows per second of CPU time, by the median repetition."""
    if isinstance(outcome, Failed):
        return None
    return float(outcome["rows"] / median(outcome["seconds"]))


def _millions(speed: float | None) -> str:
    return "-" if speed is None else figure(speed / 1e6)


def _kept(outcome: Outcome) -> str:
    """The share kept, with an alarm if the law would not give it."""
    if isinstance(outcome, Failed):
        return "-"
    kept, law = outcome["kept"], outcome["law"]
    right = kept_as_the_law_says(kept, outcome["rows"], law)
    return f"{kept:.4f}" if right else f"{kept:.4f}, NOT the law's {law:.4f}"


def _rows(outcome: Outcome) -> str:
    return "-" if isinstance(outcome, Failed) else f"{outcome['rows']:,}"


def beside_peers(run: Processes, effort: Effort) -> Section:
    """k-ary randomised response, every library in this one run."""
    section = Section(
        "Randomised response beside other libraries",
        "Eight categories, epsilon 1, the same data for all, each library by its ways in that suit "
        "many values; imports, compilation, construction and the making of the input are not "
        f"timed. A release keeps a value with probability {KEEP:.4f}; the share really kept is in "
        "the table. The last column says how many times as fast Privet's sampler (the first row) "
        "is. Not all ways start from the same form: trasgodp takes labels only, and Privet's fast "
        "way from labels to labels is a column of a frame, in a table of its own below.",
        ("library", "way in", "rows", "million rows/s", "kept", "random bits", "sampler is faster"),
    )
    rows, repeats, more = effort.rows(10**8), str(effort.repeats), effort.more
    ways = {
        "`mechanism.release`, uint8 codes": run.privet("codes", "sampler", rows, more),
        "`privet.release`, uint8 codes": run.privet("codes", "release", rows, more),
        "`mechanism.release`, array of labels": run.privet("array", effort.rows(10**7), repeats),
    }
    own = [_speed(outcome) for outcome in ways.values()]
    sampler = own[0]
    for way, outcome in ways.items():
        section.rows.append(_library_row("Privet", way, outcome, "AES-256 counter mode", None))
    fastest = 0.0
    for name, route in ROUTES.items():
        outcome = run.peer(name, effort.rows(route.rows), repeats)
        fastest = max(fastest, _speed(outcome) or 0.0)
        library = f"{route.package} {run.peer_versions.get(route.package) or 'not installed'}"
        section.rows.append(_library_row(library, route.title, outcome, route.randomness, sampler))
    section.targets = [
        _speed_target("randomised response, uint8 codes, sampler", 300, own[0]),
        _speed_target("the same through `privet.release`", 300, own[1]),
        Target(
            "the sampler against the fastest other library",
            20,
            "times its speed",
            sampler / fastest if sampler and fastest else None,
            at_least=True,
        ),
    ]
    return section


def _library_row(
    library: str, way: str, outcome: Outcome, bits: str, sampler: float | None
) -> tuple[str, ...]:
    speed = _speed(outcome)
    ratio = "-"
    if isinstance(outcome, Failed):
        ratio = f"failed: {outcome.reason}"
    elif speed and sampler:
        ratio = f"{figure(sampler / speed)} times"
    return library, way, _rows(outcome), _millions(speed), _kept(outcome), bits, ratio


def _speed_target(name: str, goal: float, speed: float | None) -> Target:
    value = None if speed is None else speed / 1e6
    return Target(name, goal, "million rows/s", value, at_least=True)


def memory(run: Processes, effort: Effort) -> Section:
    """What a release of 10^8 codes needs beside its input and its output."""
    section = Section(
        "Memory",
        "Peak resident memory of a fresh process during its first release of uint8 codes, less "
        "what was resident before (the input among it) and the output.",
        ("way in", "rows", "MB beyond input and output"),
    )
    for way, name in (("sampler", "`mechanism.release`"), ("release", "`privet.release`")):
        outcome = run.privet("memory", way, effort.rows(10**8))
        row = (name, _rows(outcome), _extra(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else _failed_row(row, outcome))
        extra = None if isinstance(outcome, Failed) else outcome["extra"] / 1e6
        section.targets.append(Target(f"memory of {name}, 10^8 codes", 64, "MB", extra))
    return section


def _extra(outcome: Outcome) -> str:
    return "-" if isinstance(outcome, Failed) else figure(outcome["extra"] / 1e6)


def alphabet_sizes(run: Processes, effort: Effort) -> Section:
    """Randomised response on codes, by the number of categories."""
    section = Section(
        "Randomised response by the number of categories",
        "`mechanism.release` on codes of the narrowest type that holds them, epsilon 1.",
        ("categories", "rows", "million rows/s", "MB beyond input and output", "kept"),
    )
    for size in SIZES:
        rows = effort.rows(2 * 10**7)
        outcome = run.privet("codes", "sampler", rows, str(effort.repeats), str(size))
        extra = _extra(run.privet("memory", "sampler", rows, str(size)))
        row = (str(size), _rows(outcome), _millions(_speed(outcome)), extra, _kept(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else _failed_row(row, outcome))
    return section


def _failed_row(row: tuple[str, ...], outcome: Failed) -> tuple[str, ...]:
    return (*row[:-1], f"failed: {outcome.reason}")


def labels(run: Processes, effort: Effort) -> Section:
    """Label strings in columns of frames, from frame to frame."""
    section = Section(
        "Label strings in a column",
        '`privet.release` of a frame with one column of labels such as "never married": '
        "encode, randomised response with epsilon 1, decode, receipt; the release is a frame of "
        "the same kind. A dictionary column stays codes all the way.",
        ("column", "rows", "million rows/s", "kept"),
    )
    for kind in COLUMNS:
        outcome = run.privet("labels", kind, effort.rows(10**7), effort.more)
        speed = _speed(outcome)
        row = (kind, _rows(outcome), _millions(speed), _kept(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else _failed_row(row, outcome))
        if kind in ("polars String", "Arrow string"):
            section.targets.append(_speed_target(f"10^7 labels, {kind} column", 30, speed))
    return section


def words(run: Processes, effort: Effort) -> Section:
    """Words of one length: the first release builds the law."""
    section = Section(
        "Words",
        "All words over eight symbols, epsilon 1, adjacency 1. The first release of a process "
        "makes the mechanism and builds the law of that length; the second finds it there. "
        "CPU seconds.",
        ("mechanism", "words", "symbols each", "first release", "second release"),
    )
    for title, name in WORD_MECHANISMS.items():
        for count, length in ((10**4, 100), (1, 10**4), (1, 10**6)):
            outcomes = [
                run.privet("words", name, str(count), str(length))
                for _ in range(min(3, effort.repeats))
            ]
            first, second = _medians(outcomes)
            shown = [_seconds(first), _seconds(second)]
            for outcome in outcomes:
                if isinstance(outcome, Failed):
                    shown[1] = f"failed: {outcome.reason}"
            section.rows.append((title, f"{count:,}", f"{length:,}", *shown))
            limit = 1.0
            if length == 10**6:
                limit = 0.1 if title in _CLOSED_FORM else 10.0
            what = f"{count:,} words of {length:,}" if count > 1 else f"one word of {length:,}"
            section.targets.append(Target(f"{title}, {what}, first release", limit, "s", first))
    return section


def _medians(outcomes: list[Outcome]) -> tuple[float | None, float | None]:
    good: list[dict[str, Any]] = [each for each in outcomes if not isinstance(each, Failed)]
    if len(good) < len(outcomes):
        return None, None
    return (
        median(each["first"][0] for each in good),
        median(each["second"][0] for each in good),
    )


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{figure(value)} s"


def start_up(run: Processes, effort: Effort) -> Section:
    """Wall time of whole processes."""
    section = Section(
        "Start-up",
        "Wall time of a whole process from start to exit, the interpreter's own among it; the "
        "median of fresh processes.",
        ("process", "processes", "seconds"),
    )
    imports = "from privet import Alphabet, RandomizedResponse, release"
    commands: dict[str, tuple[list[str], float | None]] = {
        "`python -c pass`": (run.python("pass"), None),
        "`import privet`": (run.python("import privet"), 0.3),
        f"`{imports}`": (run.python(imports), None),
        "`privet --help`": (run.command("--help"), 0.5),
    }
    count = int(effort.more)
    for name, (command, limit) in commands.items():
        taken = run.wall(command, count)
        value = None if isinstance(taken, Failed) else median(taken)
        shown = f"failed: {taken.reason}" if isinstance(taken, Failed) else figure(median(taken))
        section.rows.append((name, str(count), shown))
        if limit is not None:
            section.targets.append(Target(name, limit, "s", value))
    return section


SECTIONS = {
    "peers": beside_peers,
    "memory": memory,
    "sizes": alphabet_sizes,
    "labels": labels,
    "words": words,
    "start": start_up,
}
