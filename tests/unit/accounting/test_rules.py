"""Each published theorem against enumeration, and what goes wrong without its conditions."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from privet.accounting import rules
from privet.chains import ChainBox, MarkovChain
from privet.errors import DataError, ParameterError
from privet.privacy import IndependentRecords, MarkovFramework, RecordLoss

Rows = list[list[Fraction]]
INDEPENDENT = IndependentRecords()
COIN = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]])
STICKY = MarkovChain(["1/2", "1/2"], [["9/10", "1/10"], ["1/10", "9/10"]])
FAST = MarkovChain(["1/2", "1/2"], [["3/5", "2/5"], ["2/5", "3/5"]])


def table(
    length: int, law: Callable[[tuple[int, ...]], Sequence[Fraction]], states: int = 2
) -> Rows:
    return [list(law(word)) for word in product(range(states), repeat=length)]


def both(one: Rows, two: Rows) -> Rows:
    return [[p * q for p in a for q in b] for a, b in zip(one, two, strict=True)]


def truth(share: Fraction) -> Callable[[int], tuple[Fraction, Fraction]]:
    """Binary randomised response: the bit is told truthfully with that probability."""
    return lambda bit: (share, 1 - share) if bit == 0 else (1 - share, share)


def random_chain(generator: np.random.Generator, states: int) -> MarkovChain:
    rows = generator.integers(1, 12, (states + 1, states)).tolist()
    shares = [[Fraction(each, sum(row)) for each in row] for row in rows]
    return MarkovChain(shares[0], shares[1:])


def random_rows(generator: np.random.Generator, words: int, outputs: int) -> Rows:
    """Some of them are steep, so that bounds are nearly met."""
    rows = (generator.integers(1, 4, (words, outputs)) ** generator.integers(1, 4)).tolist()
    return [[Fraction(each, sum(row)) for each in row] for row in rows]


def on_part(rows: Rows, length: int, part: tuple[int, int], states: int) -> Rows:
    """The table of a mechanism that looks at the nodes of the part only."""
    narrow = dict(zip(product(range(states), repeat=part[1] - part[0]), rows, strict=True))
    return table(length, lambda word: narrow[word[part[0] : part[1]]], states)


def slow_epsilon(
    chain: MarkovChain, start: Sequence[Fraction], length: int, rows: Rows, nodes: Sequence[int]
) -> float:
    """From the definition, in floats."""
    worst = 0.0
    words = list(product(range(len(start)), repeat=length))
    weights = [
        float(start[w[0]]) * math.prod(float(chain.exact_transition[x][y]) for x, y in pairwise(w))
        for w in words
    ]
    for node in nodes:
        laws = []
        for value in range(len(start)):
            mass = sum(p for w, p in zip(words, weights, strict=True) if w[node] == value)
            if mass > 0:
                laws.append(
                    [
                        sum(
                            p * float(row[output])
                            for w, p, row in zip(words, weights, rows, strict=True)
                            if w[node] == value
                        )
                        / mass
                        for output in range(len(rows[0]))
                    ]
                )
        for one in laws:
            for two in laws:
                worst = max(worst, *(math.log(p / q) for p, q in zip(one, two, strict=True)))
    return worst


# Independent records ------------------------------------------------------------------------------


def test_sequential_composition_is_the_sum_and_is_reached() -> None:
    told = table(1, lambda word: truth(Fraction(3, 4))(word[0]))
    framework = MarkovFramework(COIN)
    alone = rules.pufferfish_epsilon(framework, 1, told)
    together = rules.pufferfish_epsilon(framework, 1, both(told, told))
    assert float(alone) == pytest.approx(math.log(3), abs=1e-12)
    charged = rules.sequential_composition(INDEPENDENT, [Fraction(alone)] * 2)
    assert float(charged) == pytest.approx(float(together), abs=1e-12)


def test_parallel_composition_is_the_largest() -> None:
    releases: list[tuple[str, tuple[int, int]]] = [
        ("1/2", (5, 9)),
        ("0.7", (0, 5)),
        ("1/3", (9, 10)),
    ]
    assert rules.parallel_composition(INDEPENDENT, releases) == Fraction(7, 10)
    losses = [RecordLoss.segment(10, *part, each) for each, part in releases]
    assert INDEPENDENT.epsilon(losses[0] + losses[1] + losses[2]) >= Fraction(7, 10)


@pytest.mark.parametrize(
    ("framework", "parts", "condition"),
    [
        (INDEPENDENT, ((0, 3), (2, 5)), "a record is part of two releases"),
        (INDEPENDENT, ((0, 3), (3, 3)), "a part has no records"),
        (IndependentRecords(2), ((0, 3), (3, 5)), "more than one record"),
        (IndependentRecords("all"), ((0, 3), (3, 5)), "more than one record"),
        (MarkovFramework(COIN), ((0, 3), (3, 5)), "not independent"),
    ],
)
def test_parallel_composition_names_the_condition(
    framework: IndependentRecords | MarkovFramework,
    parts: tuple[tuple[int, int], ...],
    condition: str,
) -> None:
    with pytest.raises(ParameterError, match=condition):
        rules.parallel_composition(framework, [(1, part) for part in parts])


def test_two_parts_of_one_unit_cost_more_than_the_largest() -> None:
    """Parallel composition without its last condition: two records are protected together."""
    share = Fraction(3, 4)
    told = table(2, lambda word: truth(share)(word[0]))
    also = table(2, lambda word: truth(share)(word[1]))
    joint = both(told, also)
    worst = max(p / q for p, q in zip(joint[0], joint[3], strict=True))
    assert worst == 9  # e^(2 log 3), where the largest epsilon is log 3
    loss = RecordLoss.constant(2, math.log(3))
    assert float(IndependentRecords(2).epsilon(loss)) == pytest.approx(2 * math.log(3))


def test_parallel_composition_fails_on_a_chain() -> None:
    """One bit told of each of two neighbouring nodes; each is worth log 3 alone."""
    framework = MarkovFramework(STICKY)
    one = table(2, lambda word: truth(Fraction(3, 4))(word[0]))
    two = table(2, lambda word: truth(Fraction(3, 4))(word[1]))
    composed = rules.from_output_tables(framework, 2, one, two)
    largest = max(composed.first, composed.second)
    assert float(largest) == pytest.approx(math.log(3))
    assert composed.exact > 1.5 * float(largest)
    with pytest.raises(ParameterError, match="not independent"):
        rules.parallel_composition(framework, [(1, (0, 1)), (1, (1, 2))])
    share = rules.disjoint_subchains(
        framework, (0, 1), (1, 2), (Fraction(composed.first), Fraction(composed.second))
    )
    assert composed.exact <= share


def test_two_pufferfish_mechanisms_safe_alone_and_unsafe_together() -> None:
    """Three fair bits: the sum of two, and the sum of all, modulo 2. Together they are the third.

    Alone each is a fair bit whatever one node is, so both cost nothing. Noise on the two does not
    help: no sum of epsilons covers what they say together, while their record losses do.
    """
    framework = MarkovFramework(COIN)
    for share in (Fraction(1), Fraction(3, 4)):
        pair = table(3, lambda w, p=share: truth(p)((w[0] + w[1]) % 2))  # type: ignore[misc]  # bound now
        every = table(3, lambda w, p=share: truth(p)(sum(w) % 2))  # type: ignore[misc]  # bound now
        composed = rules.from_output_tables(framework, 3, pair, every)
        assert composed.first == composed.second == 0
        assert rules.sum_of_quilt_mechanisms(framework, [0, 0]) == 0
        assert rules.same_active_quilts(framework, 3, [0, 0]) == 0
        if share == 1:
            assert composed.exact == composed.bound == math.inf
            continue
        assert float(composed.exact) == pytest.approx(math.log(5 / 3))
        assert composed.exact <= composed.bound < math.inf
        losses = RecordLoss.from_values([math.log(3), math.log(3), 0]) + RecordLoss.constant(
            3, math.log(3)
        )
        assert framework.epsilon(losses) >= Fraction(composed.exact)


def test_disjoint_subchains_fail_where_the_parts_overlap() -> None:
    """III.1 without its condition: both epsilons are 0, and so would be the theorem's."""
    framework = MarkovFramework(COIN)
    one = table(3, lambda w: truth(Fraction(1))((w[0] + w[1]) % 2))
    two = table(3, lambda w: truth(Fraction(1))(sum(w) % 2))
    assert rules.from_output_tables(framework, 3, one, two).exact == math.inf
    with pytest.raises(ParameterError, match="does not end before the second begins"):
        rules.disjoint_subchains(framework, (0, 2), (0, 3), (0, 0))


