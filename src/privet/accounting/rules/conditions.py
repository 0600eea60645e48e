"""What the conditions of several theorems have in common, and how a failed one is refused."""

from collections.abc import Sequence
from fractions import Fraction

from privet.errors import ParameterError
from privet.exact import read_count
from privet.exact.number import Number, exact_number
from privet.privacy import Framework, IndependentRecords, MarkovFramework

Part = tuple[int, int]
"""(start, stop) of a part of a series, from 0, stop left out."""


def failed(theorem: str, condition: str, hint: str) -> ParameterError:
    """The error that names the condition of a theorem that does not hold."""
    return ParameterError(f"{theorem} does not apply: {condition}.", hint=hint, condition=condition)


def read_epsilons(epsilons: Sequence[Number]) -> list[Fraction]:
    """One or more nonnegative numbers. Errors: ParameterError."""
    numbers = [exact_number(each, "epsilon") for each in epsilons]
    if not numbers or min(numbers) < 0:
        raise ParameterError(
            "A rule needs one epsilon or more, none of them negative.", parameter="epsilons"
        )
    return numbers


def need_independent(theorem: str, framework: Framework) -> IndependentRecords:
    """Refuse a framework in which records depend on each other."""
    if isinstance(framework, IndependentRecords):
        return framework
    raise failed(
        theorem,
        "the records are not independent",
        "Use an Accountant, which adds record losses under a MarkovFramework.",
    )


def need_markov(theorem: str, framework: Framework) -> MarkovFramework:
    """Refuse a framework without Markov chains."""
    if isinstance(framework, MarkovFramework):
        return framework
    raise failed(
        theorem,
        "the records are independent, and the theorem is about Markov chains",
        "Use sequential_composition or parallel_composition.",
    )


def read_parts(theorem: str, first: Part, second: Part) -> tuple[Part, Part]:
    """Two parts, the first before the second. Errors: ParameterError naming what fails."""
    parts = [
        (read_count(start, "start", 0), read_count(stop, "stop", 0))
        for start, stop in (first, second)
    ]
    (a, b), (c, d) = parts
    if a >= b or c >= d:
        raise failed(theorem, "a part has no nodes", "A part is (start, stop) with start < stop.")
    if c < b:
        raise failed(
            theorem,
            "the first part does not end before the second begins",
            "Give the parts in order; where they overlap, use an Accountant.",
        )
    return (a, b), (c, d)
