"""What every mechanism on series promises, checked for every entry of the registry.

A new one is picked up by its export line, with every `method` its constructor names. On chains
short enough to list all words, the largest ratio of P(out | X_i = a) to P(out | X_i = b) over all
nodes, states and outputs is bounded from both sides in exact rationals and compared with
e^epsilon; outputs beyond the box of all values repeat the ratios at its border. Where a mechanism
is known to be tight, half its noise must fail the same comparison.
"""

import inspect
import itertools
import json
import math
import pickle
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, DomainError, MarkovChain, ParameterError, PrivetError, Words
from privet.chains import ChainBox
from privet.exact import exp_down, exp_up
from privet.mechanisms import REGISTRY, Mechanism, SeriesMechanism
from privet.mechanisms.markov_laplace import reference
from privet.privacy import MarkovFramework
from privet.queries import Query, count, histogram, mean, run_lengths, share, transitions

ON_SERIES: dict[str, Any] = {
    name: kind for name, kind in REGISTRY.items() if issubclass(kind, SeriesMechanism)
}
BITS = 256


def limit(epsilon: Fraction) -> Fraction:
    """e^epsilon, but for less than the width of the bounds compared with it."""
    return exp_up(epsilon, BITS) * (1 + Fraction(1, 1 << 240))


@dataclass(frozen=True)
class Variant:
    """A mechanism by its name in the registry, and the method it is made with, if it takes one."""

    name: str
    method: str | None

    def __str__(self) -> str:
        return self.name if self.method is None else f"{self.name}-{self.method}"

    def make(self, framework: MarkovFramework, epsilon: Any = 1) -> Any:
        options = {} if self.method is None else {"method": self.method}
        return ON_SERIES[self.name](framework, epsilon=epsilon, **options)


def variants() -> Iterator[Variant]:
    for name, kind in ON_SERIES.items():
        methods: tuple[Any, ...] = (None,)
        if "method" in inspect.signature(kind).parameters:
            methods = typing.get_args(typing.get_type_hints(kind.__init__)["method"])
        yield from (Variant(name, method) for method in methods)


def binary(stay: Any, back: Any = None, start: Any = ("1/2", "1/2")) -> MarkovChain:
    stay, back = Fraction(stay), Fraction(stay if back is None else back)
    return MarkovChain(start, [[stay, 1 - stay], [1 - back, back]], ["off", "on"])


CHAINS: dict[str, MarkovChain] = {
    "independent": binary("1/2"),
    "sticky": binary("4/5"),
    "frozen": binary("9999/10000"),
    "uneven": binary("9/10", "1/3", ["3/10", "7/10"]),
    "started": binary("2/3", start=[1, 0]),
    "three": MarkovChain(
        ["1/2", "1/4", "1/4"],
        [["3/5", "1/5", "1/5"], ["1/10", "4/5", "1/10"], ["1/3", "1/3", "1/3"]],
        ["off", "on", "idle"],
    ),
    "absorbing": MarkovChain(
        ["1/2", "1/2", 0], [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]], ["off", "on", "idle"]
    ),
}
LEVELS = {"off": 0, "on": 1, "idle": 3}

Numbers = Callable[[reference.Word], reference.Numbers]


@dataclass(frozen=True)
class Asked:
    """A query, the same by counting for the codes of the nodes read, and the nodes."""

    query: Callable[[int], Query]
    numbers: Callable[[reference.Word, int], reference.Numbers]
    nodes: tuple[int, int] | None = None

    def of(self, size: int, length: int) -> tuple[Query, Numbers]:
        start, stop = self.nodes or (0, length)
        return self.query(size), lambda word: self.numbers(word[start:stop], size)


def levels(size: int) -> Query:
    return mean(dict(itertools.islice(LEVELS.items(), size)))


def level_numbers(word: reference.Word, size: int) -> reference.Numbers:
    numbers = [Fraction(level) for level in LEVELS.values()][:size]
    return reference.level_sum(word, numbers, Fraction(1))


