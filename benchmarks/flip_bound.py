"""What a bound of permute-and-flip's epsilon would allow, beside the certified exponential rate.

    make tables                  print the table
    make tables ARGS=--write     the same, and write it into docs/calibration-table.md

Contract. For walks of 30 symbols through 3 x 3 rooms and one protected symbol: the largest rate, to
a hundredth of epsilon, at which `mechanisms.word_permute_and_flip.bound` proves that they spend at
most epsilon, and the wrong symbols at that rate by the law, averaged over the words of
calibration_table.py. What draws in doubles cost is left out. It answers whether such rates should
be offered.
"""

import argparse
import sys
from collections.abc import Sequence
from fractions import Fraction

from calibration_table import EPSILONS, PAGE, World, by_law, grid, show
from report import table

import privet
from privet.exact import log_down
from privet.mechanisms.on_language import ratio_above
from privet.mechanisms.word_permute_and_flip.bound import (
    largest_factor,
    least_total,
    spent_at_most,
)
from privet.randomness import using_source
from privet.testing import ReplaySource
from privet.weighted.limits import Lengths
from privet.weighted.words import SpentBracket, WordAutomaton, spent_bracket

BLOCK = 4
_BITS = 16
_SECONDS = 20.0
_NODES = 30_000
_HALVINGS = 6


def spending(language: privet.Language, length: int, q: Fraction) -> tuple[Fraction, Fraction]:
    """What words of that length spend at most at q: the exponential mechanism, permute-and-flip."""
    moves = language.automaton.transitions
    initial, accepting = int(language.automaton.initial), language.automaton.accepting
    automaton = WordAutomaton(
        tuple(map(tuple, moves.tolist())), initial, tuple(map(bool, accepting))
    )
    others = int((moves >= 0).sum(axis=1).max()) - 1
    brackets: list[SpentBracket] = []
    ratios: list[Fraction] = []
    # Until the powers that were not looked at do not matter.
    while not ratios or largest_factor(q, ratios, length, others) > max(ratios):
        power = q ** (len(ratios) + 1)
        brackets.append(
            spent_bracket(
                automaton,
                power,
                lengths=Lengths(0, length),
                time_limit=_SECONDS,
                node_limit=_NODES,
            )
        )
        ratios.append(max(Fraction(1), brackets[-1].factor * power))
    least = least_total(language.automaton, q, length, BLOCK)
    return brackets[0].high, spent_at_most(q, 1, max(ratios), least)


def largest_rate(language: privet.Language, length: int, epsilon: int) -> Fraction:
    """The largest rate found by halving: at least the published one, which needs no bound."""
    low, high = Fraction(epsilon, 2), Fraction(epsilon)
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        q = ratio_above(rate, _BITS)
        if spending(language, length, q)[1] <= epsilon:
            low = log_down(1 / q)
        else:
            high = rate
    return low


def section(world: World, epsilons: Sequence[int] = EPSILONS) -> str:
    """A table: the rate that the bound allows, and the wrong symbols at it by the law."""
    assert world.words is not None
    gains, errors = ["rate, times the published one"], ["wrong symbols at it"]
    for epsilon in epsilons:
        rate = largest_rate(world.language, world.length, epsilon)
        gains.append(f"{float(2 * rate / epsilon):.3f}")
        # The published rate of an epsilon that is twice the rate.
        flip = privet.WordPermuteAndFlip(world.language, epsilon=2 * rate)
        errors.append(by_law(world, flip).cell())
    header = ("permute-and-flip, bounded", *(f"epsilon {epsilon}" for epsilon in epsilons))
    return table(header, [gains, errors]).rstrip()


def main(arguments: Sequence[str]) -> int:
    """Compute, print, and write the table if that was asked."""
    parser = argparse.ArgumentParser(description="What a bound of permute-and-flip would allow.")
    parser.add_argument("--write", action="store_true", help=f"write into docs/{PAGE.name}")
    options = parser.parse_args(arguments)
    with using_source(ReplaySource(2026)):
        content = section(grid(3))
    show("flip", "Permute-and-flip at a bounded rate", content, options.write)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
