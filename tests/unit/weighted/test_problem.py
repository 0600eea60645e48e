"""Two weighted automata under a control become one problem in integers."""

import math
from fractions import Fraction
from typing import Any

import pytest

from privet.errors import ModelError
from privet.weighted import Control, WeightedAutomaton, shared_problem, two_automata_problem
from privet.weighted.problem import Matrix, RatioProblem, Word, quotient
from privet.weighted.reference import excess, largest_ratio, weighted_words

HALF, NONE = Fraction(1, 2), Fraction(0)
COIN = [
    [[HALF, NONE], [NONE, Fraction(1, 4)]],
    [[NONE, HALF], [Fraction(1, 4), HALF]],
]


def by_definition(automaton: WeightedAutomaton, word: Word) -> Fraction:
    vector = [Fraction(x) for x in automaton.initial]
    for symbol in word:
        matrix = automaton.matrices[symbol]
        size = range(len(vector))
        vector = [sum((vector[i] * matrix[i][j] for i in size), Fraction(0)) for j in size]
    return sum((v * f for v, f in zip(vector, automaton.final, strict=True)), Fraction(0))


def test_ratios_are_those_of_the_two_automata() -> None:
    first = WeightedAutomaton([1, HALF], COIN, [1, 3])
    second = WeightedAutomaton([HALF], [[[Fraction(2, 3)]], [[Fraction(1, 7)]]], [2])
    problem = two_automata_problem(first, second)
    for word, _, _ in weighted_words(problem, 4):
        expected = by_definition(first, word) / by_definition(second, word)
        assert problem.ratio(word) == expected


def test_a_control_leaves_words_out() -> None:
    # Words over {0, 1} in which 1 comes last, once; state 2 is a dead end and is dropped.
    control = Control(((0, 1), (2, 2), (2, 2)), (False, True, False))
    problem = shared_problem([1, 0], [0, 1], COIN, control=control)
    assert [word for word, a, b in weighted_words(problem, 3) if a or b] == [(0, 0, 1)]
    assert len(problem.moves) == 2
    assert problem.ratio((1, 1)) is None


def test_automata_that_agree_from_somewhere_on_share_one_block() -> None:
    other = [COIN[0], [[NONE, HALF], [HALF, NONE]]]
    control = Control(((0, 1), (1, -1)), (False, True))
    first, second = (
        WeightedAutomaton([1, 1], COIN, [1, 1]),
        WeightedAutomaton([1, 1], other, [1, 1]),
    )
    problem = two_automata_problem(first, second, control)
    assert [len(final) for final in problem.finals] == [4, 2]
    for word in ((1,), (0, 1), (1, 0, 0), (0, 1, 0)):
        assert problem.ratio(word) == by_definition(first, word) / by_definition(second, word)


def test_a_stochastic_model_conserves_and_a_filtered_one_does_not() -> None:
    stochastic = [[[HALF, NONE], [NONE, HALF]], [[NONE, HALF], [HALF, NONE]]]
    assert shared_problem([1, 0], [0, 1], stochastic).is_conserving
    assert not shared_problem([1, 0], [0, 1], stochastic, final=[1, 2]).is_conserving
    blocked = Control(((0, -1),), (True,))
    assert shared_problem([1, 0], [0, 1], stochastic, control=blocked).moves == ((0, -1),)
    nowhere = Control(((-1, -1),), (True,))
    assert not shared_problem([1, 0], [0, 1], stochastic, control=nowhere).is_conserving


def test_quotients() -> None:
    assert quotient(6, 4) == Fraction(3, 2)
    assert quotient(1, 0) == math.inf
    assert quotient(0, 0) is None


def test_the_reference_finds_infinity_and_nothing() -> None:
    one: Matrix = ((1,),)
    alone = RatioProblem(((0,),), ((one,),), ((1,),), 0, (1,), (0,))
    assert largest_ratio(alone, 2) == (math.inf, (0, 0))
    assert excess(alone, Fraction(5), 2) == 1
    empty = RatioProblem(((-1,),), ((None,),), ((1,),), 0, (1,), (1,))
    assert largest_ratio(empty, 1) == (0, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [1], [[[-1]]]), "negative"),
        (([-1], [1], [[[1]]]), "negative"),
        (([1], [1], [[[1, 2]]]), "not square"),
        (([1], [1], []), "needs states"),
        (([], [], [[[1]]]), "needs states"),
        (([1], [1, 1], [[[1]]]), "needs states|not square"),
        (([1], [1], [[[1]]], None, Control(((0, 0),), (True,))), "one row per state"),
        (([1], [1], [[[1]]], None, Control(((5,),), (True,))), "does not have"),
        (([1], [1], [[[1]]], None, Control(((0,),), (True,), 3)), "one row per state"),
    ],
)
def test_what_is_no_problem_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        shared_problem(*arguments)


def test_automata_over_different_symbols_are_refused() -> None:
    one, two = WeightedAutomaton([1], [[[1]]], [1]), WeightedAutomaton([1], [[[1]]] * 2, [1])
    with pytest.raises(ModelError, match="different numbers of symbols"):
        two_automata_problem(one, two)


def test_a_step_that_does_not_exist_is_refused() -> None:
    problem = RatioProblem(((-1,),), ((None,),), ((1,),), 0, (1,), (1,))
    with pytest.raises(ModelError, match="no such move"):
        problem.step(0, (1,), 0)
