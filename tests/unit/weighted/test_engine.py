"""The engine against plain enumeration, and what must never decide: NaN, a memory without depth."""

import json
import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privet.verify.certificate import check_proof_found
from privet.weighted import (
    Certificate,
    Clock,
    Control,
    Engine,
    Exceeded,
    Lengths,
    Limits,
    Proved,
    RatioProblem,
    Stopped,
    WeightedAutomaton,
    check_certificate,
    largest_excess,
    shared_problem,
    two_automata_problem,
)
from privet.weighted.bounds import bound_behind, largest_quotient
from privet.weighted.cones import Suffixes, TestSet, extremes
from privet.weighted.dominance import Dominance
from privet.weighted.polish import polished
from privet.weighted.problem import Vector, dot
from privet.weighted.reference import excess, largest_ratio, weighted_words
from privet.weighted.search import Search
from privet.weighted.support import infinite_word
from privet.weighted.vectors import Stepper, unit_floats

LIMITS = Limits(60)
Rows = list[list[Fraction]]


def law(draw: random.Random, size: int, zeros: float) -> list[Fraction]:
    while not sum(row := [0 if draw.random() < zeros else draw.randint(1, 6) for _ in range(size)]):
        pass
    return [Fraction(weight, sum(row)) for weight in row]


def matrices(draw: random.Random, states: int, symbols: int, zeros: float) -> list[Rows]:
    steps = [law(draw, states, zeros) for _ in range(states)]
    seen = [law(draw, symbols, zeros) for _ in range(states)]
    return [
        [[seen[i][x] * entry for entry in steps[i]] for i in range(states)] for x in range(symbols)
    ]


def hidden(draw: random.Random, states: int, symbols: int, zeros: float) -> RatioProblem:
    first, second = law(draw, states, zeros), law(draw, states, zeros)
    return shared_problem(first, second, matrices(draw, states, symbols, zeros))


def general(draw: random.Random) -> RatioProblem:
    """Two automata that share some matrices, under a random control."""
    states, symbols, places = draw.randint(2, 3), 2, draw.randint(1, 3)
    ours, theirs = matrices(draw, states, symbols, 0.4), matrices(draw, states, symbols, 0.3)
    if draw.random() < 0.5:
        theirs[0] = ours[0]
    moves = tuple(
        tuple(draw.randint(-1, places - 1) for _ in range(symbols)) for _ in range(places)
    )
    control = Control(moves, tuple(draw.random() < 0.6 for _ in range(places)))
    ends = [[draw.randint(0, 3) for _ in range(states)] for _ in range(2)]
    return two_automata_problem(
        WeightedAutomaton(law(draw, states, 0.3), ours, ends[0]),
        WeightedAutomaton(law(draw, states, 0.3), theirs, ends[draw.randint(0, 1)]),
        control,
    )


def agrees(problem: RatioProblem, length: int) -> None:
    """The worst ratio, its word and proof, and both verdicts, as enumeration has them."""
    expected, _ = largest_ratio(problem, length)
    engine, lengths = Engine(problem), Lengths(length, length)
    found = engine.worst(lengths, LIMITS)
    assert found.is_closed
    assert found.low == expected
    if found.word is not None:
        assert len(found.word) == length
        assert problem.ratio(found.word) == expected
    ratios = [Fraction(3, 2)]
    if isinstance(expected, Fraction):
        assert found.certificate is None or proves(found.certificate, expected)
        ratios += [expected, expected * Fraction(999, 1000), expected * Fraction(1001, 1000)]
    for ratio in ratios:
        outcome = engine.decide(ratio, lengths, Clock(LIMITS))
        assert isinstance(outcome, Exceeded if expected > ratio else Proved)
        if isinstance(outcome, Exceeded):
            assert (problem.ratio(outcome.word) or 0) > ratio
            assert len(outcome.word) == length
        elif isinstance(outcome, Proved):
            assert proves(outcome.certificate, ratio)


_DEEPEST = 10
"""Of a cone that is followed in integers here: its vectors double with each symbol."""


def proves(certificate: Certificate, ratio: Fraction) -> bool:
    """From its text, in integers, where its cone is small; else in memory."""
    if certificate.longest is None and certificate.depth > _DEEPEST:
        lengths = Lengths(certificate.shortest, certificate.longest)
        return check_proof_found(certificate, lengths).ratio == ratio
    return check_certificate(json.loads(json.dumps(certificate.to_json()))).ratio == ratio


@pytest.mark.parametrize("seed", range(60))
def test_hidden_markov_problems_agree_with_enumeration(seed: int) -> None:
    draw = random.Random(seed)
    problem = hidden(draw, draw.randint(2, 4), draw.randint(2, 3), draw.choice([0, 0.3, 0.6]))
    assert problem.is_conserving
    agrees(problem, draw.randint(1, 5))


