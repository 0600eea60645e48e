"""The Wasserstein mechanism against its definition: Hall's condition, and all words listed."""

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import ChainBox, MarkovChain
from privet.errors import DomainError, ModelError, ParameterError, ParameterTypeError
from privet.mechanisms import Mechanism, Wasserstein, WassersteinTable
from privet.mechanisms.markov_laplace.reference import word_law
from privet.mechanisms.wasserstein import reference
from privet.mechanisms.wasserstein.chains import largest_distance
from privet.mechanisms.wasserstein.distance import Law, infinity_distance
from privet.privacy import MarkovFramework
from privet.queries import mean
from privet.randomness import using_source
from privet.testing import ChosenSource, ReplaySource, chi_square_agrees

SILENT = ChosenSource(np.zeros_like)
HALF = Fraction(1, 2)


def binary(stay: str, start: Any = ("1/2", "1/2")) -> MarkovChain:
    other = 1 - Fraction(stay)
    return MarkovChain(start, [[stay, other], [other, stay]], ["off", "on"])


CHAINS = {
    "sticky": binary("9/10"),
    "independent": binary("1/2", ["1/3", "2/3"]),
    "started": binary("4/5", [1, 0]),
    "alternating": MarkovChain(["1/2", "1/2"], [[0, 1], [1, 0]]),
    "absorbing": MarkovChain([1, 0, 0], [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]]),
    "floats": MarkovChain([0.2, 0.3, 0.5], [[0.7, 0.1, 0.2], [0.3, 0.3, 0.4], [0.25, 0.25, 0.5]]),
}