# III.1 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [2, 3])
@pytest.mark.parametrize("parts", [((0, 2), (2, 4)), ((0, 1), (2, 4)), ((1, 2), (2, 3))])
def test_disjoint_subchains_hold(states: int, parts: tuple[tuple[int, int], ...]) -> None:
    """Random chains and mechanisms: the exact epsilon on the nodes of the parts is never above."""
    generator = np.random.default_rng(states)
    length, covered = 4, [*range(*parts[0]), *range(*parts[1])]
    for _ in range(12):
        framework = MarkovFramework(random_chain(generator, states))
        one, two = (
            on_part(random_rows(generator, states ** (part[1] - part[0]), 2), length, part, states)
            for part in parts
        )
        alone = [Fraction(rules.pufferfish_epsilon(framework, length, each)) for each in (one, two)]
        charged = rules.disjoint_subchains(framework, parts[0], parts[1], (alone[0], alone[1]))
        exact = rules.pufferfish_epsilon(framework, length, both(one, two), nodes=covered)
        assert exact <= charged


def test_the_influence_between_the_parts_is_needed_and_reached() -> None:
    """Telling both ends of a step truthfully costs eps + e in the limit; without e it would not."""
    framework = MarkovFramework(STICKY)
    one = table(2, lambda word: truth(Fraction(3, 4))(word[0]))
    two = table(2, lambda word: truth(1 - Fraction(1, 10**9))(word[1]))
    composed = rules.from_output_tables(framework, 2, one, two)
    first, second = Fraction(composed.first), Fraction(composed.second)
    charged = rules.disjoint_subchains(framework, (0, 1), (1, 2), (first, second))
    assert composed.exact <= charged
    assert composed.exact > max(first, second) + Fraction(1, 2)
    of_first = rules.pufferfish_epsilon(framework, 2, both(one, two), nodes=[0])
    influence = framework.max_influence(2, 0, [1])
    assert float(of_first) == pytest.approx(float(first) + influence, abs=1e-6)


