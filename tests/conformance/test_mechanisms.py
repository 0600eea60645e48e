"""What every mechanism promises, checked for every entry of the registry.

A new mechanism is picked up by its export line; those on series are checked in
`test_series_mechanisms.py`. Its constructor says which variants exist
(adjacency, calibration, delta), its folder's `reference.law` is the law by definition. Everything
about privacy is compared in exact rationals: a ratio of probabilities against bounds of e^spent.
"""

import importlib
import inspect
import itertools
import json
import math
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, Codes, DomainError, Language, ParameterError, Words
from privet.exact import exp_down, log_down, log_up
from privet.mechanisms import (
    REGISTRY,
    Exponential,
    HammingMechanism,
    Mechanism,
    SeriesMechanism,
    WassersteinTable,
)

GOLDEN = [
    case
    for case in json.loads((Path(__file__).parents[1] / "golden" / "words.json").read_text())[
        "cases"
    ]
    if all(map(all, case["allowed"]))
]

SHAPES = [(1, 3), (2, 2), (2, 3), (3, 2)]
"""(length, symbols) of words few enough to list every pair and every output."""

BITS = 512
"""Bounds of e^x this narrow tell apart what `spent`, rounded to 128 bits, has rounded."""

ON_WORDS: dict[str, type[Any]] = {
    name: kind for name, kind in REGISTRY.items() if issubclass(kind, HammingMechanism)
}


@dataclass(frozen=True)
class Variant:
    """A mechanism, by the name of its class and its keyword arguments."""

    name: str
    options: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return "-".join([self.name, *(f"{key}={value}" for key, value in self.options)])

    def make(self, symbols: int, **changes: Any) -> Any:
        language = Language.all(Alphabet([f"s{code}" for code in range(symbols)]))
        first = next(iter(inspect.signature(REGISTRY[self.name]).parameters))
        argument = language if first == "language" else language.alphabet
        return ON_WORDS[self.name](argument, **{**dict(self.options), **changes})

    @property
    def adjacency(self) -> int:
        return int(dict(self.options).get("adjacency", 1))


def variants(epsilons: tuple[str, ...] = ("1/10", "3")) -> Iterator[Variant]:
    for name, kind in ON_WORDS.items():
        taken = inspect.signature(kind).parameters
        grid = {"epsilon": epsilons}
        if "adjacency" in taken:
            grid["adjacency"] = (1, 2, 3)  # type: ignore[assignment]  # values of any type
        if "calibration" in taken:
            grid["calibration"] = ("paper", "exact")
        if "delta" in taken:
            grid["delta"] = ("0", "1/100")
        for values in itertools.product(*grid.values()):
            yield Variant(name, tuple(zip(grid, values, strict=True)))


def taking(parameter: str) -> list[str]:
    return [n for n, kind in ON_WORDS.items() if parameter in inspect.signature(kind).parameters]


EVERY_VARIANT = pytest.mark.parametrize("variant", list(variants()), ids=str)
EVERY_SHAPE = pytest.mark.parametrize(
    "shape", SHAPES, ids=lambda shape: f"n={shape[0]},m={shape[1]}"
)
NAMES = [*ON_WORDS, Exponential.name]
"""What this file covers; mechanisms on series and tables of laws are covered beside it."""

EVERY_NAME = pytest.mark.parametrize("name", NAMES)
EVERY_ON_WORDS = pytest.mark.parametrize("name", list(ON_WORDS))


@cache
def made(variant: Variant, symbols: int) -> HammingMechanism:
    mechanism: HammingMechanism = variant.make(symbols)
    return mechanism


@cache
def word_law(variant: Variant, length: int, symbols: int) -> list[Fraction]:
    return made(variant, symbols).probability_of_word(length)


