"""`privet demo`: the main job on public data, with the truth beside the release.

Contract. The data sets are public and come with the package, so the realised error and the true
shares may be shown next to what was predicted and estimated. No command shows them for other data.
"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.cli.demo_series import print_weather, release_weather, weather_as_json
from privet.cli.demo_verify import infection_as_json, print_infection, verify_infection
from privet.cli.output import AsJson

if TYPE_CHECKING:
    from privet.datasets import Dataset
    from privet.estimate.joint import JointEstimate
    from privet.releasing import Plan, PlanRow, Release

EXAMPLE = "privet demo"

_CROSSED = ["party", "vote"]
_TABLE_EPSILON = 4
_WORDS_EPSILON = 5
_YEARS = 4
"""Words are the last so many years of a state, protected as a whole."""

_SHOWN = ("randomised response", "staircase", "permute-and-flip (exact rate)")


@dataclass(frozen=True)
class _WordRun:
    """One mechanism on the income words: what the plan said, and what came out."""

    row: "PlanRow"
    predicted: float
    measured: int
    symbols: int


def demo(
    as_json: AsJson = False,
) -> None:
    """Release public data, estimate from the release, and compare with the truth.

    A table of voters, the incomes of the US states and a statistic of Seattle's weather are
    released. They are public data, so predicted and measured errors can be shown side by side. A
    model of an infection is proved private, and a bolder claim about it refuted.
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
        tick("releasing the weather", 0, 0)
        weather = release_weather(datasets.seattle())
        tick("verifying the infection", 0, 0)
        infection = verify_infection()
    if as_json:
        content = _as_json(voters, released, joint, truth, income, runs)
        content |= {
            "seattle": weather_as_json(weather),
            "infection": infection_as_json(infection),
        }
        print_json(content)
        return
    _print_voters(voters, released)
    _print_cross_table(joint, truth)
    _print_income(chosen, runs)
    print_weather(weather)
    print_infection(infection)
    _print_next()


def _release_voters(voters: "Dataset") -> "Release":
    from privet.releasing import release, table_mechanisms

    alphabets = {name: voters.alphabets[name] for name in _CROSSED}
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
    from privet.symbols import Words

    alphabet = income.alphabets[income.roles["state"]]
    words = Words.from_lists(alphabet, [word[-_YEARS:] for word in income.words().to_lists()])
    chosen = plan(alphabet, epsilon=_WORDS_EPSILON, length=_YEARS, adjacency=_YEARS)
    runs = []
    for row in chosen.rows:
        done = release(row.mechanism, words, adjacency=_YEARS, demo=True)
        measured = int(sum(done.realised_errors or ()))
        part = done.receipt.parts[0]
        runs.append(_WordRun(row, done.receipt.expected_errors, measured, part.symbols))
    return chosen, runs


def _print_voters(voters: "Dataset", released: "Release") -> None:
    from privet.cli.output import count, percent, plain, print_table, print_text

    receipt = released.receipt
    print_text(
        "These data are public, so the truth may stand beside the release; of a real release "
        "nobody sees 'measured' and 'in the data'."
    )
    print_text(f"1. A table: {voters.description}", style="bold")
    print_text(receipt.sentence)
    measured = released.realised_errors or ()
    rows = [
        [
            str(part.column),
            str(part.categories),
            f"{float(part.epsilon):g}",
            f"{plain(part.expected_errors or 0)} ({percent(part.share_wrong or 0)})",
            count(int(wrong)),
        ]
        for part, wrong in zip(receipt.parts, measured, strict=True)
    ]
    header = ["column", "categories", "epsilon", "rows wrong, predicted", "measured"]
    print_table("", header, rows)


def _print_cross_table(joint: "JointEstimate", truth: list[float]) -> None:
    from privet.cli.estimate import print_estimate
    from privet.cli.output import print_text

    print_text("2. What the release still tells: shares estimated from it alone", style="bold")
    print_estimate("", joint, truth=truth, at_once=False)
    inside = sum(
        lower <= share <= upper
        for share, (lower, upper) in zip(truth, joint.intervals.reshape(-1, 2), strict=True)
    )
    print_text(
        f"{inside} of {len(truth)} intervals hold the share in the data; about 95 in 100 are "
        f"expected to. Epsilon is {_TABLE_EPSILON // len(_CROSSED)} a column because 944 rows are "
        "few: with 16 times the rows, 1 a column would estimate as well."
    )


def _print_income(chosen: "Plan", runs: list[_WordRun]) -> None:
    from privet.cli.output import percent, plain, print_table, print_text
    from privet.privacy.guarantee import decimal_up

    print_text(
        f"3. Sequences: the income quintile of 48 US states in the last {_YEARS} years",
        style="bold",
    )
    print_text(
        f"Each promises the same: all {_YEARS} years of a state, epsilon = {_WORDS_EPSILON}. The "
        "plan says beforehand which errs least:"
    )
    shown = [run for run in runs if run.row.title in _SHOWN]
    rows = [
        [
            run.row.title,
            decimal_up(run.row.spent, 4),
            plain(run.predicted),
            str(run.measured),
            percent(run.measured / run.symbols),
            "yes" if run.row.can_estimate else "no",
        ]
        for run in shown
    ]
    best = [run.row for run in shown].index(chosen.recommended)
    header = ["mechanism", "epsilon spent", "wrong, predicted", "measured", "share", "estimate"]
    print_table("", header, rows, marked=[best])


def _print_next() -> None:
    from privet.cli.output import print_text
    from privet.cli.places import program, shipped

    name, voters = program(), shipped("voters")
    print_text("Next, on a file that came with Privet, then on your own:", style="bold")
    for line in (
        f"{name} plan --alphabet-size 2 --epsilon 0.5,1,2 --rows 944",
        f"{name} release table {voters} -c vote=Clinton,Dole -e 1 -o released.csv",
        f"{name} estimate released.csv",
    ):
        sys.stdout.write(f"  {line}\n")


def _as_json(
    voters: "Dataset",
    released: "Release",
    joint: "JointEstimate",
    truth: list[float],
    income: "Dataset",
    runs: list[_WordRun],
) -> dict[str, Any]:
    from privet.cli.estimate import cells_as_json

    return {
        "public_demo_data": True,
        "voters": {
            "source": voters.source,
            "receipt": released.receipt.to_json(),
            "measured_errors_by_column": list(released.realised_errors or ()),
            "cross_table": [
                {**cell, "in_the_data": share}
                for cell, share in zip(cells_as_json(joint), truth, strict=True)
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
