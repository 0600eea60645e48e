"""Permutations of symbols and states that leave the automaton as it is.

Contract. Each is checked against the whole table before it is given out; the list need not hold
all of them, nor be a group. Boxes and roots that a permutation carries to others need no work of
their own, which is worth a factor of 8 on a square grid world.
"""

from dataclasses import dataclass

from privet.weighted.words.problem import WordAutomaton

MOST = 48
_MOST_TRIALS = 20_000


@dataclass(frozen=True)
class Symmetry:
    """`states[p]` and `symbols[x]` are where p and x go."""

    states: tuple[int, ...]
    symbols: tuple[int, ...]


def symmetries(automaton: WordAutomaton) -> list[Symmetry]:
    """Up to `MOST` symmetries other than the identity, found by backtracking over symbols."""
    search = _Search(automaton)
    search.extend({}, {automaton.initial: automaton.initial})
    return search.found


class _Search:
    def __init__(self, automaton: WordAutomaton) -> None:
        self.automaton = automaton
        self.found: list[Symmetry] = []
        self._trials = 0
        states = range(len(automaton.moves))
        columns = [[automaton.moves[p][x] for p in states] for x in range(automaton.symbols)]
        self._marks = [
            (sum(then >= 0 for then in col), sum(p == then for p, then in enumerate(col)))
            for col in columns
        ]

    def extend(self, symbols: dict[int, int], states: dict[int, int]) -> None:
        """Goes on from a partial map of symbols and the states that it forces."""
        self._trials += 1
        if len(self.found) >= MOST or self._trials > _MOST_TRIALS:
            return
        x = len(symbols)
        if x == self.automaton.symbols:
            self._keep(symbols, states)
            return
        taken = set(symbols.values())
        for y in range(self.automaton.symbols):
            if y not in taken and self._marks[x] == self._marks[y]:
                mapped = {**symbols, x: y}
                forced = self._forced(mapped, dict(states))
                if forced is not None:
                    self.extend(mapped, forced)

    def _forced(self, symbols: dict[int, int], states: dict[int, int]) -> dict[int, int] | None:
        """The map of states that follows, or None where it contradicts itself."""
        left = list(states)
        moves = self.automaton.moves
        while left:
            p = left.pop()
            for x, y in symbols.items():
                a, b = moves[p][x], moves[states[p]][y]
                if (a < 0) != (b < 0) or (a >= 0 and states.get(a, b) != b):
                    return None
                if a >= 0 and a not in states:
                    states[a] = b
                    left.append(a)
        return states if len(set(states.values())) == len(states) else None

    def _keep(self, symbols: dict[int, int], states: dict[int, int]) -> None:
        size = len(self.automaton.moves)
        if len(states) < size:
            return
        flags = self.automaton.accepting
        moved = tuple(states[p] for p in range(size))
        named = tuple(symbols[x] for x in range(self.automaton.symbols))
        same = all(flags[p] == flags[moved[p]] for p in range(size))
        if same and moved + named != (*range(size), *range(len(named))):
            self.found.append(Symmetry(moved, named))
