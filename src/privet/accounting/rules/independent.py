"""Sequential and parallel composition of differentially private releases.

Contract. Both are about independent records, or rather about records of which one may change
whatever the others are ([dwork-roth-2014], Theorem 3.14, and [mcsherry-2009], Theorem 4). On a
chain both fail: what a release tells of one step also tells of the others.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from privet.accounting.rules.conditions import Part, failed, need_independent, read_epsilons
from privet.exact import read_count
from privet.exact.number import Number
from privet.privacy import Framework


def sequential_composition(framework: Framework, epsilons: Sequence[Number]) -> Fraction:
    """The sum of the epsilons. Condition: records are independent."""
    need_independent("Sequential composition", framework)
    return sum(read_epsilons(epsilons), Fraction(0))


def parallel_composition(framework: Framework, releases: Sequence[tuple[Number, Part]]) -> Fraction:
    """The largest of the epsilons of releases (epsilon, (start, stop)) about those records.

    Conditions: records are independent; no record is part of two releases; and the protected unit
    is one record, for two records may lie in two parts.
    """
    name = "Parallel composition"
    if need_independent(name, framework).unit != 1:
        raise failed(
            name,
            "the protected unit is more than one record, which may lie in several parts",
            "Use sequential_composition, or an Accountant.",
        )
    epsilons = read_epsilons([epsilon for epsilon, _ in releases])
    parts = sorted(
        (read_count(start, "start", 0), read_count(stop, "stop", 0))
        for _, (start, stop) in releases
    )
    if any(start >= stop for start, stop in parts):
        raise failed(name, "a part has no records", "A part is (start, stop) with start < stop.")
    if any(before[1] > after[0] for before, after in pairwise(parts)):
        raise failed(
            name,
            "a record is part of two releases",
            "Use sequential_composition, or an Accountant.",
        )
    return max(epsilons)