@cache
def distances(length: int, symbols: int) -> set[tuple[int, int, int]]:
    """All (d(w, v), d(w, x), d(v, x)): every entry of the output matrix is among them."""
    words = list(itertools.product(range(symbols), repeat=length))

    def distance(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        return sum(s != t for s, t in zip(a, b, strict=True))

    return {
        (distance(w, v), distance(w, x), distance(v, x))
        for w, v, x in itertools.product(words, repeat=3)
    }


def largest_ratio(law: list[Fraction], length: int, symbols: int, adjacency: int) -> Fraction:
    """max P(x|w) / P(x|v) over neighbours w, v and outputs x."""
    return max(
        law[a] / law[b] for apart, a, b in distances(length, symbols) if 0 < apart <= adjacency
    )


def total_mass(law: list[Fraction], length: int, symbols: int) -> list[Fraction]:
    """P(distance = l) from P(one word at distance l)."""
    return [
        math.comb(length, level) * (symbols - 1) ** level * share for level, share in enumerate(law)
    ]


def test_no_mechanism_is_left_out() -> None:
    on_series = {name for name, kind in REGISTRY.items() if issubclass(kind, SeriesMechanism)}
    assert {*NAMES, *on_series, WassersteinTable.name} == set(REGISTRY)


# ------------------------------------------------------------------------------------ the law


@EVERY_SHAPE
@EVERY_VARIANT
def test_law_is_the_reference(variant: Variant, shape: tuple[int, int]) -> None:
    length, symbols = shape
    law = word_law(variant, length, symbols)
    folder = type(made(variant, symbols)).__module__.rpartition(".")[0]
    reference = importlib.import_module(f"{folder}.reference")
    words = list(itertools.product(range(symbols), repeat=length))
    for word in (words[0], words[len(words) // 2]):
        expected = reference.law(made(variant, symbols), word)
        assert len(expected) == len(words)
        for output in words:
            distance = sum(a != b for a, b in zip(word, output, strict=True))
            assert expected[output] == law[distance]


@EVERY_SHAPE
@EVERY_VARIANT
def test_law_is_a_positive_distribution(variant: Variant, shape: tuple[int, int]) -> None:
    law = word_law(variant, *shape)
    assert len(law) == shape[0] + 1
    assert min(law) > 0
    assert sum(total_mass(law, *shape)) == 1


@EVERY_SHAPE
@EVERY_VARIANT
def test_predictions_are_the_law(variant: Variant, shape: tuple[int, int]) -> None:
    length, symbols = shape
    mechanism = made(variant, symbols)
    masses = total_mass(word_law(variant, *shape), *shape)
    predicted = mechanism.distance_distribution(length)
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted, [float(mass) for mass in masses], rtol=1e-12)
    expected = float(sum((level * mass for level, mass in enumerate(masses)), Fraction(0)))
    assert mechanism.expected_errors(length) == pytest.approx(expected, rel=1e-12)
    lower, upper = mechanism.error_bounds(length)
    assert lower <= expected * (1 + 1e-12)
    assert expected <= upper * (1 + 1e-12)
    assert mechanism.expected_errors(["s0"] * length) == mechanism.expected_errors(length)


# -------------------------------------------------------------------------------- the guarantee


@EVERY_SHAPE
@EVERY_VARIANT
def test_full_output_matrix_keeps_the_guarantee(variant: Variant, shape: tuple[int, int]) -> None:
    length, symbols = shape
    mechanism = made(variant, symbols)
    law, promised, spent = word_law(variant, *shape), mechanism.guarantee, mechanism.spent(length)
    assert promised.epsilon == mechanism.epsilon
    assert 0 < spent <= mechanism.epsilon
    if promised.delta:
        assert_smallest_delta(mechanism, symbols)
        return
    ratio = largest_ratio(law, length, symbols, variant.adjacency)
    assert ratio <= exp_down(spent, BITS)
    assert ratio <= exp_down(promised.epsilon, BITS)
    # What is said to be spent is spent: an over-cautious figure is wrong too.
    assert spent <= log_up(ratio, BITS) + Fraction(1, 1 << 64)


def assert_smallest_delta(mechanism: HammingMechanism, symbols: int) -> None:
    """One symbol, all sets of outputs: delta is kept, and `spent` could not be smaller."""
    keep, move = mechanism.probability_of_word(1)
    zero = Fraction(0)

    def smallest_delta(factor: Fraction) -> Fraction:
        row = [keep] + [move] * (symbols - 1)
        other = [move, keep] + [move] * (symbols - 2)
        return sum((max(zero, a - factor * b) for a, b in zip(row, other, strict=True)), zero)

    spent = mechanism.spent(1)
    assert smallest_delta(exp_down(spent, BITS)) <= mechanism.guarantee.delta
    below = spent * (1 - Fraction(1, 1 << 40))
    assert smallest_delta(exp_down(below, BITS)) > mechanism.guarantee.delta


@EVERY_SHAPE
@EVERY_VARIANT
def test_record_loss_holds_for_all_pairs(variant: Variant, shape: tuple[int, int]) -> None:
    length, symbols = shape
    law, loss = word_law(variant, *shape), made(variant, symbols).record_loss(length)
    assert loss.length == length
    assert len(loss.pieces) == 1
    limits = [exp_down(apart * loss.maximum, BITS) for apart in range(length + 1)]
    for apart, a, b in distances(length, symbols):
        assert law[a] <= limits[apart] * law[b]


@EVERY_VARIANT
def test_record_loss_could_not_be_a_tenth_smaller(variant: Variant) -> None:
    law, loss = word_law(variant, 3, 2), made(variant, 2).record_loss(3).maximum
    limits = [exp_down(apart * loss * Fraction(9, 10), BITS) for apart in range(4)]
    assert any(law[a] > limits[apart] * law[b] for apart, a, b in distances(3, 2))


@EVERY_VARIANT
def test_longer_words_spend_no_more_than_asked(variant: Variant) -> None:
    mechanism = made(variant, 3)
    assert mechanism.spent(0) == 0
    assert mechanism.record_loss(0).length == 0
    for length in (1, 2, 5, 40):
        assert 0 < mechanism.spent(length) <= mechanism.epsilon


@pytest.mark.parametrize(
    "case", GOLDEN, ids=lambda c: f"{c['length']}-{c['symbols']}-{c['epsilon']}"
)
@pytest.mark.parametrize(
    ("name", "key"),
    [("word-exponential", "exponential"), ("word-permute-and-flip", "permute_and_flip")],
)
def test_published_rate_agrees_with_enumeration(case: dict[str, Any], name: str, key: str) -> None:
    options = {"epsilon": case["epsilon"], "adjacency": case["adjacency"], "calibration": "paper"}
    mechanism = Variant(name, tuple(options.items())).make(case["symbols"])
    length = case["length"]
    expected = [float(share) for share in case[key]]
    np.testing.assert_allclose(
        mechanism.distance_distribution(length), expected, rtol=0, atol=1e-12
    )
    spent = float(mechanism.spent(length))
    assert spent == pytest.approx(float(case[f"tight_epsilon_{key}"]), abs=1e-12)


# ----------------------------------------------------------------------------------- the limits


@EVERY_ON_WORDS
@pytest.mark.parametrize("symbols", [2, 5])
def test_enormous_epsilon_releases_the_input(name: str, symbols: int) -> None:
    mechanism = Variant(name, (("epsilon", 10**4),)).make(symbols)
    word = [f"s{code % symbols}" for code in range(50)]
    assert mechanism.release(word) == word
    distribution = mechanism.distance_distribution(50)
    assert distribution[0] == 1
    assert np.isfinite(mechanism.log_distance_distribution(50)).all()
    assert 9999 < mechanism.spent(50) <= 10**4


@EVERY_ON_WORDS
@pytest.mark.parametrize("symbols", [2, 5])
def test_tiny_epsilon_is_nearly_uniform(name: str, symbols: int) -> None:
    mechanism = Variant(name, (("epsilon", "1e-6"),)).make(symbols)
    uniform = [math.comb(6, level) * (symbols - 1) ** level / symbols**6 for level in range(7)]
    np.testing.assert_allclose(mechanism.distance_distribution(6), uniform, rtol=1e-4)
    assert 0 < mechanism.spent(6) <= Fraction(1, 10**6)
    assert len(mechanism.release(["s0"] * 6)) == 6


@EVERY_ON_WORDS
def test_words_of_a_million_symbols(name: str) -> None:
    mechanism = Variant(name, (("epsilon", 2),)).make(4)
    length = 10**6
    logs = mechanism.log_distance_distribution(length)
    assert np.isfinite(logs).all()
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-9)
    expected = mechanism.expected_errors(length)
    lower, upper = mechanism.error_bounds(length)
    assert lower * (1 - 1e-9) <= expected <= upper * (1 + 1e-9)
    released = mechanism.release(Codes(np.zeros(length, np.uint8)))
    errors = int(np.count_nonzero(released.array))
    assert abs(errors - expected) < 8 * math.sqrt(length)


# ------------------------------------------------------------------------------- data in and out


@EVERY_VARIANT
def test_release_gives_back_the_kind_it_was_given(variant: Variant) -> None:
    mechanism = made(variant, 3)
    alphabet = mechanism.alphabet
    word = ["s0", "s2", "s1", "s0"]
    listed = mechanism.release(word)
    assert isinstance(listed, list)
    assert set(listed) <= set(alphabet.symbols)
    assert isinstance(mechanism.release(tuple(word)), tuple)
    labels = mechanism.release(np.array(word, object))
    assert labels.dtype == object
    assert labels.shape == (4,)
    codes = mechanism.release(np.array([0, 2, 1, 0], np.int64))
    assert codes.dtype == np.int64
    assert mechanism.release(Codes(np.array([0, 2, 1, 0], np.uint8))).array.dtype == np.uint8
    words = Words(alphabet, [0, 2, 1, 0, 1, 2, 2], [0, 3, 3, 7])
    released = mechanism.release(words)
    assert isinstance(released, Words)
    assert released.offsets.tolist() == [0, 3, 3, 7]


@EVERY_VARIANT
def test_nothing_is_released_from_nothing(variant: Variant) -> None:
    mechanism = made(variant, 3)
    assert mechanism.release([]) == []
    assert len(mechanism.release(Words(mechanism.alphabet, np.zeros(0, np.uint8), [0]))) == 0
    empty = Words(mechanism.alphabet, np.zeros(0, np.uint8), [0, 0, 0])
    assert mechanism.release(empty) == empty
    assert mechanism.distance_distribution(0).tolist() == [1]
    assert mechanism.expected_errors(0) == 0
    assert mechanism.error_bounds(0) == (0, 0)
    assert mechanism.probability_of_word(0) == [1]


@EVERY_ON_WORDS
def test_the_input_is_left_alone(name: str) -> None:
    mechanism = Variant(name, (("epsilon", "1/100"),)).make(4)
    codes = np.arange(4, dtype=np.uint8).repeat(50)
    before = codes.copy()
    released = mechanism.release(codes)
    assert np.array_equal(codes, before)
    assert not np.shares_memory(codes, released)


@EVERY_VARIANT
def test_description_round_trips(variant: Variant) -> None:
    mechanism = made(variant, 3)
    text = json.dumps(mechanism.to_json())
    again = Mechanism.from_json(json.loads(text))
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert isinstance(again, HammingMechanism)
    assert again.probability_of_word(2) == mechanism.probability_of_word(2)
    assert again.guarantee == mechanism.guarantee
    assert variant.name == type(again).name
    assert variant.make(3, epsilon=7) != mechanism


@EVERY_NAME
def test_mechanisms_go_to_other_processes(name: str) -> None:
    mechanism = general() if name not in ON_WORDS else Variant(name, (("epsilon", 1),)).make(3)
    mechanism.release("a" if name not in ON_WORDS else ["s0", "s1"])
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism


@pytest.mark.parametrize("name", ON_WORDS)
def test_mechanisms_with_symbols_that_have_no_json_form_compare(name: str) -> None:
    variant = Variant(name, (("epsilon", 1),))
    alphabet = Alphabet([(0, 1), (2, 3)])
    first, second = (REGISTRY[name](alphabet, epsilon=1) for _ in range(2))  # type: ignore[call-arg]  # every word mechanism takes these
    assert first == second
    assert hash(first) == hash(second)
    assert first != variant.make(2)


@pytest.mark.parametrize("name", ON_WORDS)
def test_lengths_beyond_any_law_are_refused(name: str) -> None:
    mechanism = Variant(name, (("epsilon", 1),)).make(2)
    for length in (10**12, 10**400):
        with pytest.raises(ParameterError, match="length"):
            mechanism.expected_errors(length)


def test_what_is_no_description_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(ParameterError):
        Mechanism.from_json(nothing)


@EVERY_NAME
def test_descriptions_that_lack_something_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="lacks"):
        Mechanism.from_json({"mechanism": name})
    with pytest.raises(ParameterError, match="names no mechanism"):
        Mechanism.from_json({"mechanism": name + "?"})


