"""The part of `privet demo` on a series whose steps depend on each other: Seattle's weather.

Contract. As in `privet.cli.demo`: public data, so the truth may stand beside the release. The chain
is fitted to the same public days, which nobody may do with protected ones; the report says so.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.datasets import Dataset
    from privet.releasing import QueryPlan, Release

_EPSILON = 1
_PSEUDOCOUNT = "0.5"


@dataclass(frozen=True)
class SeriesRun:
    """What the plan said of the histogram of the weather, and what came out."""

    source: str
    plan: "QueryPlan"
    released: "Release"
    truth: tuple[int, ...]


def release_weather(seattle: "Dataset") -> SeriesRun:
    """Plan and release how many days had each weather."""
    from privet.chains import MarkovChain
    from privet.privacy import MarkovFramework
    from privet.queries import histogram
    from privet.releasing import plan_query, release

    words = seattle.words()
    chain = MarkovChain.fit(words, pseudocount=_PSEUDOCOUNT)
    framework = MarkovFramework(chain, initial="stationary")
    days = int(words.codes.size)
    plan = plan_query(framework, "histogram", epsilon=_EPSILON, length=days)
    mechanism = plan.recommended.mechanism
    if mechanism is None:  # The recommended mechanism always runs.
        raise AssertionError
    done = release(mechanism, words, query="histogram", demo=True)
    truth = histogram().raw(words.alphabet, words.codes, words.offsets)
    return SeriesRun(seattle.source, plan, done, tuple(truth))


def print_weather(run: SeriesRun) -> None:
    """The scales of all mechanisms, and the histogram beside the truth."""
    from privet.cli.output import plain, print_table, print_text

    plan = run.plan
    print_text(
        f"4. A series whose steps depend on each other: Seattle's weather on {plan.length:,} days",
        style="bold",
    )
    print_text(
        "Tomorrow tells of today, so each day is protected against whoever knows the chain (here "
        f"fitted to these same public days), epsilon = {_EPSILON}. Noise on each number:"
    )
    able = [row for row in plan.rows if row.scale is not None]
    rows = [
        [row.title, plain(float(row.scale or 0), 3), plain(row.expected_error or 0, 3)]
        for row in able
    ]
    print_table(
        "", ["mechanism", "scale", "expected error"], rows, marked=[able.index(plan.recommended)]
    )
    off = run.released.realised_errors or ()
    days = ", ".join(
        f"{row['state']} {row['value']} (in the data {true})"
        for row, true in zip(run.released.rows, run.truth, strict=True)
    )
    mean = sum(off) / len(off)
    print_text(
        f"Released days: {days}. Off by {plain(mean, 3)} on average, "
        f"{plain(plan.recommended.expected_error or 0, 3)} predicted."
    )


def weather_as_json(run: SeriesRun) -> dict[str, Any]:
    """The same numbers."""
    return {
        "source": run.source,
        "plan": run.plan.to_json(),
        "receipt": run.released.receipt.to_json(),
        "answer": [
            {**row, "in_the_data": true}
            for row, true in zip(run.released.rows, run.truth, strict=True)
        ],
    }
