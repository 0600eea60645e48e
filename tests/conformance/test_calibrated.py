"""What every mechanism must keep, for the certified rate on small languages: law, cost, JSON.

The output matrix is written down whole, in exact fractions straight from the definition, so the
largest log-ratio over neighbours, the record loss over all pairs, and the expected errors are known
without any certificate.
"""

import itertools
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from privet import Alphabet, Language, WordExponential
from privet.exact import exp_down
from privet.mechanisms import Mechanism
from privet.mechanisms.enumerated import list_words
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage

BITS = 256
ABC = Alphabet(["a", "b", "c"])
LANGUAGES = {
    "steps": Language.from_allowed(ABC, [[1, 1, 0], [1, 1, 1], [0, 1, 1]]),
    "one way": Language.from_allowed(ABC, [[1, 1, 1], [0, 1, 1], [0, 0, 1]]),
    "pattern": Language.from_regex(ABC, "(a b* c | c)*"),
    "no words of odd length": Language.from_regex(ABC, "(a b | b a | c c | a a)*"),
}
LENGTH = 4
VARIANTS = list(itertools.product(LANGUAGES, (1, 2), ("1/2", "3"), ("auto", "exact")))
EVERY = pytest.mark.parametrize(("name", "adjacency", "epsilon", "calibration"), VARIANTS)
Word = tuple[int, ...]


@cache
def made(name: str, adjacency: int, epsilon: str, calibration: str) -> ExponentialOnLanguage:
    mechanism = WordExponential(
        LANGUAGES[name],
        epsilon=Fraction(epsilon),
        adjacency=adjacency,
        calibration=calibration,  # type: ignore[arg-type]  # one of the two above
        longest=LENGTH,
    )
    assert isinstance(mechanism, ExponentialOnLanguage)
    return mechanism


def apart(w: Word, v: Word) -> int:
    return sum(x != y for x, y in zip(w, v, strict=True))


@cache
def matrix(name: str, adjacency: int, epsilon: str, calibration: str) -> dict[Word, list[Fraction]]:
    """{input: probability of each word of the language, in order}."""
    mechanism = made(name, adjacency, epsilon, calibration)
    words: list[Word] = [tuple(row) for row in list_words(mechanism.language, LENGTH).tolist()]
    q, rows = mechanism.ratio(LENGTH), {}
    for w in words:
        weights = [q ** apart(w, x) for x in words]
        total = sum(weights, Fraction(0))
        rows[w] = [weight / total for weight in weights]
    return rows


@EVERY
def test_the_matrix_keeps_the_guarantee(
    name: str, adjacency: int, epsilon: str, calibration: str
) -> None:
    mechanism = made(name, adjacency, epsilon, calibration)
    rows, charge = matrix(name, adjacency, epsilon, calibration), mechanism.charge(LENGTH)
    limit = exp_down(mechanism.epsilon - charge, BITS)
    stated = exp_down(mechanism.spent(LENGTH) - charge, BITS) if mechanism.spent(LENGTH) else 1
    neighbours = 0
    for w, v in itertools.permutations(rows, 2):
        if apart(w, v) <= adjacency:
            neighbours += 1
            ratio = max(p / r for p, r in zip(rows[w], rows[v], strict=True))
            assert ratio <= limit
            assert ratio <= stated
    assert neighbours


@EVERY
def test_the_record_loss_holds_for_all_pairs(
    name: str, adjacency: int, epsilon: str, calibration: str
) -> None:
    mechanism = made(name, adjacency, epsilon, calibration)
    loss = mechanism.record_loss(LENGTH).maximum - mechanism.charge(LENGTH)
    limits = [exp_down(d * loss, BITS) for d in range(LENGTH + 1)]
    rows = matrix(name, adjacency, epsilon, calibration)
    for w, v in itertools.permutations(rows, 2):
        assert max(p / r for p, r in zip(rows[w], rows[v], strict=True)) <= limits[apart(w, v)]


@EVERY
def test_predicted_errors_are_those_of_the_law(
    name: str, adjacency: int, epsilon: str, calibration: str
) -> None:
    mechanism = made(name, adjacency, epsilon, calibration)
    rows = matrix(name, adjacency, epsilon, calibration)
    words = list(rows)
    for w in (words[0], words[len(words) // 2]):
        law = [Fraction(0)] * (LENGTH + 1)
        for x, p in zip(words, rows[w], strict=True):
            law[apart(w, x)] += p
        symbols = [ABC.symbols[code] for code in w]
        found = mechanism.distance_distribution(symbols)
        np.testing.assert_allclose(found, [float(p) for p in law], rtol=1e-12)
        expected = float(sum((d * p for d, p in enumerate(law)), Fraction(0)))
        assert mechanism.expected_errors(symbols) == pytest.approx(expected, rel=1e-12)


@EVERY
def test_json_goes_round(name: str, adjacency: int, epsilon: str, calibration: str) -> None:
    mechanism = made(name, adjacency, epsilon, calibration)
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    assert isinstance(again, ExponentialOnLanguage)
    assert again.certified == mechanism.certified
    for length in (2, LENGTH):
        assert again.ratio(length) == mechanism.ratio(length)
        assert again.spent(length) == mechanism.spent(length)


def test_most_of_these_have_a_certified_rate() -> None:
    """Otherwise the tests above would be about the published rate."""
    certified = [made(*variant).certified for variant in VARIANTS if variant[1] == 1]
    assert sum(each is not None for each in certified) >= len(certified) - 4
