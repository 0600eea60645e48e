"""Confidence intervals of transition probabilities, from words in which visits are random.

Contract. Of the n steps out of state s, N go to t. How often a word visits s depends on the word
itself, so the interval must hold at every n at once. Take the steps out of s in the order in which
they happen: if P(s, t) = p, each goes to t with probability p whatever came before, so

    M = integral over u of u^N (1-u)^(n-N) / (p^N (1-p)^(n-N)) = B(N+1, n-N+1) / (p^N (1-p)^(n-N))

is a nonnegative martingale that starts at 1, and by Ville's inequality it ever reaches 1 / alpha
with probability at most alpha [ville-1939]. The interval is the set of p for which it has not:
p^N (1-p)^(n-N) > alpha B(N+1, n-N+1). With alpha shared out over the k^2 entries, all hold together
with the stated confidence.
"""

from fractions import Fraction

from privet.chains.fitting import check_words, count_steps
from privet.symbols import Words

_BITS = 40
"""Ends of intervals are multiples of 2^-40, or of a finer unit for very rare steps."""

Rows = list[list[Fraction]]


def confidence_bounds(words: Words, confidence: Fraction) -> tuple[Rows, Rows]:
    """(k, k) lower and upper bounds that all hold with probability at least `confidence`."""
    check_words(words, protected=False)
    steps = count_steps(words)[1:].tolist()
    alpha = (1 - confidence) / len(steps) ** 2
    intervals = [[interval(entry, sum(row), alpha) for entry in row] for row in steps]
    return (
        [[low for low, _ in row] for row in intervals],
        [[high for _, high in row] for row in intervals],
    )


def interval(hits: int, trials: int, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Ends just outside {p : p^hits (1-p)^(trials-hits) > alpha B(hits+1, trials-hits+1)}."""
    if trials == 0:
        return Fraction(0), Fraction(1)
    high = 1 - _lower(trials - hits, trials, alpha)
    return _lower(hits, trials, alpha), high


def _lower(hits: int, trials: int, alpha: Fraction) -> Fraction:
    """The lower end, by bisection between points known to be outside and the mode.

    The left side of the condition rises up to p = hits / trials.
    """
    if hits == 0:
        return Fraction(0)
    mode = Fraction(hits, trials)
    outside, bits = Fraction(0), _BITS + trials.bit_length()
    inside = Fraction(-((-hits << bits) // trials), 1 << bits)
    while inside - outside > Fraction(1, 1 << bits):
        middle = (outside + inside) / 2
        if middle < mode and _is_outside(middle, hits, trials, alpha):
            outside = middle
        else:
            inside = middle
    return outside


def _is_outside(p: Fraction, hits: int, trials: int, alpha: Fraction) -> bool:
    """Whether p^hits (1-p)^(trials-hits) is certainly below alpha B(hits+1, trials-hits+1)."""
    from flint import arb, ctx, fmpq

    with ctx.workprec(160):
        ball, level = (arb(fmpq(x.numerator, x.denominator)) for x in (p, alpha))
        likelihood = ball.log() * hits + (1 - ball).log() * (trials - hits)
        misses = trials - hits
        mixture = arb(hits + 1).lgamma() + arb(misses + 1).lgamma() - arb(trials + 2).lgamma()
        return bool(likelihood < level.log() + mixture)
