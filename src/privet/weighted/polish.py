"""A better word next to a good one: every symbol tried in every place.

Contract. Exact: the ratio of the result is never below that of the given word. Late symbols of a
long word change its ratio by less than floats can see, and a search that stops at the first better
word would correct one of them a round; one sweep corrects them all.
"""

from privet.weighted.limits import Clock
from privet.weighted.problem import RatioProblem, Vector, Word, dot
from privet.weighted.vectors import primitive

_SWEEPS = 4
_MOST_BITS = 1 << 30
"""Binary digits of all suffix vectors of a word."""


def polished(problem: RatioProblem, word: Word, clock: Clock) -> Word:
    """A word of the same length, of no smaller ratio, that no other symbol in one place betters.

    (The last property is not promised: the sweeps are few, and end with the time.) Errors:
    UndecidedError when the time is over before the word itself was evaluated.
    """
    if clock.left <= 0 or not problem.weights(word, clock)[0]:
        return word
    for _ in range(_SWEEPS):
        better = _sweep(problem, word, clock)
        if better == word:
            break
        word = better
    return word


def _sweep(problem: RatioProblem, word: Word, clock: Clock) -> Word:
    states, behind = _suffixes(problem, word)
    if len(behind) <= len(word):
        return word
    state, first, second = problem.initial, problem.first, problem.second
    best = dot(first, behind[0]), dot(second, behind[0])
    changed: list[int] = []
    for position, old in enumerate(word):
        if clock.left <= 0:
            break
        chosen = old
        for symbol, then in enumerate(problem.moves[state]):
            matrix = problem.steps[state][symbol]
            if matrix is None or then != states[position + 1] or symbol == old:
                continue
            column = [dot(row, behind[position + 1]) for row in matrix]
            over, under = dot(first, column), dot(second, column)
            if over * best[1] > best[0] * under:
                best, chosen = (over, under), symbol
        changed.append(chosen)
        # Both by the same divisor: a quotient of the two is what counts.
        both = problem.step(state, first, chosen) + problem.step(state, second, chosen)
        state = problem.moves[state][chosen]
        size = len(problem.finals[state])
        both = primitive(both)
        first, second = both[:size], both[size:]
        best = dot(first, behind[position + 1]), dot(second, behind[position + 1])
    return (*changed, *word[len(changed) :])


def _suffixes(problem: RatioProblem, word: Word) -> tuple[list[int], list[Vector]]:
    """The control states along a word, and the primitive suffix vector behind each place.

    Fewer vectors than places where all of them would fill the memory.
    """
    states = [problem.initial]
    for symbol in word:
        states.append(problem.moves[states[-1]][symbol])
    behind, room = [problem.finals[states[-1]]], _MOST_BITS
    for state, symbol in zip(reversed(states[:-1]), reversed(word), strict=True):
        matrix = problem.steps[state][symbol]
        vector = [] if matrix is None else [dot(row, behind[-1]) for row in matrix]
        behind.append(primitive(vector))
        room -= sum(map(int.bit_length, behind[-1]))
        if room < 0:
            return states, []
    return states, behind[::-1]