@pytest.mark.parametrize("seed", range(60))
def test_general_problems_agree_with_enumeration(seed: int) -> None:
    draw = random.Random(1000 + seed)
    agrees(general(draw), draw.randint(0, 5))


@pytest.mark.parametrize("seed", range(40))
def test_all_lengths_and_ranges_agree_with_enumeration(seed: int) -> None:
    draw = random.Random(2000 + seed)
    problem = general(draw) if seed % 2 else hidden(draw, 3, 2, 0.4)
    worst = max(largest_ratio(problem, length)[0] for length in range(1, 5))
    engine = Engine(problem)
    for ratio in (Fraction(2), Fraction(9, 8)):
        outcome = engine.decide(ratio, Lengths(1, 4), Clock(LIMITS))
        assert isinstance(outcome, Exceeded if worst > ratio else Proved)
        forever = engine.decide(ratio, Lengths(1, None), Clock(Limits(30, 100)))
        if isinstance(forever, Proved):
            assert worst <= ratio
            assert proves(forever.certificate, ratio)
        elif isinstance(forever, Exceeded):
            assert (problem.ratio(forever.word) or 0) > ratio


@pytest.mark.parametrize("seed", range(40))
def test_the_excess_agrees_with_enumeration(seed: int) -> None:
    draw = random.Random(3000 + seed)
    problem = general(draw) if seed % 2 else hidden(draw, 3, 2, 0.4)
    length = draw.randint(1, 5)
    if not any(a for _, a, _ in weighted_words(problem, length)):
        assert largest_excess(problem, Fraction(2), length, LIMITS).high == 0
        return
    for ratio in (Fraction(1), Fraction(3, 2)):
        found = largest_excess(problem, ratio, length, LIMITS, most=draw.choice([2, 300]))
        assert found.low == found.high == excess(problem, ratio, length)
        cut = largest_excess(problem, ratio, length, Limits(60, 1), most=2)
        assert cut.low <= found.low <= found.high <= cut.high


# ------------------------------------------------------------------------------ the known traps


def static(pair: tuple[Fraction, Fraction]) -> RatioProblem:
    """Nothing moves; the observation 0 says nothing, 1 and 2 each favour one state."""
    half = Fraction(1, 2)
    seen = [[half, *pair], [half, *reversed(pair)]]
    steps = [[[seen[i][x] if i == j else 0 for j in (0, 1)] for i in (0, 1)] for x in range(3)]
    return shared_problem([1, 0], [0, 1], steps)


def test_a_memory_of_vectors_without_the_symbols_left_would_miss_this() -> None:
    # After the observation 0 the vector is as before with one symbol less to come: a search that
    # takes it for done says that 10 holds. The words 1 1 have the ratio 16.
    problem = static((Fraction(2, 5), Fraction(1, 10)))
    outcome = Engine(problem).decide(Fraction(10), Lengths(2, 2), Clock(LIMITS))
    assert isinstance(outcome, Exceeded)
    assert Engine(problem).worst(Lengths(2, 2), LIMITS).low == 16
    shallow = Search(problem, Suffixes(problem, 1, 0))
    assert isinstance(shallow.run(Fraction(10), Lengths(2, 2), Clock(LIMITS)), Exceeded)
    assert isinstance(shallow.run(Fraction(16), Lengths(2, 2), Clock(LIMITS)), Proved)


def test_generators_on_which_both_weights_vanish_decide_nothing() -> None:
    tests = [(0, 0, 1), (1, 1, 0)]
    assert largest_quotient((2, 0, 0), (1, 0, 0), tests) == 2
    assert largest_quotient((0, 1, 0), (1, 0, 0), tests) == 1
    assert largest_quotient((0, 0, 1), (1, 0, 0), tests) == math.inf


def test_a_float_that_is_no_number_decides_nothing() -> None:
    tests = TestSet([(1, 2, 3), (3, 1, 0)])
    tests.__dict__["floats"] = np.full((3, 2), np.nan)
    for vector, index in (((-1, 0, 1), 0), ((1, -2, 0), 1), ((-1, -1, 0), -1)):
        assert tests.sign(vector, np.full(3, np.nan)).positive == index


def test_signs_that_floats_cannot_see_are_exact() -> None:
    big = 10**40
    tests = TestSet([(big, big + 1), (1, 1)])
    assert tests.sign((big + 1, -big), unit_floats((big + 1, -big))).positive >= 0
    assert tests.sign((-big - 1, big), unit_floats((-big - 1, big))).positive == -1
    close = (big + 1, -big - 1)
    assert TestSet([(1, 1)]).sign(close, unit_floats(close)).positive == -1
    nearly = (big + 1, -big)
    assert TestSet([(1, 1)]).sign(nearly, unit_floats(nearly)).positive == 0


