"""Covers stand for every suffix they should stand for, and the quick search with them is right.

Covers are compared with all suffix vectors in rationals, verdicts with plain enumeration.
"""

import json
import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privet.verify.certificate import check_proof_found
from privet.weighted import (
    Clock,
    Exceeded,
    Lengths,
    Limits,
    Proved,
    RatioProblem,
    check,
    check_certificate,
    shared_problem,
)
from privet.weighted import covers as module
from privet.weighted.breadth import FIRST, ROUNDS, Glance, Round
from privet.weighted.certificate import Certificate
from privet.weighted.covers import Cover, Covers, Rows
from privet.weighted.problem import Vector, Word, dot
from privet.weighted.reference import largest_ratio

CLOCK = Clock(Limits(None))
TOLERANCE = 1e-9


def law(draw: random.Random, size: int, zeros: float) -> list[Fraction]:
    while not sum(row := [0 if draw.random() < zeros else draw.randint(1, 6) for _ in range(size)]):
        pass
    return [Fraction(weight, sum(row)) for weight in row]


def hidden(draw: random.Random, states: int, symbols: int, zeros: float) -> RatioProblem:
    steps = [law(draw, states, zeros) for _ in range(states)]
    seen = [law(draw, symbols, zeros) for _ in range(states)]
    matrices = [
        [[seen[i][x] * entry for entry in steps[i]] for i in range(states)] for x in range(symbols)
    ]
    return shared_problem(law(draw, states, zeros), law(draw, states, zeros), matrices)


def covers_of(problem: RatioProblem, tolerance: float = TOLERANCE) -> Covers:
    steps = [matrix for matrix in problem.steps[0] if matrix is not None]
    return Covers(steps, problem.finals[0], tolerance)


def suffix(problem: RatioProblem, word: Word, end: Vector) -> Vector:
    """The suffix vector of a word in front of `end`."""
    for symbol in reversed(word):
        matrix = problem.steps[0][symbol]
        assert matrix is not None
        end = tuple(dot(row, end) for row in matrix)
    return end


def largest(vectors: list[Vector], a: list[int], b: list[int]) -> Fraction | float:
    """The largest quotient of a . h and b . h, 0/0 left out."""
    quotients = [(dot(a, h), dot(b, h)) for h in vectors]
    return max((Fraction(x, y) if y else math.inf for x, y in quotients if x or y), default=0)


def rows_of(pairs: list[tuple[list[int], list[int]]]) -> Rows:
    return Rows(np.array(pairs, float), 0.0)