QUERIES: dict[str, Asked] = {
    "count": Asked(lambda _: count("on"), lambda w, _: reference.count(w, {1})),
    "share of two nodes": Asked(
        lambda _: share("on"), lambda w, _: reference.count(w, {1}), nodes=(1, 3)
    ),
    "mean": Asked(levels, level_numbers),
    "histogram": Asked(lambda _: histogram(), reference.histogram),
    "transitions": Asked(lambda _: transitions(), reference.transitions),
    "runs": Asked(lambda _: run_lengths(2), lambda w, _: reference.run_lengths(w, 2, None)),
    "runs of on": Asked(
        lambda _: run_lengths(3, "on"), lambda w, _: reference.run_lengths(w, 3, 1), nodes=(0, 3)
    ),
}

EVERY_VARIANT = pytest.mark.parametrize("variant", list(variants()), ids=str)
EVERY_NAME = pytest.mark.parametrize("name", list(ON_SERIES))
EVERY_CHAIN = pytest.mark.parametrize("chain", list(CHAINS))
EVERY_QUERY = pytest.mark.parametrize("asked", list(QUERIES))

# The two reasons for which a mechanism may decline a case: the approximate influence of a chain
# that is not irreducible, and a query that is not a sum of one number for each node.
DECLINED = {
    ("markov-quilt-approximate", "absorbing", None),
    *(("wasserstein", None, name) for name in ("histogram", "transitions", "runs", "runs of on")),
}


def made(variant: Variant, chain: str, epsilon: Any = 1, initial: str = "given") -> Any:
    return variant.make(MarkovFramework(CHAINS[chain], initial=initial), epsilon)  # type: ignore[arg-type]  # given or stationary


def is_declined(variant: Variant, chain: str, asked: str) -> bool:
    return bool({(str(variant), chain, None), (str(variant), None, asked)} & DECLINED)


def length_of(chain: str, asked: str) -> int:
    """Long enough for quilts on both sides of a node, short enough to list outputs."""
    if len(CHAINS[chain].states) == 3:
        return 2 if asked == "transitions" else 3
    return 3 if asked == "transitions" else 4


def law_of(chain: MarkovChain, length: int, start: Any = None) -> dict[reference.Word, Fraction]:
    initial = chain.exact_initial if start is None else start
    return reference.word_law((initial, chain.exact_transition), length)


# -------------------------------------------------------------------------------- the guarantee


@EVERY_QUERY
@EVERY_CHAIN
@EVERY_VARIANT
@pytest.mark.parametrize("epsilon", ["1/2", 3])
def test_no_output_tells_two_states_apart_by_more_than_the_guarantee(
    variant: Variant, chain: str, asked: str, epsilon: Any
) -> None:
    length = length_of(chain, asked)
    query, numbers = QUERIES[asked].of(len(CHAINS[chain].states), length)
    nodes = QUERIES[asked].nodes
    if is_declined(variant, chain, asked):
        with pytest.raises(PrivetError):
            made(variant, chain, epsilon).noise_scale(query, length, nodes)
        return
    mechanism = made(variant, chain, epsilon)
    scale = mechanism.grid_scale(query, length, nodes)
    spent = mechanism.spent(length, query, nodes)
    assert 0 <= spent <= mechanism.epsilon == mechanism.guarantee.epsilon
    if scale == 0:
        assert variant.name == "wasserstein"
        assert_independent(law_of(CHAINS[chain], length), numbers)
        return
    _, most = reference.worst_ratio(law_of(CHAINS[chain], length), numbers, scale)
    assert most <= limit(spent)


def assert_independent(law: dict[reference.Word, Fraction], numbers: Numbers) -> None:
    """Every number has one law whatever the state of any node."""
    low, high = reference.worst_ratio(law, numbers, Fraction(1, 10))
    assert low <= 1 + Fraction(1, 1 << 200)
    assert high <= 1 + Fraction(1, 1 << 200)


# Where each mechanism is known to give no noise away: group privacy on nodes that are all alike,
# quilts and the Wasserstein distance on independent nodes, propagation on any binary chain.
TIGHT = {
    "markov-laplace-best": ("sticky", "count"),
    "markov-laplace-propagation": ("sticky", "count"),
    "markov-laplace-quilt": ("independent", "count"),
    "markov-laplace-group": ("frozen", "count"),
    "markov-quilt-exact": ("independent", "count"),
    "markov-quilt-approximate": ("frozen", "count"),
    "wasserstein": ("independent", "count"),
}


