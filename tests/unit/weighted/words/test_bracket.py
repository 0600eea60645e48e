"""The bracket against full enumeration: never under, close where that was promised."""

import json
import math
import random
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from privet.errors import ModelError, ParameterError
from privet.exact import exact_number, log_down, log_up, ratio_up
from privet.weighted import Lengths, Limits
from privet.weighted.words import (
    ALL_LENGTHS,
    SpentBracket,
    WordAutomaton,
    WordProblem,
    spent_bracket,
)
from privet.weighted.words.climb import _blocks, climb
from privet.weighted.words.reference import largest_ratios, words
from privet.weighted.words.watch import Watch
from privet.weighted.words_check import check_word_certificate

ROOT = Path(__file__).parents[4]
GOLDEN: list[dict[str, Any]] = json.loads((ROOT / "tests/golden/words.json").read_text())["cases"]
RATES = (Fraction(3, 10), Fraction(1), Fraction(2), Fraction(4))


def chain(allowed: list[list[int]], starts: list[int] | None = None) -> WordAutomaton:
    """Words whose successive symbols are allowed; the state is the last symbol."""
    size = len(allowed)
    rows = [tuple(x if row[x] else -1 for x in range(size)) for row in allowed]
    free = range(size) if starts is None else starts
    first = tuple(x if x in free else -1 for x in range(size))
    return WordAutomaton((*rows, first), size, (True,) * (size + 1))


def grid(rows: int, columns: int) -> WordAutomaton:
    """Walks over a grid: stay, or move to one of four neighbours."""
    cells = [(i, j) for i in range(rows) for j in range(columns)]
    near = [[int(abs(a - c) + abs(b - d) <= 1) for c, d in cells] for a, b in cells]
    return chain(near)


TRAP = WordAutomaton(((1, 2), (1, 3), (2, 0), (1, 2)), 0, (False, True, False, True))
"""Pairs here never merge again: a bound that fixes the merged pairs first is below the truth."""

EVEN = WordAutomaton(((0, 1), (1, 0)), 0, (True, False))
"""Words with an even number of 1s: no two of one length differ in one place only."""


def drawn(seed: int) -> WordAutomaton:
    """Chains, reducible ones among them, and automata without any structure."""
    draw = random.Random(seed)
    if seed % 2:
        size = draw.randint(2, 4)
        density = draw.choice([0.5, 0.7, 0.9])
        allowed = [[int(draw.random() < density) for _ in range(size)] for _ in range(size)]
        for row in allowed:
            row[draw.randrange(size)] = 1
        return chain(allowed, None if draw.random() < 0.7 else [draw.randrange(size)])
    symbols, states = draw.randint(2, 3), draw.randint(2, 5)
    density = draw.choice([0.5, 0.8, 1.0])
    moves = tuple(
        tuple(draw.randrange(states) if draw.random() < density else -1 for _ in range(symbols))
        for _ in range(states)
    )
    last = draw.randrange(states)
    return WordAutomaton(
        moves, 0, tuple(draw.random() < 0.5 or state == last for state in range(states))
    )


def in_modes(seed: int) -> WordAutomaton:
    """Two parts, the second reached from the first and never left: several modes of growth."""
    draw = random.Random(10_000 + seed)
    symbols, early = draw.randint(2, 3), draw.randint(1, 3)
    states = early + draw.randint(1, 3)
    moves = tuple(
        tuple(
            -1
            if draw.random() < 0.2
            else draw.randrange(early)
            if state < early and draw.random() < 0.7
            else draw.randrange(early, states)
            for _ in range(symbols)
        )
        for state in range(states)
    )
    last = draw.randrange(early, states)
    flags = (draw.random() < 0.4 or state == last for state in range(states))
    return WordAutomaton(moves, 0, tuple(flags))


PARSES = WordAutomaton(((1, 2, -1, -1), (-1, 1, 1, 0), (-1, 2, 0, -1)), 0, (True, False, False))
"""(a(b|c)*d | b+c)*: pairs of words that can stay in different states for ever."""


def true_factor(problem: WordProblem, lengths: range, adjacency: int) -> Fraction:
    """e^epsilon by enumeration; 1 where no two words are neighbours."""
    return max(
        (
            ratio / problem.q**d
            for length in lengths
            for d, (ratio, _, _) in largest_ratios(problem, length, adjacency).items()
        ),
        default=Fraction(1),
    )