@pytest.mark.parametrize("seed", range(60))
def test_what_a_cover_shows_is_so_and_little_is_lost(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FEW", 4)
    monkeypatch.setattr(module, "_FEW_OF_HULLS", 8)
    draw = random.Random(seed)
    problem = hidden(draw, draw.randint(2, 5), draw.randint(2, 3), draw.choice([0, 0.3, 0.6]))
    size, symbols = len(problem.finals[0]), problem.symbols
    covers = covers_of(problem)
    length = draw.randint(0, 5)
    words = list(product(range(symbols), repeat=length))
    units = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    sets = {
        "length": (covers.of_length(length), [problem.finals[0]]),
        "depth": (covers.of_depth(length), units),
    }
    for cover, ends in sets.values():
        assert cover is not None
        vectors = [suffix(problem, word, end) for word in words for end in ends]
        for _ in range(5):
            a = [draw.randint(0, 9) for _ in range(size)]
            b = [draw.randint(0, 9) for _ in range(size)]
            worst = largest(vectors, a, b)
            if not 0 < worst < math.inf:
                continue
            rows = rows_of([(a, b)])
            assert not covers.are_below(rows, cover, float(worst * Fraction(999_999, 10**6)))[0]
            assert not covers.are_below(rows, cover, float(worst))[0]
            assert covers.are_below(rows, cover, float(worst * Fraction(1_000_001, 10**6)))[0]


def test_columns_have_the_words_they_are_made_of() -> None:
    problem = hidden(random.Random(3), 4, 3, 0.2)
    covers = covers_of(problem)
    cover = covers.of_length(5)
    assert cover is not None
    assert cover.count < 3**5
    for column in range(cover.count):
        exact = suffix(problem, covers.word(5, column), problem.finals[0])
        shares = [float(Fraction(entry, sum(exact))) for entry in exact]
        np.testing.assert_allclose(cover.columns[:, column], shares, rtol=1e-13)


@pytest.mark.parametrize(("states", "fewer"), [(2, True), (3, True), (4, True), (5, False)])
def test_only_corners_are_kept_where_there_are_few_states(states: int, fewer: bool) -> None:
    covers = covers_of(hidden(random.Random(1), states, 3, 0))
    cover = covers.of_length(6)
    assert cover is not None
    assert (cover.count < 3**6) == fewer


def test_corners_that_rounding_lost_are_kept() -> None:
    """A column a little outside all others is never taken for one of them."""
    draw = np.random.default_rng(2)
    inner = draw.uniform(0.2, 0.3, (4, 300))
    inner /= inner.sum(axis=0)
    for apart in (1e-3, 1e-7):
        corner = inner[:, inner[0].argmax()] * np.array([1 + apart, 1, 1, 1])
        columns = np.column_stack([inner, corner / corner.sum()])
        kept, slack = module._corners(columns, TOLERANCE)
        assert 300 in kept
        assert slack < 1e-8
    with_nan = columns.copy()
    with_nan[:, 5] = np.nan
    try:
        kept, _ = module._corners(with_nan, TOLERANCE)
    except ValueError:
        kept = np.arange(301)
    assert 5 in kept


def test_a_flat_set_is_kept_whole() -> None:
    row = np.linspace(0.1, 0.2, 60)
    columns = np.stack([row, row, row, 1 - 3 * row])
    assert len(module._corners(columns, TOLERANCE)[0]) == 60


def test_equal_directions_are_kept_once_and_near_ones_apart() -> None:
    draw = np.random.default_rng(4)
    columns = draw.uniform(0.1, 1.0, (3, 40))
    nearly = columns * (1 + 2.0**-52)
    chosen, slack = module._distinct(np.column_stack([columns, nearly, columns * (1 + 1e-9)]))
    assert len(chosen) < 120
    assert len(chosen) >= 80
    assert 0 < slack < 1e-10


def test_a_hash_that_fails_merges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = np.random.default_rng(5).uniform(0.1, 1.0, (3, 40))
    monkeypatch.setattr(np, "unique", lambda *_, **__: (None, np.array([0]), np.zeros(40, int)))
    assert len(module._distinct(columns)[0]) == 40


def test_a_nan_shows_nothing() -> None:
    covers = covers_of(hidden(random.Random(3), 3, 2, 0))
    cover = Cover(np.array([[0.5], [np.nan], [0.5]]), 0.0, np.zeros(1, np.int64))
    rows = rows_of([([0, 0, 0], [9, 9, 9])])
    assert not covers.are_below(rows, cover, 1e6)[0]
    nowhere = Rows(np.full((1, 2, 3), np.nan), 0.0)
    good = covers.of_length(1)
    assert good is not None
    assert not covers.are_below(nowhere, good, 1e6)[0]
    assert covers.children(nowhere) is None


def test_numbers_too_small_for_floats_have_no_cover() -> None:
    tiny = Fraction(1, 10**70)
    half, none = Fraction(1, 2), Fraction(0)
    steps = [[[half, tiny], [tiny, half]]] * 2
    assert covers_of(shared_problem([1, 0], [0, 1], steps)).of_length(1) is None
    small = Fraction(1, 10**40)
    # Each step is fine, and four of them are too much.
    steps = [[[Fraction(1), none], [none, small]], [[Fraction(1), none], [none, small]]]
    deep = covers_of(shared_problem([1, 1], [1, 2], steps))
    assert deep.of_length(3) is not None
    assert deep.of_length(4) is None
    fine = covers_of(hidden(random.Random(1), 2, 2, 0))
    assert fine.start([0, 0], [0, 0]) is None
    assert fine.start([1, 10**70], [1, 1]) is None
    assert fine.of_length(10**6) is None


# -------------------------------------------------------------------------------- the quick search


def glances(problem: RatioProblem, ratio: Fraction, lengths: Lengths) -> list[object]:
    glance = Glance(problem)
    return [glance.run(ratio, lengths, limit, CLOCK) for limit in (FIRST, ROUNDS[0])]


_DEEPEST = 8
"""Of a cone that is followed in integers here: its vectors double with each symbol."""


def claim_of(certificate: Certificate) -> check.Claim:
    """What a proof shows: from its text, in integers, where its cone is small; else in memory."""
    if certificate.depth <= _DEEPEST:
        return check_certificate(json.loads(json.dumps(certificate.to_json())))
    return check_proof_found(certificate, Lengths(certificate.shortest, certificate.longest))


@pytest.mark.parametrize("group", range(20))
def test_a_thousand_models_with_zeros_agree_with_enumeration(group: int) -> None:
    answered = 0
    for seed in range(50 * group, 50 * group + 50):
        draw = random.Random(50_000 + seed)
        zeros = draw.choice([0, 0.3, 0.6])
        problem = hidden(draw, draw.randint(2, 4), draw.randint(2, 3), zeros)
        length = draw.randint(1, 5)
        worst, _ = largest_ratio(problem, length)
        ratios = [Fraction(3, 2)]
        if isinstance(worst, Fraction) and worst:
            ratios += [worst, worst * Fraction(999, 1000), worst * Fraction(1001, 1000)]
        for ratio in ratios:
            for found in glances(problem, ratio, Lengths(length, length)):
                answered += found is not None
                if isinstance(found, Exceeded):
                    assert worst > ratio
                    assert len(found.word) == length
                    assert (problem.ratio(found.word) or 0) > ratio
                elif isinstance(found, Proved):
                    assert worst <= ratio
                    written = json.loads(json.dumps(found.certificate.to_json()))
                    assert check_certificate(written).ratio == ratio
    assert answered > 150


@pytest.mark.parametrize("seed", range(40))
def test_every_length_at_once(seed: int) -> None:
    draw = random.Random(60_000 + seed)
    problem = hidden(draw, 3, 2, draw.choice([0, 0.4]))
    worst = max(largest_ratio(problem, length)[0] for length in range(1, 6))
    for ratio in (Fraction(5, 4), Fraction(2), Fraction(6)):
        for found in glances(problem, ratio, Lengths(1, None)):
            assert not isinstance(found, Exceeded)
            if isinstance(found, Proved):
                assert worst <= ratio
                assert claim_of(found.certificate).longest is None


def test_a_tie_is_left_to_integers() -> None:
    problem = hidden(random.Random(9), 3, 2, 0)
    worst, _ = largest_ratio(problem, 4)
    assert isinstance(worst, Fraction)
    assert glances(problem, worst, Lengths(4, 4)) == [None, None]


def test_an_interrupt_of_the_quick_search_is_told_to_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    clock = Clock(Limits(None))
    glance = Glance(hidden(random.Random(9), 3, 2, 0))
    monkeypatch.setattr(Covers, "are_below", interrupted)
    assert glance.run(Fraction(2), Lengths(40, 40), FIRST, clock) is None
    assert clock.is_interrupted


def test_prefixes_that_stay_open_are_not_followed_for_ever() -> None:
    half, none = Fraction(1, 2), Fraction(0)
    still = [[[half, none], [none, half]]] * 2
    glance = Glance(shared_problem([1, 0], [0, 1], still))
    assert glance.run(Fraction(2), Lengths(1, None), Round(64, 3, 10**6), CLOCK) is None


@pytest.mark.parametrize("digits", [100, 330, 400])
def test_a_weight_below_the_range_of_floats_is_no_zero(digits: int) -> None:
    small, none = Fraction(1, 10**digits), Fraction(0)
    rare = [[[1 - small, none], [none, 1 - small / 10]], [[small, none], [none, small / 10]]]
    plain = [[[1, 0], [0, 0]], [[0, 0], [0, 1]]]
    still = [[int(i == j) for j in range(3)] for i in range(3)]
    for problem in (
        shared_problem([1, 0], [0, 1], rare),
        shared_problem([1 - small, small], [1 - small / 10, small / 10], plain),
        # Final weights, which the matrices keep: 0 and a word that is 10 times as likely.
        shared_problem([1, small, 0], [1, 0, small / 10], [still], [0, 1, 1]),
    ):
        assert problem.is_conserving
        glance = Glance(problem)
        for limit in (FIRST, *ROUNDS):
            found = glance.run(Fraction(2), Lengths(1, 2), limit, CLOCK)
            assert not isinstance(found, Proved)


def test_no_more_prefixes_are_made_than_a_round_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    # States that never move: no prefix can be dropped.
    size, symbols = 5, 40
    draw = random.Random(8)
    seen = [law(draw, symbols, 0.0) for _ in range(size)]
    matrices = [
        [[seen[i][x] * int(i == j) for j in range(size)] for i in range(size)]
        for x in range(symbols)
    ]
    problem = shared_problem(law(draw, size, 0.0), law(draw, size, 0.0), matrices)
    made = []
    children = Covers.children

    def counted(self: Covers, rows: Rows) -> Rows | None:
        made.append(len(rows.pairs) * symbols)
        return children(self, rows)

    monkeypatch.setattr(Covers, "children", counted)
    limit = Round(64, 2, 100)
    assert Glance(problem).run(Fraction(1001, 1000), Lengths(1, 9), limit, CLOCK) is None
    assert made
    assert max(made) <= limit.prefixes