@EVERY_VARIANT
@pytest.mark.parametrize("epsilon", ["1/2", 3])
def test_half_the_noise_breaks_the_guarantee(variant: Variant, epsilon: Any) -> None:
    chain, asked = TIGHT[str(variant)]
    query, numbers = QUERIES[asked].of(2, 4)
    mechanism = made(variant, chain, epsilon)
    scale = mechanism.grid_scale(query, 4)
    law = law_of(CHAINS[chain], 4)
    least, most = reference.worst_ratio(law, numbers, scale / 2)
    assert least > exp_down(mechanism.epsilon, BITS)
    # The comparison is as sharp as the chain lets it be: what is spent is nearly epsilon.
    least, most = reference.worst_ratio(law, numbers, scale)
    assert exp_down(mechanism.epsilon * Fraction(7, 10), BITS) < least <= most
    assert most <= limit(mechanism.epsilon)


@EVERY_VARIANT
@pytest.mark.parametrize("start", [["999/1000", "1/1000"], ["1/1000", "999/1000"], ["1/2", "1/2"]])
def test_any_start_is_covered_where_it_is_promised(variant: Variant, start: list[str]) -> None:
    framework = MarkovFramework(CHAINS["uneven"], initial="any")
    query, numbers = QUERIES["count"].of(2, 4)
    if variant.name == "wasserstein":
        with pytest.raises(PrivetError, match="start"):
            variant.make(framework)
        return
    scale = variant.make(framework).grid_scale(query, 4)
    law = law_of(CHAINS["uneven"], 4, [Fraction(share) for share in start])
    assert reference.worst_ratio(law, numbers, scale)[1] <= limit(Fraction(1))


@EVERY_VARIANT
def test_every_chain_of_a_family_is_covered(variant: Variant) -> None:
    chains = [CHAINS["sticky"], CHAINS["independent"], CHAINS["uneven"]]
    mechanism = variant.make(MarkovFramework(chains, initial="stationary"))
    query, numbers = QUERIES["count"].of(2, 4)
    scale = mechanism.grid_scale(query, 4)
    for chain in chains:
        law = law_of(chain, 4, chain.exact_stationary())
        assert reference.worst_ratio(law, numbers, scale)[1] <= limit(Fraction(1))


@EVERY_VARIANT
def test_chains_of_a_box_are_covered_or_the_box_is_refused(variant: Variant) -> None:
    box = ChainBox(
        [["1/2", "1/4"], ["1/3", "1/2"]], [["3/4", "1/2"], ["1/2", "2/3"]], ["off", "on"]
    )
    query, numbers = QUERIES["count"].of(2, 4)
    if str(variant) in ("wasserstein", "markov-quilt-approximate"):
        with pytest.raises(PrivetError):
            variant.make(MarkovFramework(box)).grid_scale(query, 4)
        return
    scale = variant.make(MarkovFramework(box)).grid_scale(query, 4)
    for stay, back in itertools.product(("1/2", "3/4"), ("1/2", "2/3")):
        for start in (["99/100", "1/100"], ["1/100", "99/100"]):
            law = law_of(binary(stay, back), 4, [Fraction(share) for share in start])
            assert reference.worst_ratio(law, numbers, scale)[1] <= limit(Fraction(1))


@EVERY_QUERY
@EVERY_VARIANT
def test_record_loss_holds_for_all_pairs_of_words(variant: Variant, asked: str) -> None:
    query, numbers = QUERIES[asked].of(2, 4)
    nodes = QUERIES[asked].nodes
    mechanism = made(variant, "sticky")
    if variant.name == "wasserstein":
        with pytest.raises(ParameterError, match="no record loss"):
            mechanism.record_loss(4, query, nodes)
        return
    loss = mechanism.record_loss(4, query, nodes)
    scale = mechanism.grid_scale(query, 4, nodes)
    values = [value for start, stop, value in loss.pieces for _ in range(start, stop)]
    assert len(values) == 4
    largest = Fraction(0)
    for one, other in itertools.combinations(itertools.product(range(2), repeat=4), 2):
        # |log P(out | one) - log P(out | other)| is at most, and for some out, the distance / b.
        apart = zip(numbers(one), numbers(other), strict=True)
        told = sum(abs(a - b) for a, b in apart) / scale
        allowed = sum(values[t] for t in range(4) if one[t] != other[t])
        assert told <= allowed
        if allowed:
            largest = max(largest, told / allowed)
    assert largest > Fraction(99, 100)


