"""Accountants of other libraries: spends of one budget, each checked, the total read after each.

    PEERS' PYTHON benchmarks/peer_accountants.py opendp|diffprivlib SPENDS     prints JSON

Contract. What is measured is CPU time of adding the spends one after the other, as a program does
that makes one release at a time; construction and imports do not count. opendp: the composed map of
a sequence of pure measurements that grows by one at a time, its privacy loss read after each.
diffprivlib: BudgetAccountant.spend and .total.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from measure import cpu_seconds, emit


def opendp(count: int) -> Callable[[], Any]:
    """A composition of k measurements for k = 1..count, and its map."""
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    one = space >> dp.m.then_laplace(scale=2.0 * count)

    def spend() -> Any:
        spent, total = [], 0.0
        for _ in range(count):
            spent.append(one)
            total = dp.c.make_composition(spent).map(1)
        return total

    return spend


def diffprivlib(count: int) -> Callable[[], Any]:
    """One BudgetAccountant."""
    module = importlib.import_module("diffprivlib.accountant")
    account = module.BudgetAccountant(epsilon=1.0, delta=0.0)

    def spend() -> Any:
        total = None
        for _ in range(count):
            account.spend(1 / (2 * count), 0)
            total = account.total()
        return total

    return spend


def main() -> int:
    """Seconds and the total, as JSON."""
    name, count = sys.argv[1], int(sys.argv[2])
    seconds, total = cpu_seconds({"opendp": opendp, "diffprivlib": diffprivlib}[name](count), 1)
    emit(seconds=seconds, total=str(total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
