"""The questions that are asked, one function each: what is run, its table, its targets.

Contract. A section never raises because something it measures fails: the row says what happened,
and the target that hangs on it is "not measured".
"""

from statistics import median
from typing import Any

from accounting_sections import accounts, budgets, ledgers
from calibration_sections import certified
from growth import growth
from language_sections import algorithm_1, expansion, languages
from measure import KEEP, kept_as_the_law_says
from outcomes import (
    Effort,
    extra_of,
    failed_row,
    in_millions,
    in_seconds,
    rows_of,
    speed_of,
)
from peers import ROUTES
from processes import Failed, Outcome, Processes
from report import Section, Target, figure
from series_sections import series
from verify_sections import beside_z3, hard_models, verification

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

DECODINGS = ("viterbi", "posterior", "sample")

CHAINS = ("grid world", "dense", "moves on")

_CLOSED_FORM = ("randomised response", "exponential")


def _kept(outcome: Outcome) -> str:
    """The share kept, with an alarm if the law would not give it."""
    if isinstance(outcome, Failed):
        return "-"
    kept, law = outcome["kept"], outcome["law"]
    right = kept_as_the_law_says(kept, outcome["rows"], law)
    return f"{kept:.4f}" if right else f"{kept:.4f}, NOT the law's {law:.4f}"


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
    own = [speed_of(outcome) for outcome in ways.values()]
    sampler = own[0]
    for way, outcome in ways.items():
        section.rows.append(_library_row("Privet", way, outcome, "AES-256 counter mode", None))
    fastest = 0.0
    for name, route in ROUTES.items():
        outcome = run.peer(name, effort.rows(route.rows), repeats)
        fastest = max(fastest, speed_of(outcome) or 0.0)
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
    speed = speed_of(outcome)
    ratio = "-"
    if isinstance(outcome, Failed):
        ratio = f"failed: {outcome.reason}"
    elif speed and sampler:
        ratio = f"{figure(sampler / speed)} times"
    return library, way, rows_of(outcome), in_millions(speed), _kept(outcome), bits, ratio


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
        row = (name, rows_of(outcome), extra_of(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else failed_row(row, outcome))
        extra = None if isinstance(outcome, Failed) else outcome["extra"] / 1e6
        section.targets.append(Target(f"memory of {name}, 10^8 codes", 64, "MB", extra))
    return section


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
        extra = extra_of(run.privet("memory", "sampler", rows, str(size)))
        row = (str(size), rows_of(outcome), in_millions(speed_of(outcome)), extra, _kept(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else failed_row(row, outcome))
    return section


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
        speed = speed_of(outcome)
        row = (kind, rows_of(outcome), in_millions(speed), _kept(outcome))
        section.rows.append(row if not isinstance(outcome, Failed) else failed_row(row, outcome))
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
            shown = [in_seconds(first), in_seconds(second)]
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


def decoding(run: Processes, effort: Effort) -> Section:
    """Decoding released words with a public chain over 16 states."""
    section = Section(
        "Decoding",
        "Words of a chain over 16 states, released by randomised response at epsilon 3 and decoded "
        "with the chain. Grid world: 4 x 4 rooms, stay with probability 0.8, else go next door (3 "
        "to 5 successors). Dense: every step possible. Moves on: a state once left never comes "
        "back, so that floats are checked word by word and logarithms stand in where they fail. "
        "Memory is beyond the released words, the result (for marginals 16 doubles a symbol) "
        "among it.",
        (
            "decoding",
            "chain",
            "words",
            "symbols each",
            "million symbols/s",
            "seconds",
            "MB",
            "wrong before",
            "wrong after",
        ),
    )
    for way in DECODINGS:
        for kind in CHAINS:
            for count, length in ((10**4, 100), (1, 10**4)):
                if kind != "grid world" and count == 1:
                    continue
                arguments = (effort.rows(count) if count > 1 else "1", str(length))
                outcome = run.privet("decode", way, kind, *arguments, str(effort.repeats))
                row = (f"`{way}`", kind, f"{count:,}", f"{length:,}", *_decoded(outcome))
                section.rows.append(row)
                if kind == "grid world":
                    section.targets += _decoding_targets(way, count, outcome)
    return section


def _decoded(outcome: Outcome) -> tuple[str, ...]:
    if isinstance(outcome, Failed):
        return "-", "-", "-", "-", f"failed: {outcome.reason}"
    shares = (f"{outcome[name]:.4f}" for name in ("released_wrong", "wrong"))
    return (
        in_millions(speed_of(outcome)),
        figure(median(outcome["seconds"])),
        extra_of(outcome),
        *shares,
    )


def _decoding_targets(way: str, count: int, outcome: Outcome) -> list[Target]:
    if isinstance(outcome, Failed):
        speed = seconds = extra = None
    else:
        speed, seconds = (speed_of(outcome) or 0) / 1e6, median(outcome["seconds"])
        extra = outcome["extra"] / 1e6
    if count == 1:
        return [Target(f"`{way}`, one word of 10,000 symbols", 2, "s", seconds)]
    name = f"`{way}`, 10,000 words of 100, 16 states"
    return [
        Target(name, 2, "million symbols/s", speed, at_least=True),
        Target(f"memory of {name}", 1000, "MB", extra),
    ]


def _medians(outcomes: list[Outcome]) -> tuple[float | None, float | None]:
    good: list[dict[str, Any]] = [each for each in outcomes if not isinstance(each, Failed)]
    if len(good) < len(outcomes):
        return None, None
    return (
        median(each["first"][0] for each in good),
        median(each["second"][0] for each in good),
    )


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
    "languages": languages,
    "algorithm-1": algorithm_1,
    "expansion": expansion,
    "decode": decoding,
    "series": series,
    "accounts": accounts,
    "budgets": budgets,
    "ledgers": ledgers,
    "verify": verification,
    "verify-hard": hard_models,
    "verify-z3": beside_z3,
    "calibration": certified,
    "start": start_up,
    "growth": growth,
}
