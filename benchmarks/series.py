"""The tables of docs/series.md: noise scales of every mechanism, and how loose the box bound is.

    make tables                  print the tables
    make tables ARGS=--write     the same, and write them into docs/series.md

Contract. Nothing is drawn: every figure follows from public chains, so the page is the same at
every run. Scales are those of a count, which one step moves by at most 1, rounded up.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from report import figure, table

from privet import MarkovChain, datasets
from privet.chains.box import ChainBox
from privet.privacy import MarkovFramework
from privet.queries import count
from privet.releasing import QueryPlan, plan_query

PAGE = Path(__file__).resolve().parent.parent / "docs" / "series.md"
EPSILONS = ("0.5", "1", "2", "5")
TITLES = ("group DP", "MQM approximate", "MQM exact", "propagation", "best of both")
DISTANCES = (1, 2, 5, 10, 20)

HEADER = ("mechanism", *(f"epsilon {epsilon}" for epsilon in EPSILONS))


def planned(framework: MarkovFramework, length: int, epsilon: str) -> QueryPlan:
    """The plan for how often the first state occurs, or any other one: constant 1."""
    state = framework.alphabet.symbols[0]
    return plan_query(framework, count(state), epsilon=epsilon, length=length)


def binary(stay: str) -> MarkovChain:
    """Two states, each kept with that probability."""
    go = 1 - Fraction(stay)
    return MarkovChain(["1/2", "1/2"], [[stay, go], [go, stay]])


def seattle() -> tuple[MarkovFramework, int]:
    """The weather, stationary, and its number of days."""
    words = datasets.seattle().words()
    chain = MarkovChain.fit(words, pseudocount="0.5")
    return MarkovFramework(chain, initial="stationary"), int(words.codes.size)


def income() -> tuple[MarkovFramework, int]:
    """Income quintiles, any start, and the number of years."""
    chain = MarkovChain.fit(datasets.income().words(), pseudocount=1)
    return MarkovFramework(chain, initial="any"), 81


def scales(framework: MarkovFramework, length: int) -> str:
    """A table of scales, and what the published one really spends."""
    plans = [planned(framework, length, epsilon) for epsilon in EPSILONS]
    rows = [[title, *(_scale(plan, title) for plan in plans)] for title in TITLES]
    spent = [plan.row("MQM exact").spent for plan in plans]
    rows.append(["MQM exact: spent", *("-" if s is None else figure(float(s)) for s in spent)])
    return table(HEADER, rows)


def _scale(plan: QueryPlan, title: str) -> str:
    scale = plan.row(title).scale
    return "does not run" if scale is None else figure(float(scale))


def binary_table() -> str:
    """Scales of the interesting mechanisms, a row for each chain and mechanism."""
    rows = []
    for stay in ("0.6", "0.8", "0.9"):
        framework = MarkovFramework(binary(stay), initial="stationary")
        plans = [planned(framework, 1461, epsilon) for epsilon in EPSILONS]
        rows += [
            [f"p = {stay}: {title}", *(_scale(plan, title) for plan in plans)]
            for title in ("MQM approximate", "MQM exact", "propagation")
        ]
    return table(HEADER, rows)


def box_table() -> str:
    """Max-influence from both sides at some distances, exact and bounded, and the scales."""
    chains = {f"binary, p = {stay}": binary(stay) for stay in ("0.6", "0.8", "0.9")}
    chains["Seattle"] = MarkovChain.fit(datasets.seattle().words(), pseudocount="0.5")
    chains["income"] = MarkovChain.fit(datasets.income().words(), pseudocount=1)
    rows = []
    for name, chain in chains.items():
        box = ChainBox(chain.exact_transition, chain.exact_transition, chain.alphabet)
        for title, framework in (
            ("exact", MarkovFramework(chain, initial="any")),
            ("box", MarkovFramework(box)),
        ):
            influences = [
                framework.max_influence(1001, 500, [500 - distance, 500 + distance])
                for distance in DISTANCES
            ]
            scale = framework.quilt_scale(1001, epsilon=1)
            best = framework.scale(1001, epsilon=1)
            rows.append(
                [
                    f"{name}: {title}",
                    *map(_influence, influences),
                    figure(float(scale)),
                    figure(float(best)),
                ]
            )
    header = (
        "chain",
        *(f"influence at {distance}" for distance in DISTANCES),
        "MQM scale, epsilon 1",
        "best scale, epsilon 1",
    )
    return table(header, rows)


def _influence(value: float) -> str:
    return figure(value) if value >= 1e-3 else f"{value:.1e}"


TABLES: dict[str, Callable[[], str]] = {
    "seattle": lambda: scales(*seattle()),
    "income": lambda: scales(*income()),
    "binary": binary_table,
    "box": box_table,
}


def put(page: str, name: str, content: str) -> str:
    """The page with that table between its marks. Errors: ValueError without the marks."""
    mark, end = f"<!-- table: {name} -->\n", "<!-- end -->"
    before, found, rest = page.partition(mark)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"the page has no place for the table {name}")
    return f"{before}{mark}\n{content}\n{end}{after}"


def main(arguments: Sequence[str]) -> int:
    """Compute, print, and write the tables if that was asked."""
    parser = argparse.ArgumentParser(description="Noise scales of queries about series.")
    parser.add_argument("--write", action="store_true", help="write into docs/series.md")
    options = parser.parse_args(arguments)
    page = PAGE.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        content = make()
        print(f"{name}\n\n{content}", flush=True)
        page = put(page, name, content)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
        print(f"wrote {PAGE.relative_to(PAGE.parent.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