# -------------------------------------------------------------------------------------- refusals


def general(**changes: Any) -> Exponential:
    options: dict[str, Any] = {"sensitivity": 1, "epsilon": 1, "scores": np.eye(3)}
    return Exponential(["a", "b", "c"], **{**options, **changes})


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
    make = partial(Variant(name, ()).make, 3) if name in ON_WORDS else general
    with pytest.raises(ParameterError, match="epsilon"):
        make(epsilon=epsilon)


@pytest.mark.parametrize("name", taking("adjacency"))
@pytest.mark.parametrize("adjacency", [0, -1, True, 1.0, 1.5, "2", None, math.nan], ids=repr)
def test_bad_adjacency_is_refused(name: str, adjacency: object) -> None:
    with pytest.raises(ParameterError, match="adjacency"):
        Variant(name, (("epsilon", 1),)).make(3, adjacency=adjacency)


@pytest.mark.parametrize("name", taking("adjacency"))
def test_adjacency_beyond_every_word_is_refused(name: str) -> None:
    mechanism = Variant(name, (("epsilon", 1), ("adjacency", 4))).make(3)
    with pytest.raises(ParameterError, match=r"adjacency is 4, .* has 3 symbols"):
        mechanism.release(["s0"] * 3)
    short = Words(mechanism.alphabet, [0, 1, 2], [0, 2, 3])
    with pytest.raises(ParameterError, match=r"adjacency is 4, .* has 2 symbols"):
        mechanism.release(short)
    # Words shorter than the adjacency may stand beside longer ones: they are protected whole.
    mixed = Words(mechanism.alphabet, [0, 1, 2, 0, 1, 2], [0, 1, 6])
    assert len(mechanism.release(mixed)) == 2
    assert 0 < mechanism.spent(2) <= mechanism.spent(4)


