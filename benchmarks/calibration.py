"""What is measured about certified rates, one process each; figures go out as JSON.

Contract. Languages are walks through k x k rooms and chains whose moves come from fixed streams, so
every run asks the same questions. Seconds are CPU seconds: of the whole bracket, with the checks
that are part of it, and of reading its certificate again from text, which is what a reader does.
"""

import json
import random
from collections.abc import Callable
from fractions import Fraction

from measure import cpu_seconds, emit, rooms

from privet.exact import ratio_up
from privet.weighted import Lengths
from privet.weighted.words import ALL_LENGTHS, WordAutomaton, spent_bracket
from privet.weighted.words_check import check_word_certificate


def _walks(allowed: list[list[bool]]) -> WordAutomaton:
    """Words whose successive symbols are allowed, with any first symbol."""
    size = len(allowed)
    rows = [tuple(x if row[x] else -1 for x in range(size)) for row in allowed]
    return WordAutomaton((*rows, tuple(range(size))), size, (True,) * (size + 1))


def _rooms(side: int) -> WordAutomaton:
    return _walks([[bool(entry) for entry in row] for row in rooms(side).tolist()])


def _chain(size: int, moves: int) -> WordAutomaton:
    """Every state may be kept; the other moves are drawn."""
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    random.Random(size).shuffle(pairs)
    drawn = set(pairs[: moves - size])
    return _walks([[i == j or (i, j) in drawn for j in range(size)] for i in range(size)])


LANGUAGES: dict[str, Callable[[], WordAutomaton]] = {
    "2x2 rooms": lambda: _rooms(2),
    "3x3 rooms": lambda: _rooms(3),
    "4x4 rooms": lambda: _rooms(4),
    "5 states, 18 moves": lambda: _chain(5, 18),
    "6 states, 20 moves": lambda: _chain(6, 20),
    "12 states, 60 moves": lambda: _chain(12, 60),
}


def spent(name: str, rate: str, adjacency: str, length: str, tolerance: str, limit: str) -> None:
    """The bracket of what a rate spends ("all" lengths or one), and its certificate again."""
    automaton = LANGUAGES[name]()
    symbols = None if length == "all" else int(length)
    lengths = ALL_LENGTHS if symbols is None else Lengths(symbols, symbols)
    seconds, bracket = cpu_seconds(
        lambda: spent_bracket(
            automaton,
            ratio_up(Fraction(rate)),
            adjacency=int(adjacency),
            lengths=lengths,
            tolerance=float(tolerance),
            time_limit=float(limit),
        ),
        1,
    )
    text = json.dumps(bracket.certificate.to_json())
    check, claim = cpu_seconds(lambda: check_word_certificate(json.loads(text)), 1)
    if claim.factor != bracket.factor:
        raise ValueError("the certificate proves something else")
    emit(
        seconds=seconds[0],
        check=check[0],
        low=float(bracket.low),
        high=float(bracket.high),
        size=len(text),
        reason=bracket.reason,
    )


CALIBRATION_CASES = {"spent": spent}
