"""Speed and memory of Privet, beside other libraries in the same run.

    make bench                   print the tables
    make bench ARGS=--write      the same, and rewrite docs/benchmarks.md

    python benchmarks/run.py --peers PYTHON [--only SECTION ...] [--quick] [--write]

The goals were set before anything was measured. Nothing fails because a figure is missed: the
tables say so.
"""

import argparse
import datetime
import os
import platform
import sys
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from growth import draw
from outcomes import Effort
from processes import HERE, Processes
from report import Section, Target, table
from sections import SECTIONS

PAGE = HERE.parent / "docs" / "benchmarks.md"
PICTURE = HERE.parent / "docs" / "pictures" / "growth.svg"
_CAPTION = "Seconds against size for each kind of work; the dashed line is in proportion"

_INTRODUCTION = """\
# Benchmarks

Written by `make bench ARGS=--write`; without `ARGS` the tables are only printed. Every figure but
memory is the median of several repetitions; every process does one thing, on one thread. Unless it
says otherwise, time is CPU time of the process, all threads added up, so a second core gains
nothing. The other libraries are pinned in `benchmarks/peers.txt`, have an environment of their own,
and were run together with Privet.
"""


def machine(run: Processes) -> list[tuple[str, str]]:
    """What the figures were taken on."""
    versions = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "pyarrow", "polars"))
    about = run.peers_about
    peers = f"Python {about['python']}, numpy {about['numpy']}" if about else "no environment"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return [
        ("date", datetime.datetime.now(datetime.UTC).date().isoformat()),
        ("processor", _processor()),
        ("cores", str(os.cpu_count())),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Privet", f"{_version('privet')} on Python {platform.python_version()}, {versions}"),
        ("other libraries", peers),
        ("load at the start", f"{load:.2f}"),
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """The model name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def _targets(targets: list[Target]) -> str:
    return table(("goal", "set to", "figure", "verdict"), [target.row() for target in targets])


def main(arguments: list[str]) -> int:
    """Run the sections, print them as they come, and write the page if that was asked."""
    parser = argparse.ArgumentParser(description="Benchmarks of Privet beside other libraries.")
    parser.add_argument("--peers", type=Path, required=True, help="the peers' Python interpreter")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=[*SECTIONS])
    parser.add_argument("--quick", action="store_true", help="try the harness on a few rows")
    parser.add_argument("--write", action="store_true", help="rewrite docs/benchmarks.md")
    options = parser.parse_args(arguments)
    if options.write and (options.quick or len(options.only) < len(SECTIONS)):
        parser.error("--write is for a whole run, without --quick and --only")
    effort = Effort(repeats=1, shrink=1000) if options.quick else Effort()
    if options.quick:
        print("A trial of the harness: too few rows for the figures to mean anything.\n")
    run = Processes(options.peers)
    about = table(("machine", ""), machine(run))
    print(about)
    sections: list[Section] = []
    broken = []
    for name in options.only:
        try:
            sections.append(SECTIONS[name](run, effort))
        except Exception as error:
            # The others are worth having; the exit code and the page say that one is missing.
            traceback.print_exc()
            broken.append(name)
            sections.append(Section(f"{name}: not measured", f"It failed: {error!r}.", ("what",)))
        print(sections[-1].markdown(), flush=True)
    goals = _targets([target for section in sections for target in section.targets])
    print(f"## Goals\n\n{goals}")
    if options.write:
        curves = [curve for section in sections for curve in section.curves]
        draw(PICTURE, curves)
        shown = f"![{_CAPTION}](pictures/{PICTURE.name})\n"
        parts = [_INTRODUCTION, about, f"## Goals\n\n{goals}", *(s.markdown() for s in sections)]
        PAGE.write_text("\n".join([*parts, shown]), encoding="utf-8")
        print(f"wrote {PAGE.relative_to(HERE.parent)} and {PICTURE.relative_to(HERE.parent)}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