def test_an_infinite_influence_is_replaced_by_the_other_epsilon() -> None:
    still = MarkovFramework(MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]]))
    assert rules.disjoint_subchains(still, (0, 2), (2, 3), ("1/2", "1/3")) == Fraction(5, 6)
    assert rules.disjoint_subchains(MarkovFramework(COIN), (0, 2), (2, 3), (1, 2)) == 2


# III.3 --------------------------------------------------------------------------------------------


def test_disjoint_subchains_with_quilts() -> None:
    framework = MarkovFramework(FAST, initial="stationary")
    charged = rules.disjoint_subchains_with_quilts(framework, (0, 60), (90, 150), (1, 2))
    assert charged == 2
    with pytest.raises(ParameterError, match=r"begins 1 nodes after .* the quilts reach \d+"):
        rules.disjoint_subchains_with_quilts(framework, (0, 60), (60, 120), (1, 2))
    for first, which in (((0, 2), "first"), ((0, 60), "second")):
        with pytest.raises(ParameterError, match=f"no node of the {which} part"):
            rules.disjoint_subchains_with_quilts(framework, first, (90, 92), (1, 1))
    with pytest.raises(ParameterError, match=r"Lemma II.3 does not cover"):
        rules.disjoint_subchains_with_quilts(
            MarkovFramework(MarkovChain([1, 0], [[0, 1], [1, 0]])), (0, 60), (90, 150), (1, 1)
        )
    box = ChainBox([["0.4", "0.4"], ["0.4", "0.4"]], [["0.6", "0.6"], ["0.6", "0.6"]])
    with pytest.raises(ParameterError, match="not a box"):
        rules.disjoint_subchains_with_quilts(MarkovFramework(box), (0, 60), (90, 150), (1, 1))


