"""Two thousand small models with many zeros: the engine says what plain enumeration says."""

import math
import random
from fractions import Fraction
from itertools import product

import pytest

from privet import HiddenMarkovModel, verify

Law = list[Fraction]
MODELS_PER_TEST = 200


def law(draw: random.Random, size: int) -> Law:
    """Half of the entries are zero, more or less."""
    weights = [draw.choice([0, 0, 1, 2, 3]) for _ in range(size)]
    weights[draw.randrange(size)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def chances(model: HiddenMarkovModel, start: Law, length: int) -> list[Fraction]:
    """P(word) for every word in order, by the definition: a sum over all paths of states."""
    rows, seen = model.exact_transition, model.exact_emission
    states = range(len(start))
    words: list[list[Fraction]] = [[*start]]
    for position in range(length):
        if position:
            words = [
                [sum((w[r] * rows[r][s] for r in states), Fraction(0)) for s in states]
                for w in words
            ]
        words = [[w[s] * seen[s][x] for s in states] for w in words for x in range(len(seen[0]))]
    return [sum(word, Fraction(0)) for word in words]


def enumerated(over: list[Fraction], under: list[Fraction]) -> Fraction | float:
    ratios: list[Fraction | float] = [
        a / b if b else math.inf for a, b in zip(over, under, strict=True) if a or b
    ]
    return max(ratios)


@pytest.mark.parametrize("block", range(2000 // MODELS_PER_TEST))
def test_verdict_ratio_and_witness(block: int) -> None:
    draw = random.Random(block)
    for _ in range(MODELS_PER_TEST):
        states, symbols = draw.randint(2, 4), draw.randint(2, 3)
        length = draw.randint(1, 4 if symbols == 2 else 3)
        steps = [law(draw, states) for _ in range(states)]
        model = HiddenMarkovModel(steps, [law(draw, symbols) for _ in range(states)])
        first, second = law(draw, states), law(draw, states)
        over, under = chances(model, first, length), chances(model, second, length)
        expected = enumerated(over, under)
        found, witness = verify.worst_ratio(model, first, second, length)
        assert found == expected
        words = list(product(range(symbols), repeat=length))
        place = words.index(tuple(witness))  # type: ignore[arg-type]  # codes
        assert (over[place] / under[place] if under[place] else math.inf) == expected
        for claimed in {Fraction(draw.randint(4, 12), 4), *at_the_edge(expected)}:
            outcome = verify.hidden_markov(model, first, second, ratio=claimed, length=length)
            assert isinstance(outcome, verify.Violated if expected > claimed else verify.Holds)
            if isinstance(outcome, verify.Violated):
                shown = words.index(tuple(outcome.word))  # type: ignore[arg-type]  # codes
                assert (over[shown], under[shown]) == (
                    outcome.first_probability,
                    outcome.second_probability,
                )
                assert over[shown] > claimed * under[shown]


def at_the_edge(worst: Fraction | float) -> list[Fraction]:
    """The ratio that just holds, and one that just does not."""
    if not isinstance(worst, Fraction):
        return []
    return [worst, worst * (1 - Fraction(1, 10**40))]


@pytest.mark.parametrize("seed", range(10))
def test_what_holds_for_every_length_holds_for_each(seed: int) -> None:
    draw = random.Random(100 + seed)
    for _ in range(10):
        steps = [law(draw, 3) for _ in range(3)]
        model = HiddenMarkovModel(steps, [law(draw, 2) for _ in range(3)])
        first, second = law(draw, 3), law(draw, 3)
        outcome = verify.hidden_markov(model, first, second, ratio=3, time_limit=5, node_limit=300)
        worst = [
            enumerated(chances(model, first, k), chances(model, second, k)) for k in range(1, 7)
        ]
        assert worst == sorted(worst)
        if isinstance(outcome, verify.Holds):
            assert worst[-1] <= 3
        elif isinstance(outcome, verify.Violated):
            assert outcome.ratio > 3
        else:
            assert outcome.bracket.low <= outcome.bracket.high
            assert worst[-1] <= max(3, outcome.bracket.high)
