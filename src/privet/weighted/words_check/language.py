"""The automaton of a certificate, and permutations that leave it as it is."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.weighted.words_check.reading import count, list_of, rational, require

_MOST_STATES = 1 << 14
_MOST_SYMBOLS = 1 << 12


@dataclass(frozen=True)
class Language:
    """A trimmed automaton, the ratio q, and the lengths of the words that count."""

    moves: tuple[tuple[int, ...], ...]
    initial: int
    accepting: tuple[bool, ...]
    q: Fraction
    shortest: int
    longest: int | None

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.moves)

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return len(self.moves[0])

    def edges(self) -> list[tuple[int, int, int]]:
        """(state, symbol, next state) in order."""
        return [(p, x, r) for p, row in enumerate(self.moves) for x, r in enumerate(row) if r >= 0]


def read_language(data: dict[str, Any]) -> Language:
    """The language that a certificate is about."""
    rows = [list_of(row, "moves") for row in list_of(data["moves"], "moves")]
    require(0 < len(rows) <= _MOST_STATES, "moves", "has no rows or too many")
    width = len(rows[0])
    require(0 < width <= _MOST_SYMBOLS, "moves", "has no columns or too many")
    require(all(len(row) == width for row in rows), "moves", "has rows that differ in length")
    size = len(rows)
    good = all(type(r) is int and -1 <= r < size for row in rows for r in row)
    require(good, "moves", "has an entry that is no state")
    initial = count(data["initial"], "initial")
    require(initial < size, "initial", "is no state")
    accepting = list_of(data["accepting"], "accepting")
    require(len(accepting) == size, "accepting", "does not have one flag for each state")
    require(all(type(flag) is bool for flag in accepting), "accepting", "has other than flags")
    q = rational(data["q"], "q")
    require(0 < q < 1, "q", "lies outside (0, 1)")
    shortest = count(data["shortest"], "shortest")
    longest = None if data["longest"] is None else count(data["longest"], "longest")
    require(longest is None or shortest <= longest, "longest", "is below the shortest length")
    moves = tuple(tuple(row) for row in rows)
    language = Language(moves, initial, tuple(accepting), q, shortest, longest)
    require(_is_trimmed(language), "moves", "has a state that no word passes")
    return language


def _is_trimmed(language: Language) -> bool:
    ahead: dict[int, set[int]] = {p: set() for p in range(language.size)}
    behind: dict[int, set[int]] = {p: set() for p in range(language.size)}
    for p, _, r in language.edges():
        ahead[p].add(r)
        behind[r].add(p)
    ends = {p for p, flag in enumerate(language.accepting) if flag}
    whole = set(range(language.size))
    return _closure({language.initial}, ahead) == whole == _closure(ends, behind)


def _closure(start: set[int], then: dict[int, set[int]]) -> set[int]:
    seen, left = set(start), list(start)
    while left:
        new = then[left.pop()] - seen
        seen |= new
        left.extend(new)
    return seen


@dataclass(frozen=True)
class Symmetry:
    """Where each state and each symbol goes."""

    states: tuple[int, ...]
    symbols: tuple[int, ...]


def read_symmetries(value: object, language: Language) -> list[Symmetry]:
    """Permutations that leave the automaton as it is, each checked against the whole table."""
    found = []
    for entry in list_of(value, "symmetries"):
        pair = list_of(entry, "symmetries")
        require(len(pair) == 2, "symmetries", "has an entry that is no pair")
        states, symbols = (tuple(list_of(part, "symmetries")) for part in pair)
        for part, size in ((states, language.size), (symbols, language.symbols)):
            good = all(type(i) is int for i in part) and sorted(part) == list(range(size))
            require(good, "symmetries", "has an entry that is no permutation")
        named = (*states, -1)
        same = all(
            language.moves[states[p]][symbols[x]] == named[language.moves[p][x]]
            for p in range(language.size)
            for x in range(language.symbols)
        )
        flags = all(language.accepting[states[p]] == f for p, f in enumerate(language.accepting))
        kept = states[language.initial] == language.initial
        require(same and flags and kept, "symmetries", "has an entry that moves the language")
        found.append(Symmetry(states, symbols))
    return found
