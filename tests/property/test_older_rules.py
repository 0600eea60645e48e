"""Adding record losses is never worse than the published theorems, on random chains and losses.

The theorems get the epsilons that the Markov Quilt Mechanism has by itself: those of its quilts.
III.1 and III.3 speak of the nodes of two parts, so there the nodes are looked at one by one.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting import Accountant, rules
from privet.accounting.older import older_charges
from privet.chains import MarkovChain
from privet.chains.marginals import Initial
from privet.chains.quilt.loads import Loads
from privet.chains.quilt.objectives import LossObjective
from privet.chains.quilt.search import Search
from privet.chains.sides import ChainSides
from privet.errors import ModelError, ParameterError
from privet.privacy import MarkovFramework, RecordLoss

CLOSE = 1 + Fraction(1, 10**8)
"""Bounds found by search are within that of the best ones."""

INITIALS: st.SearchStrategy[Initial] = st.sampled_from(["given", "stationary", "any"])


@st.composite
def laws(draw: st.DrawFn, states: int, least: int = 0) -> list[Fraction]:
    weights = [draw(st.integers(least, 9)) for _ in range(states)]
    weights[draw(st.integers(0, states - 1))] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def frameworks(draw: st.DrawFn, least: int = 0) -> MarkovFramework:
    states = draw(st.integers(2, 3))
    chains = [
        MarkovChain(draw(laws(states, least)), [draw(laws(states, least)) for _ in range(states)])
        for _ in range(draw(st.integers(1, 2)))
    ]
    try:
        return MarkovFramework(chains, initial=draw(INITIALS))
    except ModelError:  # no single stationary law
        return MarkovFramework(chains)


VALUES = st.sampled_from(["0", "0.01", "0.1", "0.5", "1", "3"])


@st.composite
def two_parts(draw: st.DrawFn) -> tuple[tuple[int, int], tuple[int, int]]:
    cuts = [0, *(draw(st.integers(*span)) for span in ((1, 12), (0, 12), (1, 12)))]
    a, b, c, d = np.cumsum(cuts).tolist()
    before = draw(st.integers(0, 3))
    return (a + before, b + before), (c + before, d + before)


def joint_quilts(framework: MarkovFramework, loss: RecordLoss, node: int) -> Fraction:
    """What quilts alone say of one node: at or above what the accountant says of it."""
    loads = Loads(loss.pieces)
    objective, worst = LossObjective(loads.unit), Fraction(0)
    assert isinstance(framework.chains, tuple)
    with np.errstate(over="ignore"):
        for chain in framework.chains:
            sides = ChainSides(chain, framework.initial, loss.length, np.longdouble)
            choice = Search(sides, loads, objective, range(node, node + 1)).best((), -1.0)
            worst = max(worst, objective.exact(choice.influence, choice.load))
    return worst


@settings(max_examples=25)
@given(frameworks(), st.data())
def test_never_above_the_sums(framework: MarkovFramework, data: st.DataObject) -> None:
    """Theorems II.6 and III.7, for releases that read the series as they like."""
    length = data.draw(st.integers(1, 20))
    losses = [
        RecordLoss.from_values(data.draw(st.lists(VALUES, min_size=length, max_size=length)))
        for _ in range(data.draw(st.integers(1, 4)))
    ]
    alone = [framework.epsilon(loss, method="quilt") for loss in losses]
    total = losses[0]
    for loss in losses[1:]:
        total = total + loss
    charged = rules.sum_of_quilt_mechanisms(framework, alone)
    assert framework.epsilon(total, method="quilt") <= charged * CLOSE
    accountant = Accountant(framework)
    for loss in losses:
        accountant.add(loss)
    assert accountant.epsilon() <= charged * CLOSE
    assert charged <= len(alone) * max(alone)  # II.6, where its condition holds


@settings(max_examples=25)
@given(frameworks(), two_parts(), st.data())
def test_never_above_disjoint_subchains(
    framework: MarkovFramework,
    parts: tuple[tuple[int, int], tuple[int, int]],
    data: st.DataObject,
) -> None:
    """Theorem III.1 with the smaller of influence and epsilon, on the nodes of the parts."""
    length = parts[1][1] + data.draw(st.integers(0, 3))
    losses = []
    for start, stop in parts:
        inner = data.draw(st.lists(VALUES, min_size=stop - start, max_size=stop - start))
        losses.append(RecordLoss.from_values(["0"] * start + inner + ["0"] * (length - stop)))
    alone = [framework.epsilon(loss, method="quilt") for loss in losses]
    charged = rules.disjoint_subchains(framework, *parts, (alone[0], alone[1]))
    total = losses[0] + losses[1]
    accountant = Accountant(framework).add(losses[0]).add(losses[1])
    for node in (*range(*parts[0]), *range(*parts[1])):
        assert joint_quilts(framework, total, node) <= charged * CLOSE
    for node in (parts[0][1] - 1, parts[1][0]):  # the ends that face each other
        assert accountant.epsilon_of(node) <= charged * CLOSE


@settings(max_examples=20)
@given(frameworks(least=4), st.data())
def test_never_above_disjoint_subchains_with_quilts(
    framework: MarkovFramework, data: st.DataObject
) -> None:
    """Theorem III.3: the approximate mechanism's epsilon is above what its loss really costs."""
    spans = [data.draw(st.integers(8, 60)) for _ in range(2)]
    gap = data.draw(st.integers(0, 40))
    values = [data.draw(st.sampled_from(["0.02", "0.1", "0.5"])) for _ in range(2)]
    (_, stop), (start, end) = parts = (0, spans[0]), (spans[0] + gap, spans[0] + gap + spans[1])
    losses = [
        RecordLoss.segment(end, 0, stop, values[0]),
        RecordLoss.segment(end, start, end, values[1]),
    ]
    found = {
        each.theorem: each for each in older_charges(framework, [("", loss, 1) for loss in losses])
    }
    charged = found["III.3"].epsilon
    if charged is None:
        assert "quilt" in found["III.3"].why_not or "Lemma" in found["III.3"].why_not
        return
    total = losses[0] + losses[1]
    accountant = Accountant(framework).add(losses[0]).add(losses[1])
    nodes = {0, stop // 2, stop - 1, start, (start + end) // 2, end - 1}
    for node in nodes:
        assert any(first <= node < last for first, last in parts)
        assert joint_quilts(framework, total, node) <= charged * CLOSE
    assert accountant.epsilon_of(stop - 1) <= charged * CLOSE


@settings(max_examples=25)
@given(st.data())
def test_output_tables_can_say_less(data: st.DataObject) -> None:
    """Two noisy looks at the same nodes: exact tables lie below the losses, and below III.6."""
    states, length = 2, data.draw(st.integers(1, 3))
    framework = MarkovFramework(
        MarkovChain(data.draw(laws(states, 1)), [data.draw(laws(states, 1)) for _ in range(states)])
    )
    tables = []
    for _ in range(2):
        rows = [data.draw(laws(3, 1)) for _ in range(states**length)]
        tables.append(rows)
    composed = rules.from_output_tables(framework, length, tables[0], tables[1])
    assert composed.exact <= composed.bound
    assert composed.exact >= max(composed.first, composed.second) - Fraction(1, 10**12)
    # The best record loss of a table, one value for all nodes: the largest log-ratio a change.
    loss = RecordLoss.constant(length, 0)
    for rows in tables:
        ratios = [p / q for one in rows for two in rows for p, q in zip(one, two, strict=True)]
        worst = np.nextafter(np.log(float(max(ratios))), np.inf)
        loss = loss + RecordLoss.constant(length, float(worst))
    assert composed.exact <= framework.epsilon(loss) * CLOSE


def test_the_laws_of_the_theorems_are_checked_in_the_order_of_the_parts() -> None:
    framework = MarkovFramework(MarkovChain([1, 0], [[0, 1], [1, 0]]))
    with pytest.raises(ParameterError, match="does not end before"):
        rules.disjoint_subchains(framework, (3, 5), (0, 2), (1, 1))