def checked(bracket: SpentBracket) -> SpentBracket:
    """The bracket, after its two ends were recomputed from what it shows."""
    certificate = bracket.certificate
    claim = check_word_certificate(certificate.to_json())
    assert claim.factor == bracket.factor
    assert bracket.high == log_up(bracket.factor)
    if bracket.witness is None:
        assert bracket.low == 0
        return bracket
    w, v = bracket.witness
    problem = certificate.problem
    assert problem.accepts(w)
    assert problem.accepts(v)
    apart = sum(x != y for x, y in zip(w, v, strict=True))
    assert 1 <= apart <= len(certificate.parts)
    spent = Fraction(problem.weight(v), problem.weight(w)) / problem.q**apart
    assert bracket.low == log_down(spent)
    return bracket


def gap(bracket: SpentBracket) -> float:
    return float((bracket.high - bracket.low) / bracket.high)


def test_weights_are_sums_over_the_language() -> None:
    problem = WordProblem(grid(2, 2).trimmed(), Fraction(2, 7))
    language = list(words(problem, 3))
    for w in language:
        plain = sum(problem.q ** sum(a != b for a, b in zip(w, u, strict=True)) for u in language)
        assert Fraction(problem.weight(w), problem.q.denominator**3) == plain
    assert sorted(language) == [w for w in product(range(4), repeat=3) if problem.accepts(w)]


def published() -> list[dict[str, Any]]:
    return [case for case in GOLDEN if "tight_epsilon_exponential" in case]


@pytest.mark.parametrize("index", range(len(published())))
def test_the_oracle_is_inside(index: int) -> None:
    case = published()[index]
    adjacency, length = case["adjacency"], case["length"]
    q = ratio_up(exact_number(case["epsilon"], "epsilon") / (2 * adjacency))
    lengths = Lengths(length, length)
    bracket = checked(
        spent_bracket(chain(case["allowed"]), q, adjacency=adjacency, lengths=lengths)
    )
    tight = Fraction(case["tight_epsilon_exponential"])
    assert bracket.low - Fraction(1, 10**15) <= tight <= bracket.high + Fraction(1, 10**15)
    assert gap(bracket) < 0.01