def test_without_quilts_inside_the_parts_the_largest_epsilon_is_too_little() -> None:
    """Parts of a single node have the empty quilt: two noisy bits of a slow chain nearly add up."""
    framework = MarkovFramework(STICKY, initial="stationary")
    scale = framework.quilt_scale(1, epsilon=1, method="approximate")
    assert scale == 1
    keep = Fraction(math.e) / (1 + Fraction(math.e))
    one = table(2, lambda word: truth(keep)(word[0]))
    two = table(2, lambda word: truth(keep)(word[1]))
    composed = rules.from_output_tables(framework, 2, one, two)
    assert float(max(composed.first, composed.second)) == pytest.approx(1)
    assert composed.exact > 1.5
    with pytest.raises(ParameterError, match="both sides inside the part"):
        rules.disjoint_subchains_with_quilts(framework, (0, 1), (1, 2), (1, 1))


# II.6 and III.7 -----------------------------------------------------------------------------------


def test_the_same_quilts() -> None:
    framework = MarkovFramework(FAST, initial="stationary")
    assert rules.same_active_quilts(framework, 10**6, ["1/2"] * 3) == Fraction(3, 2)
    with pytest.raises(ParameterError, match=r"the active quilt of node \d+ is not the same"):
        rules.same_active_quilts(framework, 100, ["1/2", 5])
    with pytest.raises(ParameterError, match="up to 512 nodes only"):
        rules.same_active_quilts(framework, 1000, ["1/2", 5])
    with pytest.raises(ParameterError, match="about Markov chains"):
        rules.same_active_quilts(INDEPENDENT, 100, [1, 1])
    # On a slow and short chain every run has the empty quilts, whatever its epsilon.
    slow = MarkovFramework(STICKY)
    assert rules.same_active_quilts(slow, 3, [1, "1/2"]) == 2
    assert rules.same_active_quilts(slow, 3, [1, "1/2"], method="approximate") == 2
    assert rules.sum_of_quilt_mechanisms(slow, [1, "1/2"]) == Fraction(3, 2)


def test_the_active_quilts_are_those_of_the_plain_double_loop() -> None:
    framework, length, epsilon = MarkovFramework(FAST, initial="stationary"), 12, 2.0
    from privet.accounting.rules.quilts import active_quilts
    from privet.chains.sides import ChainSides

    sides = ChainSides(FAST, "stationary", length, np.longdouble)
    for node, (left, right) in enumerate(active_quilts(sides, range(length), epsilon)):
        values = {}
        for a in [*range(1, node + 1), None]:
            for b in [*range(1, length - node), None]:
                quilt = [node + step for step in (-a if a else 0, b or 0) if step]
                e = framework.max_influence(length, node, quilt)
                stop, start = node + b if b else length, node - a + 1 if a else 0
                if e < epsilon:
                    values[a, b] = (stop - start) / (epsilon - e)
        assert values[left, right] == pytest.approx(min(values.values()), rel=1e-9)