@pytest.mark.parametrize("scale", [1, 10**400])
def test_directions_of_huge_vectors_are_floats(scale: int) -> None:
    np.testing.assert_allclose(unit_floats((3 * scale, -4 * scale, 0)), [0.75, -1, 0], rtol=1e-15)
    np.testing.assert_allclose(TestSet([(3 * scale, scale)]).floats[:, 0], [0.75, 0.25])


def test_in_the_plane_two_directions_are_enough() -> None:
    assert extremes([(3, 1), (1, 2), (1, 0), (2, 2)]) == ((1, 0), (1, 2))
    problem = hidden(random.Random(5), 2, 2, 0)
    suffixes = Suffixes(problem, 10, 200)
    assert suffixes.reach == 200
    assert {len(level[0].vectors) for level in suffixes.exact} == {1, 2}
    expected, _ = largest_ratio(problem, 8)
    assert bound_behind(suffixes, (), Lengths(8, 8)) == expected


def test_a_bound_behind_a_prefix_is_one_for_every_word_behind_it() -> None:
    problem = hidden(random.Random(6), 4, 2, 0.2)
    suffixes = Suffixes(problem, 8)
    for prefix in ((), (0,), (1, 0)):
        bound = bound_behind(suffixes, prefix, Lengths(5, 5))
        ratios = [
            problem.ratio(word)
            for word, _, _ in weighted_words(problem, 5)
            if word[: len(prefix)] == prefix
        ]
        assert all(ratio is None or ratio <= bound for ratio in ratios)


# ----------------------------------------------------------------------------- what may be skipped


def test_below_another_prefix_on_every_suffix() -> None:
    problem = hidden(random.Random(7), 3, 2, 0)
    suffixes = Suffixes(problem, 20, 30)
    pool = Dominance(suffixes)
    left = Lengths(0, 20)
    pool.add(0, (5, -1, 2), left, 0)
    found = pool.above(0, (4, -2, 2), left)
    assert found is not None
    number, factor = found
    assert number == 0
    for test in suffixes.cone[0].vectors:
        assert dot((4, -2, 2), test) <= factor * dot((5, -1, 2), test)
    assert pool.above(0, (4, -2, 2), Lengths(0, 21)) is None
    assert pool.above(0, (4, -2, 2), Lengths(0, None)) is None
    assert pool.above(1, (4, -2, 2), left) is None


def test_dominance_changes_the_work_and_not_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.weighted.search._DOMINANCE_FROM", 0)
    for seed in range(25):
        draw = random.Random(4000 + seed)
        problem = hidden(draw, 4, 2, 0.2) if seed % 2 else general(draw)
        expected, _ = largest_ratio(problem, 6)
        if not isinstance(expected, Fraction):
            continue
        search = Search(problem, Suffixes(problem, 4, 6))
        for ratio in (expected, expected * Fraction(99, 100)):
            outcome = search.run(ratio, Lengths(6, 6), Clock(LIMITS))
            assert isinstance(outcome, Exceeded if expected > ratio else Proved)
            if isinstance(outcome, Proved):
                assert proves(outcome.certificate, ratio)


# ------------------------------------------------------------------------- limits and interrupts


def hard_problem() -> RatioProblem:
    return hidden(random.Random(8), 5, 3, 0)


def test_a_limit_gives_a_bracket_that_holds() -> None:
    problem = hard_problem()
    true = Engine(problem).worst(Lengths(8, 8), LIMITS).low
    search = Search(problem, Suffixes(problem, 5, 8))
    assert isinstance(true, Fraction)
    stopped = search.run(true, Lengths(8, 8), Clock(Limits(60, 2)))
    assert isinstance(stopped, Stopped)
    assert stopped.reason == "node limit"
    assert stopped.pending
    found = Engine(problem).worst(Lengths(8, 8), Limits(1e-9))
    assert found.reason == "time limit"
    assert found.low <= true <= found.high
    assert not found.is_closed


def test_an_interrupt_loses_no_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hard_problem()
    true = Engine(problem).worst(Lengths(8, 8), LIMITS)
    assert isinstance(true.low, Fraction)
    assert true.word is not None
    calls = []

    def interrupted(self: Stepper, state: int, vector: Vector) -> list[tuple[int, int, Vector]]:
        calls.append(state)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(self, state, vector)

    original = Stepper.children
    monkeypatch.setattr(Stepper, "children", interrupted)
    search = Search(problem, Suffixes(problem, 5, 8))
    stopped = search.run(true.low * Fraction(9999, 10000), Lengths(8, 8), Clock(LIMITS))
    assert isinstance(stopped, Stopped)
    assert stopped.reason == "interrupted"
    # The word above the ratio lies behind one of the prefixes that were left.
    assert any(true.word[: len(prefix)] == prefix for prefix in stopped.pending)