@pytest.mark.parametrize("name", taking("calibration"))
def test_unknown_calibration_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="calibration"):
        Variant(name, (("epsilon", 1),)).make(3, calibration="loose")


@EVERY_ON_WORDS
def test_an_alphabet_of_one_cannot_be_made(name: str) -> None:
    with pytest.raises(ParameterError, match="at least two"):
        Variant(name, (("epsilon", 1),)).make(1)


@EVERY_ON_WORDS
@pytest.mark.parametrize("argument", ["ab", ["a", "b"], 3, None], ids=repr)
def test_what_is_not_an_alphabet_is_refused(name: str, argument: object) -> None:
    with pytest.raises(ParameterError):
        ON_WORDS[name](argument, epsilon=1)


@EVERY_ON_WORDS
def test_unknown_labels_are_refused_by_position_alone(name: str) -> None:
    mechanism = Variant(name, (("epsilon", 1),)).make(3)
    with pytest.raises(DomainError, match="position 2") as refusal:
        mechanism.release(["s0", "s1", "diagnosis-of-ann", "s2"])
    assert "ann" not in str(refusal.value)
    assert "ann" not in repr(refusal.value.payload)
    with pytest.raises(DomainError, match="position 1") as refusal:
        mechanism.release(np.array([0, 77, 1]))
    assert "77" not in str(refusal.value)
    with pytest.raises(DomainError, match="no value at position 1"):
        mechanism.release(["s0", None])
    with pytest.raises(DomainError, match="different alphabets"):
        mechanism.release(Words(Alphabet(["x", "y"]), [0], [0, 1]))
    with pytest.raises(TypeError):
        mechanism.release("s0")