def test_runs_on_independent_records_are_refused() -> None:
    for call in (
        lambda: rules.sum_of_quilt_mechanisms(INDEPENDENT, [1]),
        lambda: rules.disjoint_subchains(INDEPENDENT, (0, 1), (1, 2), (1, 1)),
        lambda: rules.from_output_tables(INDEPENDENT, 1, [[1], [1]], [[1], [1]]),
    ):
        with pytest.raises(ParameterError, match="about Markov chains"):
            call()
    with pytest.raises(ParameterError, match="none of them negative"):
        rules.sum_of_quilt_mechanisms(MarkovFramework(COIN), [-1])
    with pytest.raises(ParameterError, match="one epsilon or more"):
        rules.sequential_composition(INDEPENDENT, [])
    with pytest.raises(ParameterError, match="a part has no nodes"):
        rules.disjoint_subchains(MarkovFramework(COIN), (0, 0), (1, 2), (1, 1))


# III.5 and III.6 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("initial", ["given", "stationary"])
def test_output_tables_are_what_the_definition_says(initial: str) -> None:
    generator = np.random.default_rng(7)
    for _ in range(8):
        chain = random_chain(generator, 2)
        start = chain.exact_initial if initial == "given" else chain.exact_stationary()
        framework = MarkovFramework(chain, initial=initial)  # type: ignore[arg-type]  # either
        one, two = (random_rows(generator, 8, 2), random_rows(generator, 8, 3))
        composed = rules.from_output_tables(framework, 3, one, two)
        nodes = range(3)
        for value, rows in (
            (composed.first, one),
            (composed.second, two),
            (composed.exact, both(one, two)),
        ):
            assert float(value) == pytest.approx(
                slow_epsilon(chain, start, 3, rows, nodes), abs=1e-9
            )
        assert composed.exact <= composed.bound


def test_output_tables_can_say_less_than_the_sum_and_less_than_the_losses() -> None:
    """Noisy parities of two nodes: their losses allow for mechanisms that tell far more."""
    framework = MarkovFramework(STICKY)
    keep = Fraction(3, 4)
    parity = table(2, lambda word: truth(keep)((word[0] + word[1]) % 2))
    first = table(2, lambda word: truth(keep)(word[0]))
    composed = rules.from_output_tables(framework, 2, parity, first)
    losses = RecordLoss.constant(2, math.log(3)) + RecordLoss.segment(2, 0, 1, math.log(3))
    assert composed.exact < composed.bound
    assert composed.exact < Fraction(1, 2) * framework.epsilon(losses)
    told = rules.from_output_tables(framework, 2, first, first)
    assert told.exact == told.first + told.second  # here the sum is the truth


def test_a_family_is_as_bad_as_its_worst_chain() -> None:
    told = table(2, lambda word: truth(Fraction(3, 4))(word[0]))
    also = table(2, lambda word: truth(Fraction(3, 4))(word[1]))
    each = [
        rules.from_output_tables(MarkovFramework(chain), 2, told, also) for chain in (COIN, STICKY)
    ]
    joint = rules.from_output_tables(MarkovFramework([COIN, STICKY]), 2, told, also)
    assert joint.exact == max(one.exact for one in each)


def test_a_state_that_cannot_be_is_no_secret() -> None:
    framework = MarkovFramework(MarkovChain([1, 0], [["1/2", "1/2"], ["1/2", "1/2"]]))
    told = table(2, lambda word: truth(Fraction(1))(word[0]))
    assert rules.pufferfish_epsilon(framework, 2, told) == 0


def test_tables_that_are_none() -> None:
    framework = MarkovFramework(COIN)
    good = [[Fraction(1, 2)] * 2] * 2
    for bad, message in (
        ([[1, 0]], "a row for each of the 2 series"),
        ([[1, 0], [1]], "same width"),
        ([["0.5", "0.4"], [1, 0]], "Row 0 of an output table"),
        ([[1, 0], [2, -1]], "Row 1 of an output table"),
    ):
        with pytest.raises(DataError, match=message):
            rules.from_output_tables(framework, 1, good, bad)  # type: ignore[arg-type]  # bad
    with pytest.raises(ParameterError, match="too long"):
        rules.from_output_tables(framework, 10**9, good, good)
    with pytest.raises(ParameterError, match="the law of the first node is not known"):
        rules.from_output_tables(MarkovFramework(COIN, initial="any"), 1, good, good)
