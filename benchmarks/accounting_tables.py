"""The tables of docs/accounting.md: what several releases cost together, by each theorem.

    make tables                  print the tables
    make tables ARGS=--write     the same, and write them into docs/accounting.md

Contract. Nothing is drawn: every figure follows from public chains and from scales of noise, so the
page is the same at every run. Epsilons have three digits, rounded to the nearest.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from report import figure, table
from series import binary, income, put, seattle

from privet.accounting import Accountant, Lost
from privet.accounting.older import older_charges
from privet.mechanisms import RandomizedResponse
from privet.privacy import IndependentRecords, MarkovFramework, RecordLoss
from privet.symbols import Alphabet

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accounting.md"
TIMES = 10


def series_at_hand() -> dict[str, tuple[MarkovFramework, int]]:
    """{name: (framework, steps)}."""
    steady = {
        f"binary, p = {stay}": (MarkovFramework(binary(stay), initial="stationary"), 1461)
        for stay in ("0.6", "0.8", "0.9")
    }
    return {"Seattle": seattle(), "income": income(), **steady}


def ten_releases() -> str:
    """Ten releases of the Markov Quilt Mechanism on the same series, at each epsilon."""
    rows = []
    for name, (framework, length) in series_at_hand().items():
        for epsilon in ("1", "5"):
            scale = framework.quilt_scale(length, epsilon=epsilon)
            loss = RecordLoss.constant(length, 1 / scale)
            accountant = Accountant(framework).add(loss, times=TIMES)
            rows.append(
                [
                    name,
                    epsilon,
                    figure(TIMES * float(epsilon)),
                    figure(float(framework.epsilon(loss * TIMES, method="quilt"))),
                    figure(float(accountant.epsilon())),
                    figure(float(framework.epsilon(loss))),
                ]
            )
    header = ("series", "epsilon of each", "II.6 and III.7", "joint quilts", "accountant", "one")
    return table(header, rows)


def two_parts() -> str:
    """Two approximate runs, on the first and the last 600 of 1461 nodes, at epsilon 1."""
    rows = []
    for name, (framework, length) in series_at_hand().items():
        if length < 1461:
            continue
        part = 600
        scale = framework.quilt_scale(part, epsilon=1, method="approximate")
        losses = [
            RecordLoss.segment(length, 0, part, 1 / scale),
            RecordLoss.segment(length, length - part, length, 1 / scale),
        ]
        older = {
            each.theorem: each
            for each in older_charges(
                framework, [(f"part {number}", loss, 1) for number, loss in enumerate(losses)]
            )
        }
        accountant = Accountant(framework).add(losses[0]).add(losses[1])
        charges = [older[theorem].epsilon for theorem in ("III.7", "III.1", "III.3")]
        charges.append(accountant.epsilon())
        rows.append([name, *("-" if each is None else figure(float(each)) for each in charges)])
    return table(("series", "III.7", "III.1", "III.3", "accountant"), rows)


def repeats() -> str:
    """Equal releases about independent records, at some deltas."""
    rows = []
    for loss, times in (("0.1", 10), ("0.1", 100), ("0.01", 1000), ("1", 20)):
        accountant = Accountant(IndependentRecords())
        accountant.add(RecordLoss.constant(1, loss), times=times)
        cells = [
            figure(float(accountant.epsilon(delta))) for delta in ("0", "1e-9", "1e-6", "1e-3")
        ]
        rows.append([loss, f"{times:,}", *cells])
    return table(("epsilon of each", "times", "delta 0", "1e-9", "1e-6", "1e-3"), rows)


def responses() -> str:
    """Randomised response at a delta: by what it loses, and by its law."""
    rows = []
    for size, times in ((2, 10), (4, 10), (16, 10), (16, 100), (256, 100)):
        mechanism = RandomizedResponse(Alphabet(list(range(size))), epsilon="0.5")
        loss = mechanism.record_loss(1)
        known = () if mechanism.response is None else (mechanism.response,)
        by_law = Accountant(IndependentRecords()).add(Lost(loss, known), times=times)
        by_loss = Accountant(IndependentRecords()).add(loss, times=times)
        cells = [
            figure(float(accountant.epsilon(delta)))
            for delta in ("1e-6", "1e-3")
            for accountant in (by_loss, by_law)
        ]
        rows.append([str(size), f"{times:,}", figure(float(by_law.epsilon())), *cells])
    heads = ("categories", "times", "delta 0", "1e-6, by loss", "by law", "1e-3, by loss", "by law")
    return table(heads, rows)


TABLES: dict[str, Callable[[], str]] = {
    "ten": ten_releases,
    "parts": two_parts,
    "repeats": repeats,
    "responses": responses,
}


def main(arguments: Sequence[str]) -> int:
    """Compute, print, and write the tables if that was asked."""
    parser = argparse.ArgumentParser(description="What several releases cost together.")
    parser.add_argument("--write", action="store_true", help="write into docs/accounting.md")
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
