"""Measurements of adding up very many releases: part of `cases.py`.

Contract. Releases are made of fixed streams, so every run adds up the same ones. "Quilts" and
"propagation" are the two bounds for the same sum; the accountant takes the smaller.
"""

import random
from functools import partial

from measure import cpu_seconds, emit

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


def on_a_chain(shape: str, count: str) -> None:
    """Adding, then each bound for the sum: CPU seconds, and the two epsilons."""
    framework = MarkovFramework(CHAIN, initial="stationary")
    losses = releases(shape, int(count))
    account = Accountant(framework)

    def add() -> RecordLoss:
        for loss in losses:
            account.add(loss)
        total = account.record_loss()
        assert isinstance(total, RecordLoss)
        return total

    adding, total = cpu_seconds(add, 1)
    figures = {"rows": int(count), "adding": adding, "pieces": len(total.units)}
    for method in ("quilt", "propagation"):
        seconds, bound = cpu_seconds(partial(framework.bound, total, method=method), 1)
        figures |= {method: seconds, f"{method}_epsilon": float(bound.epsilon)}
    emit(**figures)


def one_budget(count: str) -> None:
    """Every spend checked against a budget, and the total read after it."""
    spends = int(count)
    account = Accountant(IndependentRecords(), budget=1)
    loss = RecordLoss.constant(1, f"1/{2 * spends}")

    def spend() -> None:
        for _ in range(spends):
            account.add(loss)
            account.epsilon()

    emit(rows=spends, seconds=cpu_seconds(spend, 1)[0])


ACCOUNTING_CASES = {"account-on-a-chain": on_a_chain, "account-of-one-budget": one_budget}
