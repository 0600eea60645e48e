"""The exponential mechanism with e^x from its series, in rationals. For the tests alone."""

from fractions import Fraction

from privet.mechanisms.exponential.mechanism import Exponential


def law(mechanism: Exponential, number: int, digits: int) -> list[tuple[Fraction, Fraction]]:
    """(lower, upper) of P(output j | input `number`) for every j, about 10^-digits apart."""
    assert mechanism.table is not None
    scores = mechanism.table.rows[number]
    weights = [
        exponential(mechanism.rate * (score - max(scores)), digits + len(scores))
        for score in scores
    ]
    lowest = sum((low for low, _ in weights), Fraction(0))
    highest = sum((high for _, high in weights), Fraction(0))
    return [(low / highest, high / lowest) for low, high in weights]


def exponential(x: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^x for x <= 0, at most 10^-digits apart.

    1 / e^y for y = -x, by the series of e^y, all of whose terms are positive: beyond a term with
    index at least 2y the rest is at most that term. On the way e^y is at least 1, so an error of it
    is no larger in 1 / e^y.
    """
    y, error = -x, Fraction(1, 10**digits)
    term, total, index = Fraction(1), Fraction(1), 0
    while index < 2 * y or term > error:
        index += 1
        term = term * y / index
        total += term
    return 1 / (total + term), 1 / total
