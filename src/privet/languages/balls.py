"""Weighted words of a language for one input word, in balls: exact draws without any condition.

Contract. The same weights as `trellis.py`, q^d(w, x) over the words x of a language, for any
rational q in (0, 1] and any length: Arb's balls [johansson-2017] have exponents of any size, so
nothing underflows, and a draw is refined until its enclosures decide, so its law is the weights'
law exactly. Slower than the doubles by a factor of hundreds: for the words those refuse.
"""

from fractions import Fraction

from flint import arb, ctx

from privet.exact.enclosure import ball
from privet.languages.automaton import Automaton
from privet.randomness import RandomSource, random_bits


class BallTrellis:
    """V of `trellis.py` for one `word` (codes), enclosed at whatever precision a question needs."""

    def __init__(self, automaton: Automaton, word: list[int], q: Fraction) -> None:
        self._automaton, self._word, self._q = automaton, word, q
        self._moves: list[list[tuple[int, int]]] = [
            [(symbol, target) for symbol, target in enumerate(row) if target >= 0]
            for row in automaton.transitions.tolist()
        ]
        self._alive = automaton.alive(len(word))
        self._precision = 0
        self._values: list[list[arb]] = []
        self._excess: list[arb] = []

    def total(self, precision: int) -> arb:
        """The total weight, in a ball made of numbers of `precision` bits."""
        self._refine(precision)
        return self._values[0][self._automaton.initial]

    def excess(self, precision: int) -> arb:
        """The weight of the words other than the input, which must lie in the language."""
        self._refine(precision)
        return self._excess[0]

    def draw(self, source: RandomSource, *, different: bool = False) -> list[int]:
        """Codes of a word of the language, P(x) proportional to q^d(w, x).

        `different`: conditional on not being the input word.
        """
        state, on_path, drawn = self._automaton.initial, different, []
        for i, symbol in enumerate(self._word):
            chosen = self._choose(source, i, state, on_path)
            drawn.append(chosen)
            state = int(self._automaton.transitions[state, chosen])
            on_path = on_path and chosen == symbol
        return drawn

    def _choose(self, source: RandomSource, i: int, state: int, on_path: bool) -> int:
        """One symbol by inverse transform, bits and precision doubling until they decide."""
        moves = [move for move in self._moves[state] if self._possible(i, move, on_path)]
        if len(moves) == 1:
            return moves[0][0]
        prefix, known = random_bits(source, 64), 64
        self._refine(128)
        while True:
            with ctx.workprec(self._precision):
                sums, total = [], arb(0)
                for move in moves:
                    total += self._weight(i, move, on_path)
                    sums.append(total)
                point = arb(prefix) / arb(2) ** known * total
                beyond = arb(prefix + 1) / arb(2) ** known * total
            passed = sum(bool(bound <= point) for bound in sums[:-1])
            reached = sum(not bool(bound >= beyond) for bound in sums[:-1])
            if passed == reached:
                return moves[passed][0]
            prefix, known = prefix << 64 | random_bits(source, 64), known + 64
            self._refine(known + 64)

    def _possible(self, i: int, move: tuple[int, int], on_path: bool) -> bool:
        symbol, target = move
        if on_path and symbol == self._word[i]:
            # Staying on the input's path is possible while some later step can leave it.
            self._refine(128)
            return not self._excess[i + 1].is_zero()
        return bool(self._alive[len(self._word) - i - 1, target])

    def _weight(self, i: int, move: tuple[int, int], on_path: bool) -> arb:
        symbol, target = move
        if symbol != self._word[i]:
            return ball(self._q) * self._values[i + 1][target]
        return self._excess[i + 1] if on_path else self._values[i + 1][target]

    def _refine(self, precision: int) -> None:
        if precision <= self._precision:
            return
        with ctx.workprec(precision):
            self._compute()
        self._precision = precision

    def _compute(self) -> None:
        q, states = ball(self._q), len(self._moves)
        zero = arb(0)
        later = [arb(1) if self._automaton.accepting[s] else zero for s in range(states)]
        values, excess = [later], [zero]
        path = self._path()
        for i in reversed(range(len(self._word))):
            symbol, alive = self._word[i], self._alive[len(self._word) - i]
            now = [zero] * states
            for state, moves in enumerate(self._moves):
                if alive[state]:
                    same = [later[t] for a, t in moves if a == symbol]
                    others = sum((later[t] for a, t in moves if a != symbol), zero)
                    now[state] = q * others + (same[0] if same else zero)
            if path is not None:
                others = sum((later[t] for a, t in self._moves[path[i]] if a != symbol), zero)
                excess.append(excess[-1] + q * others)
            values.append(now)
            later = now
        self._values, self._excess = values[::-1], excess[::-1]

    def _path(self) -> list[int] | None:
        """The states of the input word, or None if it is not in the language."""
        path = [self._automaton.initial]
        for symbol in self._word:
            path.append(int(self._automaton.transitions[path[-1], symbol]))
            if path[-1] < 0:
                return None
        return path if self._automaton.accepting[path[-1]] else None