@pytest.mark.parametrize("seed", range(72))
def test_random_languages_agree_with_enumeration(seed: int) -> None:
    made = in_modes if seed % 8 == 0 else drawn
    try:
        problem = WordProblem(made(seed).trimmed(), ratio_up(RATES[seed // 2 % 4]))
    except ModelError:
        return
    adjacency, longest = 1 + seed % 3, 2 + seed // 3 % 3
    single = seed % 5 < 2
    lengths = Lengths(longest if single else 0, longest)
    enumerated = range(lengths.shortest, longest + 1)
    bracket = checked(
        spent_bracket(
            problem.automaton, problem.q, adjacency=adjacency, lengths=lengths, tolerance=0.01
        )
    )
    factor = true_factor(problem, enumerated, adjacency)
    assert bracket.low <= log_up(factor)
    assert factor <= bracket.factor
    assert bracket.high == 0 or gap(bracket) < 0.0101
    endless = spent_bracket(
        problem.automaton, problem.q, adjacency=adjacency, time_limit=1, node_limit=3000
    )
    assert factor <= checked(endless).factor


def test_pairs_that_never_merge_are_not_underrated() -> None:
    problem = WordProblem(TRAP, ratio_up(Fraction(2)))
    factor = true_factor(problem, range(6, 7), 1)
    assert math.log(factor) - 2 == pytest.approx(0.25607, abs=1e-5)
    bracket = checked(spent_bracket(TRAP, problem.q, lengths=Lengths(6, 6)))
    assert bracket.low <= log_up(factor)
    assert factor <= bracket.factor
    assert gap(bracket) < 0.01
    assert factor <= checked(spent_bracket(TRAP, problem.q)).factor


def test_differences_that_stay_apart_close_for_short_words() -> None:
    problem = WordProblem(PARSES, ratio_up(Fraction(1)))
    for adjacency, longest in ((1, 7), (2, 5)):
        bracket = checked(
            spent_bracket(
                PARSES, problem.q, adjacency=adjacency, lengths=Lengths(0, longest), tolerance=0.01
            )
        )
        factor = true_factor(problem, range(longest + 1), adjacency)
        assert bracket.low <= log_up(factor) <= bracket.high
        assert gap(bracket) < 0.0101
    everything = checked(spent_bracket(PARSES, problem.q, tolerance=0.01))
    assert true_factor(problem, range(7), 1) <= everything.factor
    assert gap(everything) < 0.0101


def test_boxes_that_the_checker_cannot_follow_are_replaced() -> None:
    """Here the hull of the short vectors has entries that are 0 and units that do not fit."""
    moves = ((-1, 3), (1, 2), (4, 1), (1, 0), (3, 3))
    problem = WordProblem(
        WordAutomaton(moves, 0, (True, True, False, True, False)), ratio_up(Fraction(2))
    )
    bracket = checked(spent_bracket(problem.automaton, problem.q, lengths=Lengths(0, 4)))
    factor = true_factor(problem, range(5), 1)
    assert bracket.low <= log_up(factor) <= bracket.high
    assert gap(bracket) < 0.01


def test_states_that_mean_the_same_do_not_matter() -> None:
    """All words of two symbols, with two states that never merge as numbers."""
    double = WordAutomaton(((0, 1), (0, 0)), 0, (True, True))
    q = ratio_up(Fraction(2))
    bracket = checked(spent_bracket(double, q, adjacency=2))
    assert bracket.low >= log_down(q**-2)
    assert gap(bracket) < 0.01
    for seed in (1, 3, 5, 7, 9):
        whole = WordProblem(drawn(seed).trimmed(), q)
        small = WordProblem(whole.automaton.minimised(), q)
        for length in range(5):
            assert list(words(whole, length)) == list(words(small, length))


def test_words_without_a_neighbour_spend_nothing() -> None:
    bracket = checked(spent_bracket(EVEN, Fraction(1, 3)))
    assert bracket.low == bracket.high == 0
    assert bracket.witness is None
    two = checked(spent_bracket(EVEN, Fraction(1, 3), adjacency=2, lengths=Lengths(4, 4)))
    problem = WordProblem(EVEN, Fraction(1, 3))
    assert two.low <= log_up(true_factor(problem, range(4, 5), 2)) <= two.high
    assert two.low > 0


@pytest.mark.parametrize(("rows", "columns", "tolerance"), [(2, 2, 0.005), (3, 3, 0.005)])
@pytest.mark.parametrize("rate", RATES[1:])
def test_grids_close_for_all_lengths(
    rows: int, columns: int, tolerance: float, rate: Fraction
) -> None:
    bracket = checked(
        spent_bracket(grid(rows, columns), ratio_up(rate), tolerance=tolerance, time_limit=None)
    )
    assert bracket.reason == ""
    assert gap(bracket) < 0.0051


def test_two_differences_close_at_thirty_symbols() -> None:
    bracket = checked(
        spent_bracket(
            grid(3, 3),
            ratio_up(Fraction(2)),
            adjacency=2,
            lengths=Lengths(30, 30),
            tolerance=0.02,
            time_limit=None,
        )
    )
    assert gap(bracket) < 0.03
    assert bracket.witness is not None
    assert len(bracket.witness[0]) == 30


def test_short_words_close_with_three_differences() -> None:
    problem = WordProblem(grid(2, 2).trimmed(), ratio_up(Fraction(1)))
    bracket = checked(
        spent_bracket(grid(2, 2), problem.q, adjacency=3, lengths=Lengths(5, 5), time_limit=None)
    )
    factor = true_factor(problem, range(5, 6), 3)
    assert bracket.low <= log_up(factor) <= bracket.high
    assert gap(bracket) < 0.01


def test_no_time_leaves_the_trivial_bound() -> None:
    q = ratio_up(Fraction(2))
    bracket = checked(spent_bracket(grid(3, 3), q, adjacency=2, time_limit=0))
    assert bracket.factor == q**-4
    assert bracket.reason == "time limit"


def test_a_language_too_large_to_search_keeps_the_trivial_bound() -> None:
    size = 300
    moves = tuple(tuple((7 * p + 11 * x) % size for x in range(40)) for p in range(size))
    automaton = WordAutomaton(moves, 0, (True,) + (False,) * (size - 1))
    bracket = checked(spent_bracket(automaton, Fraction(1, 2), time_limit=2))
    assert bracket.factor == 4
    assert bracket.reason == "the language is too large to search"


@pytest.mark.parametrize(
    "q", [Fraction(1, 10**30), Fraction(1, 10**400), 1 - Fraction(1, 10**12), Fraction(1, 3**200)]
)
def test_extreme_ratios_never_decide(q: Fraction) -> None:
    automaton = chain([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    problem = WordProblem(automaton.trimmed(), q)
    for lengths, enumerated in ((Lengths(4, 4), range(4, 5)), (ALL_LENGTHS, range(5))):
        bracket = checked(spent_bracket(automaton, q, adjacency=2, lengths=lengths, time_limit=5))
        factor = true_factor(problem, enumerated, 2)
        assert factor <= bracket.factor
        assert lengths is ALL_LENGTHS or bracket.low <= log_up(factor)


@pytest.mark.parametrize("exponent", [30, 43, 50, 1000, 5000])
@pytest.mark.parametrize("lengths", [ALL_LENGTHS, Lengths(4, 4)])
def test_ratios_below_the_units_of_the_checker_close(exponent: int, lengths: Lengths) -> None:
    """Once the search only knew q as a float, and the logarithm of a target overflowed."""
    automaton = chain([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    problem = WordProblem(automaton.trimmed(), Fraction(3, 2**exponent))
    bracket = checked(spent_bracket(automaton, problem.q, lengths=lengths, time_limit=None))
    factor = true_factor(problem, range(lengths.shortest, 5), 1)
    assert factor <= bracket.factor
    assert gap(bracket) < 0.01


def test_a_rate_too_small_for_the_units_keeps_the_trivial_bound_at_once() -> None:
    for exponent in (40, 60, 1000):
        q = 1 - Fraction(1, 2**exponent)
        bracket = checked(spent_bracket(grid(2, 2), q, time_limit=None))
        assert bracket.factor == q**-2
        assert bracket.reason.startswith("the rate is too small")


def test_progress_is_told() -> None:
    told: list[tuple[str, float]] = []
    spent_bracket(
        grid(3, 3),
        ratio_up(Fraction(1)),
        time_limit=None,
        progress=lambda stage, done: told.append((stage, done)),
    )
    assert told
    assert told[0][0] == "boxes"
    assert all(0 <= done <= 1 for _, done in told)


def test_an_interrupt_reaches_the_caller() -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    q = ratio_up(Fraction(1))
    with pytest.raises(KeyboardInterrupt):
        spent_bracket(grid(3, 3), q, progress=stop)
    assert gap(checked(spent_bracket(grid(3, 3), q, time_limit=None))) < 0.01


def test_many_symbols_do_not_outlast_the_clock() -> None:
    """Changing two places at once would be 2.5 million pairs here, whatever the clock says."""
    problem = WordProblem(chain([[1] * 40] * 40).trimmed().minimised(), Fraction(1, 2))
    for size in (1, 2):
        assert len(_blocks(problem, 0, 0, size, 1)) <= 140_000
    pair = (0, 1, 2), (0, 2, 2)
    assert climb(problem, *pair, Watch(Limits(None))) == pair


def test_what_is_refused() -> None:
    with pytest.raises(ModelError):
        WordAutomaton(((1,),), 0, (True,))
    with pytest.raises(ModelError):
        WordAutomaton(((0,), (0, 1)), 0, (True, True))
    with pytest.raises(ModelError):
        WordAutomaton(((0,),), 1, (True,))
    with pytest.raises(ModelError):
        spent_bracket(WordAutomaton(((0,),), 0, (False,)), Fraction(1, 2))
    for q in (Fraction(0), Fraction(1), Fraction(3, 2)):
        with pytest.raises(ParameterError):
            spent_bracket(EVEN, q)
    with pytest.raises(ParameterError):
        spent_bracket(EVEN, Fraction(1, 2), tolerance=math.nan)
    with pytest.raises(ParameterError):
        spent_bracket(EVEN, Fraction(1, 2), adjacency=0)
