"""`privet demo`: the main job on public data, with the truth beside the release.

Contract. The data sets are public and come with the package, so the realised error and the true
shares may be shown next to what was predicted and estimated. No command shows them for other data.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from privet.datasets import Dataset
    from privet.estimate.joint import JointEstimate
    from privet.releasing import Plan, PlanRow, Release

EXAMPLE = "privet demo"

_COLUMNS = ["vote", "party", "education"]
_CROSSED = ["party", "vote"]
_TABLE_EPSILON = 6
_WORDS_EPSILON = 6
_ADJACENCY = 2


@dataclass(frozen=True)
class _WordRun:
    """One mechanism on the income words: what the plan said, and what came out."""

    row: "PlanRow"
    predicted: float
    measured: int
    symbols: int


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Release public data, estimate from the release, and compare with the truth.

    A table of voters and the incomes of the US states are released. They are public data, so
    predicted and measured errors can be shown side by side.
    """
    from privet import datasets
    from privet.cli.output import Ticker, print_json

    voters, income = datasets.voters(), datasets.income()
    with Ticker() as tick:
        tick("releasing the voters", 0, 0)
        released = _release_voters(voters)
        joint = _cross_table(released)
        truth = _true_shares(voters)
        tick("releasing the incomes", 0, 0)
        chosen, runs = _release_income(income)
    if as_json:
        print_json(_as_json(voters, released, joint, truth, income, runs))
        return
    _print_voters(voters, released)
    _print_cross_table(joint, truth)
    _print_income(income, chosen, runs)
    _print_next()


def _release_voters(voters: "Dataset") -> "Release":
    from privet.releasing import release, table_mechanisms

    alphabets = {name: voters.alphabets[name] for name in _COLUMNS}
    return release(table_mechanisms(alphabets, _TABLE_EPSILON), voters.table, demo=True)


def _cross_table(released: "Release") -> "JointEstimate":
    """The joint shares, from the released columns and the receipt alone."""
    from privet import estimate
    from privet.data import encode_column
    from privet.symbols import Codes

    pairs = []
    for name in _CROSSED:
        mechanism: Any = released.receipt.mechanism(name)
        codes = encode_column(released.data.column(name), mechanism.alphabet, name=name)
        pairs.append((Codes(codes), mechanism))
    return estimate.joint_frequencies(pairs, names=_CROSSED)


def _true_shares(voters: "Dataset") -> list[float]:
    """The shares in the data, cell by cell in the order of the alphabets."""
    import numpy as np

    from privet.data import encode_column

    sizes = [len(voters.alphabets[name]) for name in _CROSSED]
    codes = [
        encode_column(voters.table.column(name), voters.alphabets[name], name=name).astype(np.int64)
        for name in _CROSSED
    ]
    cells = np.ravel_multi_index(codes, sizes)
    counts = np.bincount(cells, minlength=int(np.prod(sizes)))
    return [float(share) for share in counts / counts.sum()]


def _release_income(income: "Dataset") -> tuple["Plan", list[_WordRun]]:
    from privet.releasing import plan, release

    roles = income.roles
    alphabet = income.alphabets[roles["state"]]
    length = int(income.words().lengths.max())
    chosen = plan(alphabet, epsilon=_WORDS_EPSILON, length=length, adjacency=_ADJACENCY)
    runs = []
    for row in chosen.rows:
        done = release(
            row.mechanism,
            income.table,
            id=roles["id"],
            time=roles["time"],
            state=roles["state"],
            adjacency=_ADJACENCY,
            demo=True,
        )
        measured = sum(done.realised_errors or ())
        part = done.receipt.parts[0]
        runs.append(_WordRun(row, done.receipt.expected_errors, measured, part.symbols))
    return chosen, runs


def _print_voters(voters: "Dataset", released: "Release") -> None:
    from privet.cli.output import count, percent, plain, print_blank, print_table, print_text

    receipt = released.receipt
    print_text("Privet: categories and sequences released with differential privacy", style="bold")
    print_text(
        "The data below are public, so the truth can stand beside the release. Of a real release "
        "nobody gets to see the columns 'measured' and 'in the data'."
    )
    print_blank()
    print_text(f"1. A table: {voters.description}", style="bold")
    print_text(receipt.sentence)
    measured = released.realised_errors or ()
    rows = [
        [
            str(part.column),
            str(len(part.mechanism["alphabet"])),
            f"{float(receipt.mechanism(part.column).epsilon):g}",
            f"{plain(part.expected_errors or 0)} ({percent(part.share_wrong or 0)})",
            count(wrong),
        ]
        for part, wrong in zip(receipt.parts, measured, strict=True)
    ]
    header = ["column", "categories", "epsilon", "wrong rows, predicted", "measured"]
    print_table("", header, rows)


def _print_cross_table(joint: "JointEstimate", truth: list[float]) -> None:
    from privet.cli.estimate import print_estimate
    from privet.cli.output import print_blank, print_text

    print_text("2. What the release still tells: shares estimated from it alone", style="bold")
    print_estimate("", joint, truth=truth, at_once=False)
    inside = sum(
        lower <= share <= upper
        for share, (lower, upper) in zip(truth, joint.intervals.reshape(-1, 2), strict=True)
    )
    print_text(f"{inside} of {len(truth)} intervals of 95 % hold the share in the data.")
    print_blank()


def _print_income(income: "Dataset", chosen: "Plan", runs: list[_WordRun]) -> None:
    from privet.cli.output import percent, plain, print_blank, print_table, print_text
    from privet.privacy.guarantee import decimal_up

    print_text(f"3. Sequences: {income.description}", style="bold")
    print_text(
        f"Every mechanism below promises the same: any {_ADJACENCY} years of one state, "
        f"epsilon = {_WORDS_EPSILON}."
    )
    rows = [
        [
            run.row.title,
            decimal_up(run.row.spent, 4),
            plain(run.predicted),
            str(run.measured),
            percent(run.measured / run.symbols),
        ]
        for run in runs
    ]
    best = chosen.rows.index(chosen.recommended)
    header = ["mechanism", "epsilon spent", "wrong, predicted", "measured", "share"]
    print_table("", header, rows, marked=[best])
    print_text(f"`privet plan` says so beforehand: {chosen.reason}")
    print_blank()


def _print_next() -> None:
    from privet.cli.output import print_text

    print_text("Next, with your own file:", style="bold")
    for line in (
        "privet plan --symbols low,middle,high --length 72 --epsilon 1,4 --adjacency 2",
        "privet release table FILE.csv --column NAME=a,b,c --epsilon 2 -o released.csv",
        "privet estimate released.csv",
    ):
        print_text(f"  {line}", style="green")


def _as_json(
    voters: "Dataset",
    released: "Release",
    joint: "JointEstimate",
    truth: list[float],
    income: "Dataset",
    runs: list[_WordRun],
) -> dict[str, Any]:
    return {
        "public_demo_data": True,
        "voters": {
            "source": voters.source,
            "receipt": released.receipt.to_json(),
            "measured_errors": list(released.realised_errors or ()),
            "cross_table": [
                {**cell, "in_the_data": share}
                for cell, share in zip(joint.rows(), truth, strict=True)
            ],
        },
        "income": {
            "source": income.source,
            "mechanisms": [
                {
                    **run.row.to_json(),
                    "predicted_errors": run.predicted,
                    "measured_errors": run.measured,
                    "symbols": run.symbols,
                }
                for run in runs
            ],
        },
    }