@EVERY_VARIANT
def test_people_of_different_lengths_are_each_covered(variant: Variant) -> None:
    mechanism = made(variant, "sticky")
    scale = mechanism.grid_scale("count", [2, 4, 3])
    assert scale == max(mechanism.grid_scale("count", n) for n in (2, 3, 4))
    assert 0 < mechanism.spent([2, 4, 3], "count") <= 1
    for length in (2, 3, 4):
        law = law_of(CHAINS["sticky"], length)
        most = reference.worst_ratio(law, lambda w: reference.count(w, {1}), scale)[1]
        assert most <= limit(Fraction(1))


# ------------------------------------------------------------------------------- data in and out


@EVERY_VARIANT
def test_description_round_trips(variant: Variant) -> None:
    mechanism = made(variant, "sticky", "1/3")
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert isinstance(again, SeriesMechanism)
    assert again.noise_scale("count", 4) == mechanism.noise_scale("count", 4)
    assert again.guarantee == mechanism.guarantee
    assert made(variant, "sticky", 7) != mechanism
    assert made(variant, "uneven", "1/3") != mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism


@EVERY_VARIANT
def test_one_step_and_a_state_that_cannot_be(variant: Variant) -> None:
    mechanism = made(variant, "sticky")
    assert mechanism.noise_scale("count", 1) >= 1
    assert isinstance(mechanism.release("count", ["on"]), int)
    assert 0 < mechanism.spent(1, "count") <= 1
    started = made(variant, "started")
    with pytest.raises(PrivetError, match=r"position 0") as refusal:
        started.release("count", ["on", "off"])
    assert "on'" not in str(refusal.value)


@EVERY_NAME
def test_unknown_labels_are_refused_by_position_alone(name: str) -> None:
    mechanism = made(Variant(name, None), "sticky")
    with pytest.raises(DomainError, match="position 2") as refusal:
        mechanism.release("count", ["on", "off", "diagnosis-of-ann"])
    assert "ann" not in str(refusal.value)
    with pytest.raises(DomainError, match="different alphabets"):
        mechanism.release("count", Words(Alphabet(["x", "y"]), [0], [0, 1]))
    with pytest.raises(TypeError):
        mechanism.release("count", "on")


@EVERY_NAME
@pytest.mark.parametrize(
    "epsilon",
    [
        *[math.nan, math.inf, -math.inf, 0, 0.0, -1, "-0.5", True, False, np.True_, "abc", ""],
        *["nan", "1/0", None, [1], 5e-324, 2e-308, 1e5, "1e999999999", 1j, np.float64("nan")],
    ],
    ids=repr,
)
def test_bad_epsilon_is_refused(name: str, epsilon: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        made(Variant(name, None), "sticky", epsilon)


@EVERY_NAME
def test_descriptions_that_lack_something_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="lacks"):
        Mechanism.from_json({"mechanism": name})


@EVERY_NAME
def test_repr_and_sentence_hold_no_more_than_public_parameters(name: str) -> None:
    mechanism = made(Variant(name, None), "sticky")
    assert type(mechanism).__name__ in repr(mechanism)
    assert "at most a factor 2.72" in mechanism.guarantee.sentence
    assert "Any one step of a series" in mechanism.guarantee.sentence
    assert mechanism.title


@EVERY_NAME
def test_the_input_is_left_alone(name: str) -> None:
    mechanism = made(Variant(name, None), "sticky")
    codes = np.array([0, 1, 1, 0], np.uint8)
    before = codes.copy()
    mechanism.release("count", codes)
    assert np.array_equal(codes, before)