@pytest.mark.parametrize("seed", range(60))
def test_distance_is_the_least_move_that_carries_all_mass(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (rng.integers(0, 4, rng.integers(2, 6)) for _ in range(2))
    one[0] += 1
    other[-1] += 1
    first = {Fraction(v): Fraction(int(w), int(one.sum())) for v, w in enumerate(one) if w}
    second = {Fraction(v): Fraction(int(w), int(other.sum())) for v, w in enumerate(other) if w}
    laws = Law.of_weights([int(w) for w in one]), Law.of_weights([int(w) for w in other])
    found = infinity_distance(*laws)
    assert found == reference.infinity_distance(first, second)
    assert found == infinity_distance(*reversed(laws))


def test_a_vanishing_mass_decides_and_a_tie_does_not() -> None:
    even = Law((0, 9), (1, 2))
    assert infinity_distance(even, Law((0, 9), (10**30, 2 * 10**30))) == 0
    assert infinity_distance(even, Law((0, 9), (10**30 + 1, 2 * 10**30))) == 9
    assert infinity_distance(Law((3,), (5,)), Law((1, 7), (1, 2))) == 4


@pytest.mark.parametrize("name", list(CHAINS))
@pytest.mark.parametrize(("start", "stop", "length"), [(0, 4, 4), (1, 3, 4), (0, 1, 3), (0, 1, 1)])
def test_sums_over_chains_have_the_distance_of_all_their_words(
    name: str, start: int, stop: int, length: int
) -> None:
    chain = CHAINS[name]
    exact = chain.exact_initial, chain.exact_transition
    words = word_law(exact, length)
    for weights in ((0, 1, 1), (3, 0, 1)):
        chosen = weights[: len(chain.states)]
        found = largest_distance(exact, chosen, length, start, stop)
        assert found == reference.largest_distance(words, chosen, start, stop)


def framework(*chains: MarkovChain, initial: Any = "given") -> MarkovFramework:
    return MarkovFramework(chains, initial=initial)


def test_a_family_has_the_distance_of_its_worst_chain() -> None:
    near, far = binary("3/5"), binary("19/20")
    one, other, both = (
        Wasserstein(framework(*chains), epsilon="1/2") for chains in ((near,), (far,), (near, far))
    )
    assert one.distance("count", 12) < other.distance("count", 12)
    assert both.distance("count", 12) == other.distance("count", 12)
    assert both.noise_scale("count", 12) == 2 * both.distance("count", 12)
    assert both.noise_scale("count", [3, 12]) == both.noise_scale("count", 12)
    assert both.scale(12) == both.noise_scale("count", 12)
    assert both.spent(12, "count") == HALF


def test_a_stationary_start_is_computed_exactly() -> None:
    chain = MarkovChain([1, 0], [["2/3", "1/3"], ["1/5", "4/5"]])
    started = MarkovChain(["3/8", "5/8"], chain.exact_transition)
    given = Wasserstein(framework(started), epsilon=1)
    assert Wasserstein(framework(chain, initial="stationary"), epsilon=1).distance(
        "count", 9
    ) == given.distance("count", 9)


def test_independent_nodes_need_the_noise_of_one() -> None:
    mechanism = Wasserstein(framework(binary("1/2")), epsilon=1)
    assert [mechanism.distance("count", n) for n in (1, 2, 9, 40)] == [1, 1, 1, 1]
    assert mechanism.distance(mean({"off": 1, "on": "7/2"}), 9) == Fraction(5, 2)
    # A finer grid changes nothing but the unit.
    assert mechanism.distance(mean({"off": 1, "on": "7/2"}, grid="1/2"), 9) == Fraction(5, 2)


def test_what_no_secret_moves_is_released_as_it_is() -> None:
    # Nothing is left to hide: the chain says what every node is.
    fixed = MarkovChain([1, 0], [[0, 1], [1, 0]], ["off", "on"])
    mechanism = Wasserstein(framework(fixed), epsilon=1)
    assert mechanism.distance("count", 5) == 0
    assert mechanism.noise_scale("count", 5) == 0
    assert mechanism.spent(5, "count") == 0
    assert mechanism.release("count", ["off", "on", "off", "on", "off"]) == 2
    assert mechanism.expected_error("share", 5) == 0


def test_released_sums_follow_the_law_of_their_noise() -> None:
    # 20 000 releases; the twin has the noise of group privacy.
    mechanism = Wasserstein(framework(binary("3/5")), epsilon=1)
    scale = float(mechanism.noise_scale("count", 8))
    word = ["on", "off"] * 4
    with using_source(ReplaySource(1)):
        drawn = np.array([mechanism.release("count", word) for _ in range(20_000)]) - 4
    values = np.arange(-40, 41)

    def law(b: float) -> Any:
        q = np.exp(-1 / b)
        inner = (1 - q) / (1 + q) * q ** np.abs(values)
        return np.append(inner, 1 - inner.sum())

    counts = [int((drawn == value).sum()) for value in values]
    counts.append(drawn.size - sum(counts))
    assert not chi_square_agrees(counts, law(scale), 1e-9).rejected
    assert chi_square_agrees(counts, law(8.0), 1e-9).rejected


def test_what_it_cannot_answer_is_refused_with_the_reason() -> None:
    mechanism = Wasserstein(framework(binary("3/5")), epsilon=1)
    for query in ("histogram", "transitions", mean({"off": 0, "on": 1}, grid="2/3")):
        with pytest.raises(ParameterError, match="answers counts"):
            mechanism.release(query, ["on", "off"])
    with pytest.raises(ParameterError, match="too slow for 100000 nodes"):
        mechanism.noise_scale("count", 10**5)
    with pytest.raises(ParameterError, match="no record loss"):
        mechanism.record_loss(5, "count")
    with pytest.raises(ModelError, match="any start"):
        Wasserstein(framework(binary("3/5"), initial="any"), epsilon=1)
    box = ChainBox([["1/2", "1/4"], ["1/4", "1/2"]], [["3/4", "1/2"], ["1/2", "3/4"]])
    with pytest.raises(ModelError, match="box"):
        Wasserstein(MarkovFramework(box), epsilon=1)


# ------------------------------------------------------------------------------------ tables

FLU: dict[str, Any] = {
    "flu": {
        "sick": {1: "1/4", 2: "1/2", 4: "1/4"},
        "well": {0: "1/2", 1: "1/4", 3: "1/4"},
        "unknown": {0: "1/2", 1: "1/4", 3: "1/4"},
    },
    "cold": {"sick": {1: 1}, "well": {0: 1}},
}
"""Numbers of sick people, given one person's state."""


def test_a_table_has_the_distance_of_its_laws() -> None:
    mechanism = Wasserstein.from_table(FLU, epsilon="1/3")
    exact = {s: {Fraction(v): Fraction(p) for v, p in law.items()} for s, law in FLU["flu"].items()}
    expected = max(
        reference.infinity_distance(a, b) for a, b in itertools.combinations(exact.values(), 2)
    )
    assert mechanism.distance() == expected == 2
    assert mechanism.noise_scale() == 6
    assert mechanism.spent() == Fraction(1, 3)
    named = Wasserstein.from_table(FLU, [("well", "unknown"), ("sick", "sick")], epsilon=1)
    assert named.distance() == 0
    assert named.spent() == 0
    assert named.release(3) == 3
    assert named.release("3") == 3


def test_values_of_a_table_keep_their_grid() -> None:
    table: Any = {"t": {"a": {"0.5": "1/2", "2": "1/2"}, "b": {"-1": 1}}}
    mechanism = WassersteinTable(table, epsilon=1)
    assert mechanism.grid == Fraction(3, 2)
    assert mechanism.distance() == 3
    with using_source(SILENT):
        assert mechanism.release(0.5) == 0.5
        assert isinstance(mechanism.release(2), float)
        assert isinstance(Wasserstein.from_table(FLU, epsilon=1).release(2), int)
    with using_source(ReplaySource(1)):
        drawn = {(mechanism.release(-1) + 1) / 1.5 for _ in range(200)}
    assert len(drawn) > 5
    assert all(value.is_integer() for value in drawn)
    assert mechanism.expected_error() == pytest.approx(1.5 / np.sinh(1 / 2))


@pytest.mark.parametrize("epsilon", ["1/2", 3])
def test_the_ratio_of_a_table_is_below_the_guarantee_and_half_the_noise_is_not(
    epsilon: Any,
) -> None:
    mechanism = Wasserstein.from_table(FLU, epsilon=epsilon)

    def density(law: dict[int, Any], out: int, scale: float) -> float:
        return sum(float(Fraction(p)) * math.exp(-abs(out - v) / scale) for v, p in law.items())

    def largest(scale: float) -> float:
        return max(
            abs(math.log(density(a, out, scale) / density(b, out, scale)))
            for laws in FLU.values()
            for a, b in itertools.combinations(laws.values(), 2)
            for out in range(-1, 6)
        )

    scale = float(mechanism.noise_scale())
    assert largest(scale) <= float(mechanism.epsilon) + 1e-12
    assert largest(scale / 2) > float(mechanism.epsilon)


def test_tables_round_trip() -> None:
    mechanism = Wasserstein.from_table(FLU, [("sick", "well")], epsilon="1/3")
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert again != Wasserstein.from_table(FLU, epsilon="1/3")
    assert "one of the 2 listed laws" in mechanism.guarantee.sentence
    assert "2 laws, 3 secrets" in repr(mechanism)


def test_values_outside_the_table_are_refused_without_showing_them() -> None:
    mechanism = Wasserstein.from_table(FLU, epsilon=1)
    for value in (77, "abc", float("nan"), 0.5, None, True):
        with pytest.raises(DomainError) as refusal:
            mechanism.release(value)  # type: ignore[arg-type]  # refused
        assert "77" not in str(refusal.value)
    with pytest.raises(ParameterError, match="no record loss"):
        mechanism.record_loss()


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ({}, ParameterTypeError),
        ([], ParameterTypeError),
        ({"t": [1]}, ParameterTypeError),
        ({"t": {"a": [1], "b": {1: 1}}}, ParameterTypeError),
        ({"t": {"a": {1: 1}}}, ModelError),
        ({"t": {"a": {1: "1/2"}, "b": {1: 1}}}, ModelError),
        ({"t": {"a": {}, "b": {1: 1}}}, ModelError),
        ({"t": {"a": {1: 2, 2: -1}, "b": {1: 1}}}, ModelError),
        ({"t": {"a": {"x": 1}, "b": {1: 1}}}, ParameterError),
        ({"t": {"a": {float("nan"): 1}, "b": {1: 1}}}, ParameterError),
    ],
)
def test_tables_that_are_none_are_refused(table: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Wasserstein.from_table(table, epsilon=1)


def test_pairs_that_protect_nothing_are_refused() -> None:
    for pairs in ([], [("sick", "sick")], [("sick", "ill")], ["ab"], [("a",)]):
        with pytest.raises(ParameterError):
            Wasserstein.from_table(FLU, pairs, epsilon=1)  # type: ignore[arg-type]  # refused
    with pytest.raises(ParameterError, match=r"2\^40"):
        Wasserstein.from_table({"t": {"a": {0: 1}, "b": {1: 1}}}, epsilon="1e-13")