# ------------------------------------------------------------------------------- smaller machinery


def test_a_word_is_bettered_place_by_place() -> None:
    for seed in range(10):
        problem = hidden(random.Random(seed), 3, 3, 0)
        start = (0,) * 6
        better = polished(problem, start, Clock(LIMITS))
        assert len(better) == 6
        before, after = problem.ratio(start), problem.ratio(better)
        assert before is not None
        assert after is not None
        assert after >= before


@pytest.mark.parametrize("seed", range(30))
def test_words_of_ratio_infinity_are_found_on_supports_alone(seed: int) -> None:
    problem = hidden(random.Random(seed), 3, 2, 0.6)
    for length in (1, 3):
        word, complete = infinite_word(problem, Lengths(length, length), Clock(LIMITS))
        assert complete
        assert (word is not None) == (largest_ratio(problem, length)[0] == math.inf)
        if word is not None:
            assert problem.ratio(word) == math.inf
    anywhere, _ = infinite_word(problem, Lengths(1, None), Clock(LIMITS))
    assert anywhere is None or problem.ratio(anywhere) == math.inf


# -------------------------------------------------------------------------------- the hard families


def clauses(formula: list[dict[int, int]], variables: int) -> tuple[RatioProblem, bool]:
    """A formula (in each clause: variable -> the value that satisfies it) as a problem.

    And whether it can be satisfied.

    The value of a variable is a symbol; a path follows one clause of one side and ends in 2 or 3,
    with chances 4/5 and 1/5 for a satisfied clause of the first side, 1/5 and 4/5 of the second,
    1/2 otherwise. Most suffixes weigh nothing under either start: 0/0.
    """
    keys = list(product("AB", range(len(formula)), range(variables + 1), (0, 1), (0, 1)))
    number = {key: i for i, key in enumerate(keys)}
    steps: list[Rows] = [[[Fraction(0)] * len(keys) for _ in keys] for _ in range(4)]
    for side, clause, place, value, done in keys:
        here = number[side, clause, place, value, done]
        if place == variables:
            top = Fraction(1, 2) if not done else Fraction(4 if side == "A" else 1, 5)
            steps[2][here][here], steps[3][here][here] = top, 1 - top
            continue
        now = int(done or formula[clause].get(place) == value)
        for then in (0, 1):
            target = number[side, clause, place + 1, then, now]
            steps[value][here][target] = Fraction(1, 2)
    starts = [
        [Fraction(int(key[0] == side and key[2] == 0 and not key[4])) for key in keys]
        for side in "AB"
    ]
    satisfiable = any(
        all(any(word[v] == good for v, good in clause.items()) for clause in formula)
        for word in product((0, 1), repeat=variables)
    )
    return shared_problem(starts[0], starts[1], steps), satisfiable


ALL_CLAUSES = [dict(enumerate(values)) for values in product((0, 1), repeat=2)]


@pytest.mark.parametrize(
    ("formula", "possible"),
    [
        (ALL_CLAUSES, False),
        (ALL_CLAUSES[1:], True),
        ([{0: 1, 1: 0, 2: 1}, {0: 0, 2: 0}, {1: 1, 2: 1}], True),
    ],
)
def test_the_gadget_of_np_hardness(formula: list[dict[int, int]], possible: bool) -> None:
    problem, satisfiable = clauses(formula, 3)
    found = Engine(problem).worst(Lengths(4, 4), LIMITS)
    assert found.is_closed
    assert (found.low == 4) == satisfiable
    expected, _ = largest_ratio(problem, 4)
    assert found.low == expected
    assert satisfiable == possible
    if found.certificate is not None:
        assert proves(found.certificate, found.low)  # type: ignore[arg-type]  # finite: it is proved


@pytest.mark.parametrize("shift", [0, 1])
def test_rings_on_which_nothing_is_forgotten(shift: int) -> None:
    seen = [[Fraction(3 if x == i // 2 else 1, 4) for x in range(2)] for i in range(4)]
    steps = [
        [[seen[i][x] if j == (i + shift) % 4 else Fraction(0) for j in range(4)] for i in range(4)]
        for x in range(2)
    ]
    problem = shared_problem([2, 2, 1, 1], [1, 1, 2, 2], steps)
    for length in (1, 4, 7):
        found = Engine(problem).worst(Lengths(length, length), LIMITS)
        assert found.is_closed
        assert found.low == largest_ratio(problem, length)[0]
    above = Engine(problem).decide(Fraction(2), Lengths(1, None), Clock(LIMITS))
    assert isinstance(above, Proved)
    assert proves(above.certificate, Fraction(2))
