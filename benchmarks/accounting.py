"""What it takes to add up very many releases: on a Markov chain, and under independent records.

    python benchmarks/accounting.py [--most RELEASES] [--peers PYTHON]     prints markdown

Contract. Releases are made of fixed streams, so every run adds up the same ones. Times are CPU
seconds of the process, all threads added up. "Quilts" and "propagation" are the two bounds for the
same sum; the accountant takes the smaller. The peers run in their own interpreter.
"""

import argparse
import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from report import table

from privet import Accountant, IndependentRecords, MarkovChain, MarkovFramework, RecordLoss

NODES = 1_000_000
CHAIN = MarkovChain(
    ["0.25", "0.25", "0.25", "0.25"],
    [
        ["0.7", "0.1", "0.1", "0.1"],
        ["0.1", "0.6", "0.2", "0.1"],
        ["0.05", "0.15", "0.7", "0.1"],
        ["0.2", "0.1", "0.1", "0.6"],
    ],
)
SPENDS = (500, 1_000, 2_000)
SHAPES = ("everywhere", "anywhere", "short")


def releases(shape: str, count: int) -> list[RecordLoss]:
    """All nodes each; or from one random node to another; or up to 50 nodes each."""
    draw, losses = random.Random(1948), []
    for _ in range(count):
        value = draw.choice((1, 2, 3, 5)) * 2.0**-20
        if shape == "everywhere":
            start, stop = 0, NODES
        elif shape == "anywhere":
            start, stop = sorted(draw.sample(range(NODES + 1), 2))
        else:
            start = draw.randrange(NODES - 50)
            stop = start + draw.randint(1, 50)
        losses.append(RecordLoss.segment(NODES, start, stop, value))
    return losses


def timed(call: Callable[[], object]) -> tuple[float, object]:
    """(CPU seconds, what came back)."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def on_a_chain(shape: str, count: int) -> list[str]:
    """Adding, then each bound for the sum."""
    framework = MarkovFramework(CHAIN, initial="stationary")
    losses = releases(shape, count)
    account = Accountant(framework)

    def add() -> RecordLoss:
        for loss in losses:
            account.add(loss)
        return account.record_loss()

    adding, total = timed(add)
    assert isinstance(total, RecordLoss)
    quilts, by_quilts = timed(lambda: framework.bound(total, method="quilt").epsilon)
    walking, by_walking = timed(lambda: framework.bound(total, method="propagation").epsilon)
    return [
        shape,
        f"{count:,}",
        f"{len(total.units):,}",
        f"{adding:.2f}",
        f"{quilts:.2f}",
        f"{walking:.2f}",
        f"{float(by_quilts):.4g}",  # type: ignore[arg-type]  # a Fraction
        f"{float(by_walking):.4g}",  # type: ignore[arg-type]  # a Fraction
    ]


def on_its_own(count: int) -> float:
    """Every spend checked against a budget, and the total read after it."""
    account = Accountant(IndependentRecords(), budget=1)
    loss = RecordLoss.constant(1, f"1/{2 * count}")

    def spend() -> None:
        for _ in range(count):
            account.add(loss)
            account.epsilon()

    return timed(spend)[0]


def peers(python: str) -> dict[str, list[str]]:
    """Seconds of the other libraries' accountants for the same, or why there are none."""
    script = Path(__file__).with_name("peer_accountants.py")
    found = {}
    for name in ("opendp", "diffprivlib"):
        cells = []
        for count in SPENDS:
            command = [python, str(script), name, str(count)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = done.stderr.strip().splitlines()
            failed = lines[-1][:60] if lines else "failed"
            cells.append(failed if done.returncode else f"{json.loads(done.stdout)['seconds']:.3f}")
        found[name] = cells
    return found


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=100_000)
    parser.add_argument("--peers", help="the interpreter that has the peers")
    asked = parser.parse_args()
    print(f"## {NODES:,} nodes, 4 states: CPU seconds\n")
    counts = [count for count in (1_000, 10_000, 100_000) if count <= asked.most]
    rows = [on_a_chain(shape, count) for shape in SHAPES for count in counts]
    header = ["nodes read", "releases", "pieces", "adding", "quilts", "propagation"]
    print(table([*header, "epsilon by quilts", "by propagation"], rows))
    print("\n## Spends of one budget, each checked, total read after each: CPU seconds\n")
    spends = {"privet": [f"{on_its_own(count):.3f}" for count in SPENDS]}
    if asked.peers:
        spends |= peers(asked.peers)
    print(
        table(
            ["library", *(f"{count:,}" for count in SPENDS)],
            [[name, *cells] for name, cells in spends.items()],
        )
    )


if __name__ == "__main__":
    main()
