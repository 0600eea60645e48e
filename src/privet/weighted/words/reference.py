"""The definition, executed: every pair of words of a length, in rational arithmetic.

Contract. Exact and slow: as many steps as there are pairs of words. The search is tested against
it; nothing else uses it.
"""

from collections.abc import Iterator
from fractions import Fraction

from privet.symbols import hamming_distance
from privet.weighted.words.problem import Word, WordProblem


def words(problem: WordProblem, length: int) -> Iterator[Word]:
    """Every word of the language with `length` symbols, in lexicographic order."""

    def go_on(prefix: Word, state: int) -> Iterator[Word]:
        if len(prefix) == length:
            if problem.automaton.accepting[state]:
                yield prefix
            return
        for symbol, then in enumerate(problem.automaton.moves[state]):
            if then >= 0:
                yield from go_on((*prefix, symbol), then)

    return go_on((), problem.automaton.initial)


def largest_ratios(
    problem: WordProblem, length: int, adjacency: int
) -> dict[int, tuple[Fraction, Word, Word]]:
    """For d = 1..adjacency: the largest Z(v)/Z(w) over pairs with d differences, and (w, v).

    A d for which there is no pair is left out.
    """
    weights = {word: problem.weight(word) for word in words(problem, length)}
    best: dict[int, tuple[Fraction, Word, Word]] = {}
    for w, under in weights.items():
        for v, over in weights.items():
            apart = hamming_distance(w, v)
            if 1 <= apart <= adjacency and (
                apart not in best
                or over * best[apart][0].denominator > best[apart][0].numerator * under
            ):
                best[apart] = Fraction(over, under), w, v
    return best