@EVERY_NAME
def test_repr_and_sentence_hold_no_more_than_public_parameters(name: str) -> None:
    mechanism = general() if name not in ON_WORDS else Variant(name, (("epsilon", 1),)).make(3)
    assert type(mechanism).__name__ in repr(mechanism)
    assert "at most a factor 2.72" in mechanism.guarantee.sentence
    assert mechanism.title


# --------------------------------------------------------------------- the general one, by a table


TABLES: list[dict[str, Any]] = [
    {"scores": np.eye(3), "sensitivity": 1},
    {"scores": [[0, 1, 2], [1, 0, 1], [2, 1, 0]], "sensitivity": 2},
    {"scores": [["0.1", "1/3", -2], ["0.2", "1/2", "-2.5"]], "inputs": "xy", "sensitivity": "1/2"},
    {"scores": [[0, -(10**6), 5], [1, -(10**6), 5]], "inputs": "xy", "sensitivity": 1},
    {
        "scores": [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
        "sensitivity": 1,
        "neighbours": [("a", "b"), ("b", "c")],
    },
]


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
@pytest.mark.parametrize("epsilon", ["1/10", 4])
def test_table_law_is_the_reference(table: dict[str, Any], epsilon: object) -> None:
    mechanism = general(epsilon=epsilon, **table)
    reference = importlib.import_module("privet.mechanisms.exponential.reference")
    assert mechanism.table is not None
    for number in range(len(mechanism.table.inputs)):
        if mechanism.table.sensitivity * 10**5 < max(abs(s) for s in mechanism.table.rows[number]):
            continue  # the series of e^-500000 is too long
        bounds = reference.law(mechanism, number, digits=60)
        window = mechanism._laws[number].cumulative(128)
        below = above = Fraction(0)
        for (low, high), found_low, found_high in zip(
            bounds, window.lower, window.upper, strict=True
        ):
            below, above = below + low, above + high
            assert found_low <= above * 2**128
            assert below * 2**128 <= found_high
            assert found_high - found_low <= 4
        found = mechanism.response_matrix[number]
        np.testing.assert_allclose(found, [float(low) for low, _ in bounds], rtol=1e-14)


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
@pytest.mark.parametrize("epsilon", ["1/10", 4])
def test_table_spends_no_more_than_asked(table: dict[str, Any], epsilon: object) -> None:
    mechanism = general(epsilon=epsilon, **table)
    matrix = np.array([[float(v) for v in law.log_probabilities(200)] for law in mechanism._laws])
    everyone = list(itertools.combinations(range(len(matrix)), 2))
    assert mechanism.table is not None
    pairs = everyone if mechanism.table.pairs is None else mechanism.table.pairs

    def largest(chosen: Any) -> float:
        return float(max(np.abs(matrix[i] - matrix[j]).max() for i, j in chosen))

    spent, loss = float(mechanism.spent()), float(mechanism.record_loss().maximum)
    assert mechanism.spent() <= mechanism.epsilon
    assert spent == pytest.approx(largest(pairs), abs=1e-9)
    assert loss == pytest.approx(largest(everyone), abs=1e-9)
    assert mechanism.spent(0) == 0
    for number, symbol in enumerate(mechanism.table.inputs.symbols):
        assert 0 <= mechanism.expected_shortfall(symbol) <= mechanism.shortfall_bound
        np.testing.assert_allclose(
            mechanism.probabilities(symbol), np.exp(matrix[number]), rtol=1e-14
        )


@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_table_description_round_trips(table: dict[str, Any]) -> None:
    mechanism = general(**table)
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    assert isinstance(again, Exponential)
    assert again.table == mechanism.table


def test_bounds_of_the_logarithm_are_on_their_sides() -> None:
    # The comparisons above lean on the direction of these.
    assert log_down(Fraction(3)) < log_up(Fraction(3), BITS)
    assert exp_down(Fraction(1), 64) < exp_down(Fraction(1), BITS)
