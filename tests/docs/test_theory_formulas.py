"""The formulas of docs/theory are what the program computes, by brute force on small cases.

The right-hand sides are written down here from the pages, over lists of all words; the left-hand
sides come from the public functions. Sections are those of the pages.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain as flat
from itertools import combinations, pairwise, permutations, product
from typing import TypeVar

import pytest

from privet import (
    Accountant,
    Alphabet,
    ChainBox,
    Exponential,
    HiddenMarkovModel,
    IndependentRecords,
    Language,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    RecordLoss,
    Wasserstein,
    WordExponential,
    WordPermuteAndFlip,
    WordStaircase,
    queries,
    verify,
)
from privet.accounting import rules
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage

F = Fraction
Word = tuple[int, ...]
Value = TypeVar("Value")


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def words(size: int, length: int) -> list[Word]:
    return list(product(range(size), repeat=length))


# --------------------------------------------------------------------------------- one symbol


@pytest.mark.parametrize(("size", "delta"), [(2, "0"), (3, "1/10"), (5, "1/100")])
def test_randomised_response_of_one_symbol(size: int, delta: str) -> None:
    mechanism = RandomizedResponse(Alphabet(range(size)), epsilon=1, delta=delta)
    least = (1 - float(F(delta))) / (math.e + size - 1)
    assert float(mechanism.move_probability) == pytest.approx(least, rel=1e-15)
    rows = mechanism.exact_response_matrix()
    needed = verify.smallest_delta(rows, epsilon=1)
    assert needed <= F(delta)
    assert float(needed) == pytest.approx(float(F(delta)), abs=1e-15)
    rate = math.log((math.e + (size - 1) * float(F(delta))) / (1 - float(F(delta))))
    assert float(mechanism.record_loss(1).maximum) == pytest.approx(rate, rel=1e-14)
    assert mechanism.expected_errors(7) == pytest.approx(7 * (size - 1) * least, rel=1e-14)


def test_the_product_of_responses_is_the_exponential_mechanism() -> None:
    mechanism = RandomizedResponse(Alphabet("abc"), epsilon=1)
    keep, move = mechanism.keep_probability, mechanism.move_probability
    true = (0, 1)
    weights = {word: (move / keep) ** distance(true, word) for word in words(3, 2)}
    for word, weight in weights.items():
        law = math.prod(keep if a == b else move for a, b in zip(true, word, strict=True))
        assert law == weight / sum(weights.values())


def test_the_smallest_delta_and_the_sets_that_decide() -> None:
    first, second = [F(1, 2), F(1, 3), F(1, 6), F(0)], [F(1, 4), F(1, 4), F(1, 4), F(1, 4)]
    rows = [first, second]

    def excess(outputs: Sequence[int], one: list[Fraction], two: list[Fraction]) -> float:
        return sum(float(one[x]) - math.exp(0.3) * float(two[x]) for x in outputs)

    sets = list(flat.from_iterable(combinations(range(4), r) for r in range(5)))
    worst = max(excess(s, *pair) for s in sets for pair in ((first, second), (second, first)))
    assert float(verify.smallest_delta(rows, epsilon="0.3")) == pytest.approx(worst, rel=1e-12)
    found = verify.sufficient_sets(rows, 0, 1)
    assert found.above == (0, 1)
    assert max(excess(s, first, second) for s in sets) == pytest.approx(
        max(excess(s, first, second) for s in sets if set(s) <= set(found.above))
    )


def test_the_general_exponential_mechanism() -> None:
    scores = {0: [0, 1, 3], 1: [1, 1, 2]}
    mechanism = Exponential("abc", scores=scores, sensitivity=1, epsilon=2)
    laws = {x: mechanism.probabilities(x) for x in scores}
    for x, row in scores.items():
        weights = [math.exp(score) for score in row]  # rate epsilon / (2 sensitivity) = 1
        assert laws[x] == pytest.approx([each / sum(weights) for each in weights], rel=1e-12)
    ratios = [abs(math.log(p / q)) for p, q in zip(laws[0], laws[1], strict=True)]
    assert float(mechanism.spent()) == pytest.approx(max(ratios), rel=1e-12)
    assert max(ratios) < 2


# -------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(("length", "adjacency"), [(1, 2), (2, 1), (3, 2)])
def test_the_exponential_mechanism_on_all_words(length: int, adjacency: int) -> None:
    spent = {}
    for calibration in ("exact", "paper"):
        mechanism = WordExponential(
            Alphabet("abc"),
            epsilon=2,
            adjacency=adjacency,
            calibration="exact" if calibration == "exact" else "paper",
        )
        spent[calibration] = float(mechanism.spent(length))
    assert spent["exact"] == pytest.approx(2 / adjacency * min(adjacency, length), rel=1e-14)
    assert spent["paper"] == pytest.approx(spent["exact"] / 2, rel=1e-14)


def flip_law(true: Word, candidates: list[Word], q: float) -> dict[Word, float]:
    """Permute-and-flip from its definition: every order of the candidates."""
    law = dict.fromkeys(candidates, 0.0)
    nearest = min(distance(true, word) for word in candidates)
    for order in permutations(candidates):
        rest = 1.0
        for word in order:
            accept = q ** (distance(true, word) - nearest)
            law[word] += rest * accept / math.factorial(len(candidates))
            rest *= 1 - accept
    return law


@pytest.mark.parametrize("adjacency", [1, 2])
def test_permute_and_flip_on_all_words(adjacency: int) -> None:
    """Law, what it spends, and the bounds of the expected errors."""
    mechanism = WordPermuteAndFlip(
        Alphabet("ab"), epsilon=6, adjacency=adjacency, calibration="paper"
    )
    q, k = math.exp(-3 / adjacency), 3 / adjacency
    law = flip_law((0, 0), words(2, 2), q)
    by_distance = [sum(p for w, p in law.items() if sum(w) == level) for level in range(3)]
    assert mechanism.distance_distribution(2) == pytest.approx(by_distance, rel=1e-12)
    phi = [by_distance[level] / math.comb(2, level) / q**level for level in range(3)]
    spent = k * adjacency + math.log(phi[0] / phi[adjacency])
    assert float(mechanism.spent(2)) == pytest.approx(spent, rel=1e-12)
    assert k * adjacency <= spent <= k * adjacency + math.log(2)
    odds = q
    upper = 2 * odds / (1 + odds)
    lower = upper - 2 / 4 * (1 + odds) ** 2 * (phi[0] - phi[2])
    assert mechanism.error_bounds(2) == pytest.approx((lower, upper), rel=1e-9)
    assert lower <= mechanism.expected_errors(2) <= upper


def test_what_permute_and_flip_spends_of_six() -> None:
    mechanism = WordPermuteAndFlip(Alphabet("ab"), epsilon=6, adjacency=2, calibration="paper")
    assert f"{float(mechanism.spent(2)):.3f}" == "3.590"
    calibrated = WordPermuteAndFlip(Alphabet("ab"), epsilon=6, adjacency=2)
    assert float(calibrated.spent(2)) == pytest.approx(6, rel=1e-9)


@pytest.mark.parametrize(("length", "size", "adjacency"), [(3, 2, 2), (4, 3, 2), (5, 2, 3)])
def test_the_staircase(length: int, size: int, adjacency: int) -> None:
    mechanism = WordStaircase(Alphabet(range(size)), epsilon=2, adjacency=adjacency)
    shift = mechanism.shift(length)
    law = []
    for level in range(length + 1):
        step = -(-max(level - shift, 0) // adjacency)
        law.append(math.comb(length, level) * (size - 1) ** level * math.exp(-2 * step))
    law = [each / sum(law) for each in law]
    assert mechanism.distance_distribution(length) == pytest.approx(law, rel=1e-12)
    assert float(mechanism.spent(length)) == pytest.approx(2, rel=1e-15)
    assert float(mechanism.record_loss(length).maximum) == pytest.approx(2, rel=1e-15)
    errors = mechanism.expected_errors(length)
    assert errors <= length * (size - 1) / (math.exp(2 / adjacency) + size - 1) + 1e-12
    assert errors >= length * (size - 1) / (math.exp(2) + size - 1) - 1e-12


ALLOWED = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
ROOMS = Language.from_allowed(Alphabet("abc"), ALLOWED)


def rooms(length: int) -> list[Word]:
    return [w for w in words(3, length) if all(ALLOWED[a][b] for a, b in pairwise(w))]


def spent_on(language: list[Word], k: float, adjacency: int) -> float:
    total = {w: sum(math.exp(-k * distance(w, x)) for x in language) for w in language}
    return max(
        k * distance(w, v) + math.log(total[v] / total[w])
        for w, v in permutations(language, 2)
        if distance(w, v) <= adjacency
    )


@pytest.mark.parametrize(("length", "adjacency"), [(4, 1), (4, 2), (5, 1)])
def test_what_the_exponential_mechanism_spends_on_a_language(length: int, adjacency: int) -> None:
    mechanism = WordExponential(ROOMS, epsilon=3, adjacency=adjacency, calibration="paper")
    k = 3 / (2 * adjacency)
    exact = spent_on(rooms(length), k, adjacency)
    assert float(mechanism.spent(length)) == pytest.approx(exact, abs=1e-9)
    assert exact < 2 * k * adjacency
    assert float(mechanism.record_loss(length).maximum) == pytest.approx(2 * k, abs=1e-9)


def test_a_certified_rate_keeps_the_promise() -> None:
    mechanism = WordExponential(ROOMS, epsilon=2)
    assert mechanism.calibration == "exact"
    assert isinstance(mechanism, ExponentialOnLanguage)
    k = mechanism.rate(5)
    assert 1.2 < k <= 2
    for length in range(1, 7):
        assert spent_on(rooms(length), k, 1) <= 2


def test_permute_and_flip_on_a_language() -> None:
    mechanism = WordPermuteAndFlip(ROOMS, epsilon=3, calibration="paper")
    language, q = rooms(2), math.exp(-1.5)
    laws = {w: flip_law(w, language, q) for w in language}
    spent = max(
        math.log(laws[w][x] / laws[v][x])
        for w, v in permutations(language, 2)
        if distance(w, v) == 1
        for x in language
    )
    assert float(mechanism.spent(2)) == pytest.approx(spent, abs=1e-9)
    assert spent < 3


# ------------------------------------------------------------------------------------- series

STEPS = [
    [F(7, 10), F(2, 10), F(1, 10)],
    [F(3, 10), F(5, 10), F(2, 10)],
    [F(1, 4), F(1, 4), F(1, 2)],
]
START = [F(1, 2), F(1, 4), F(1, 4)]
CHAIN = MarkovChain(START, STEPS)
SERIES = MarkovFramework(CHAIN)


def weight(word: Word) -> Fraction:
    return math.prod((STEPS[a][b] for a, b in pairwise(word)), start=START[word[0]])


def law_of(
    read: Callable[[Word], Value], length: int, node: int, state: int
) -> dict[Value, Fraction]:
    """The law of a function of the series given that a node has a state."""
    law: dict[Value, Fraction] = {}
    for word in words(3, length):
        if word[node] == state:
            law[read(word)] = law.get(read(word), F(0)) + weight(word)
    total = sum(law.values())
    return {value: mass / total for value, mass in law.items()}


def influence(length: int, node: int, quilt: Sequence[int]) -> float:
    laws = [law_of(lambda w: tuple(w[t] for t in quilt), length, node, s) for s in range(3)]
    return max(math.log(one[x] / two[x]) for one, two in permutations(laws, 2) for x in one)


def quilts(length: int, node: int) -> list[tuple[tuple[int, ...], range]]:
    """Each quilt of a node with the nodes nearby."""
    left: list[int | None] = [None, *range(node)]
    right: list[int | None] = [None, *range(node + 1, length)]
    return [
        (
            tuple(t for t in (a, b) if t is not None),
            range(0 if a is None else a + 1, length if b is None else b),
        )
        for a in left
        for b in right
    ]


@pytest.mark.parametrize(("node", "quilt"), [(2, (0, 4)), (2, (1,)), (1, (3,)), (0, (2,))])
def test_max_influence(node: int, quilt: tuple[int, ...]) -> None:
    assert SERIES.max_influence(5, node, quilt) == pytest.approx(
        influence(5, node, quilt), rel=1e-9
    )


def test_the_scale_of_the_markov_quilt_mechanism() -> None:
    length, epsilon = 5, 4.0
    scales = []
    for node in range(length):
        found = [
            len(near) / (epsilon - e)
            for quilt, near in quilts(length, node)
            if (e := influence(length, node, quilt) if quilt else 0.0) < epsilon
        ]
        scales.append(min(found))
    assert float(SERIES.quilt_scale(length, epsilon=4)) == pytest.approx(max(scales), rel=1e-8)


LOSSES = RecordLoss.from_values(["0.2", "0.1", "0.4", "0.1", "0.3"])


def test_joint_quilts() -> None:
    lost = [float(LOSSES.at(t)) for t in range(5)]
    bound = max(
        min(
            (influence(5, node, quilt) if quilt else 0.0) + sum(lost[t] for t in near)
            for quilt, near in quilts(5, node)
        )
        for node in range(5)
    )
    assert float(SERIES.epsilon(LOSSES, method="quilt")) == pytest.approx(bound, rel=1e-8)


def test_the_approximate_bound_of_max_influence() -> None:
    plain = MarkovFramework(MarkovChain(["1/2", "1/2"], [["0.8", "0.2"], ["0.2", "0.8"]]))
    gap, smallest = 2 * (1 - 0.6), 0.5  # reversible; second eigenvalue 0.6
    scale = float(plain.quilt_scale(60, epsilon=2, method="approximate"))

    def side(t: int) -> float:
        share = math.exp(-gap * t / 2) / smallest
        return math.log((1 + share) / (1 - share)) if share < 1 else math.inf

    best = min(
        (a + b - 1) / (2 - e)
        for a in range(1, 30)
        for b in range(1, 30)
        if (e := side(b) + 2 * side(a)) < 2
    )
    assert scale == pytest.approx(best, rel=1e-8)  # of a node in the middle
    assert scale >= float(plain.quilt_scale(60, epsilon=2))


@pytest.mark.parametrize("stay", ["0.6", "0.9", "0.2"])
def test_propagation_on_a_binary_symmetric_chain(stay: str) -> None:
    """epsilon = r (1 + |l|) / (1 - |l|) for small r, in the middle of a long series."""
    go = 1 - F(stay)
    binary = MarkovFramework(MarkovChain(["1/2", "1/2"], [[F(stay), go], [go, F(stay)]]))
    second = abs(float(2 * F(stay) - 1))
    found = float(binary.epsilon(RecordLoss.constant(401, "1e-6"), method="propagation"))
    assert found == pytest.approx(1e-6 * (1 + second) / (1 - second), rel=1e-3)


def test_propagation_is_between_what_a_mechanism_tells_and_the_sum() -> None:
    """Randomised response on each node has the record loss 1/2, and an exact epsilon."""
    response = RandomizedResponse(Alphabet("abc"), epsilon="1/2")
    matrix = response.exact_response_matrix()
    table = [
        [math.prod(matrix[a][b] for a, b in zip(w, o, strict=True)) for o in words(3, 3)]
        for w in words(3, 3)
    ]
    exact = rules.pufferfish_epsilon(SERIES, 3, table)
    loss = response.record_loss(3)
    bound = SERIES.epsilon(loss, method="propagation")
    assert exact <= bound <= loss.total
    assert SERIES.epsilon(loss) == min(bound, SERIES.epsilon(loss, method="quilt"))


def test_the_box_of_chains() -> None:
    low, high = [["0.6", "0.3"], ["0.3", "0.6"]], [["0.7", "0.4"], ["0.4", "0.7"]]
    box = MarkovFramework(ChainBox(low, high))
    diameter = math.log(0.7 * 0.7 / (0.3 * 0.3))
    rate = math.tanh(diameter / 4)
    for t in (1, 2, 5):
        found = box.max_influence(20, 0, [t])
        assert found == pytest.approx(diameter * rate ** (t - 1), rel=1e-6)
        inside = MarkovFramework(MarkovChain(["1/2", "1/2"], [["0.65", "0.35"], ["0.35", "0.65"]]))
        assert inside.max_influence(20, 0, [t]) <= found


def quantile(law: dict[int, Fraction], share: Fraction) -> int:
    return next(v for v in range(5) if sum(p for x, p in law.items() if x <= v) >= share)


def farthest_move(one: dict[int, Fraction], two: dict[int, Fraction]) -> int:
    """The largest difference of the quantiles, which change at the cumulative sums alone."""
    cuts = {
        sum((p for x, p in law.items() if x <= v), F(0)) for law in (one, two) for v in range(5)
    }
    return max(abs(quantile(one, cut) - quantile(two, cut)) for cut in cuts if cut)


def test_the_wasserstein_mechanism() -> None:
    laws = {
        (node, state): law_of(lambda word: word.count(0), 4, node, state)
        for node in range(4)
        for state in range(3)
    }
    farthest = max(
        farthest_move(laws[node, s], laws[node, t])
        for node in range(4)
        for s, t in combinations(range(3), 2)
    )
    mechanism = Wasserstein(SERIES, epsilon=2)
    assert mechanism.distance(queries.count(0), 4) == farthest
    assert mechanism.scale(4, queries.count(0)) == F(farthest, 2)


def test_the_error_of_discrete_laplace_noise() -> None:
    mechanism = MarkovLaplace(SERIES, epsilon=1)
    query = queries.count(0)
    scale = float(mechanism.noise_scale(query, 5))
    q = math.exp(-1 / scale)
    law = {x: (1 - q) / (1 + q) * q ** abs(x) for x in range(-2000, 2001)}
    assert sum(law.values()) == pytest.approx(1)
    error = sum(abs(x) * p for x, p in law.items())
    assert error == pytest.approx(2 * q / (1 - q * q))
    assert mechanism.expected_error(query, 5) == pytest.approx(error, rel=1e-9)
    assert sum(p for x, p in law.items() if abs(x) > 7) == pytest.approx(2 * q**8 / (1 + q))


# ------------------------------------------------------------------------------- composition


def test_independent_records() -> None:
    total = LOSSES + RecordLoss.segment(5, 0, 2, 1)
    lost = sorted((float(total.at(t)) for t in range(5)), reverse=True)
    for unit in (1, 2, 5):
        found = float(IndependentRecords(unit).epsilon(total))
        assert found == pytest.approx(sum(lost[:unit]))
    assert IndependentRecords("all").epsilon(total) == total.total


def test_binary_responses_at_a_delta() -> None:
    """The epsilon of n losses r: delta is the mean of (1 - e^(epsilon - loss))+."""
    r, times, delta = 0.5, 6, 0.01
    accountant = Accountant(IndependentRecords())
    accountant.add(RecordLoss.constant(3, "1/2"), times=times)
    epsilon = float(accountant.epsilon(delta="0.01"))
    keep = math.exp(r) / (1 + math.exp(r))
    law = [
        (math.comb(times, j) * keep**j * (1 - keep) ** (times - j), r * (2 * j - times))
        for j in range(times + 1)
    ]
    needed = sum(p * max(0.0, 1 - math.exp(epsilon - loss)) for p, loss in law)
    assert needed == pytest.approx(delta, rel=1e-6)
    assert epsilon < r * times


def test_the_published_rules() -> None:
    assert rules.sequential_composition(IndependentRecords(), [1, "1/2"]) == F(3, 2)
    parts: list[tuple[int | str, tuple[int, int]]] = [(1, (0, 3)), ("1/2", (3, 5))]
    assert rules.parallel_composition(IndependentRecords(), parts) == 1
    assert rules.sum_of_quilt_mechanisms(SERIES, [1, "1/2"]) == F(3, 2)
    assert rules.same_active_quilts(SERIES, 5, [2, 2, 2]) == 6
    first, second = (0, 2), (3, 5)
    onward, back = influence(5, 1, [3]), influence(5, 3, [1])
    charged = float(rules.disjoint_subchains(SERIES, first, second, ("0.1", "2")))
    assert charged == pytest.approx(max(0.1 + min(onward, 2), 2 + min(back, 0.1)))


def test_the_divergences_of_two_outputs() -> None:
    one = [[F(3, 4), F(1, 4)] if w[0] == 0 else [F(1, 4), F(3, 4)] for w in words(3, 2)]
    two = [[F(3, 4), F(1, 4)] if w[1] == 0 else [F(1, 4), F(3, 4)] for w in words(3, 2)]
    found = rules.from_output_tables(SERIES, 2, one, two)
    parts = (found.first, found.second, found.joint_over_product, found.product_over_joint)
    assert float(found.bound) == pytest.approx(sum(map(float, parts)))
    assert found.exact <= found.bound


# ------------------------------------------------------------------------------ verification


def test_the_worst_ratio_of_a_hidden_markov_model() -> None:
    moves = [[F(9, 10), F(1, 10)], [F(1, 5), F(4, 5)]]
    seen = [[F(2, 3), F(1, 3)], [F(1, 4), F(3, 4)]]

    def probability(word: Word, start: int) -> Fraction:
        forward = [seen[s][word[0]] if s == start else F(0) for s in range(2)]
        for x in word[1:]:
            after = [forward[0] * moves[0][t] + forward[1] * moves[1][t] for t in range(2)]
            forward = [after[t] * seen[t][x] for t in range(2)]
        return sum(forward, F(0))

    ratio, word = verify.worst_ratio(HiddenMarkovModel(moves, seen), 0, 1, 5)
    found = {each: probability(each, 0) / probability(each, 1) for each in words(2, 5)}
    assert ratio == max(found.values())
    assert word is not None
    assert found[tuple(int(str(x)) for x in word)] == ratio


def worst_of(prior: verify.library.CountPrior) -> Fraction | float:
    asked = verify.library.noisy_count(verify.library.truncated_geometric(2), prior)
    return max(verify.worst_ratio(asked.model, *pair, 1)[0] for pair in asked.questions)


def test_what_priors_make_of_a_private_count() -> None:
    assert worst_of(verify.library.independent(["1/3", "1/7"])) <= 2
    assert worst_of(verify.library.binomial(2, "1/4")) == 2
    assert worst_of(verify.library.contagious(2, "1/10")) == 4
    assert worst_of(verify.library.exchangeable(["1/2", "1/4", "1/4"])) == F(25, 9)
    assert worst_of(verify.library.exchangeable(["1/5", "3/5", "1/5"])) < 2


@pytest.mark.parametrize("none", range(1, 8))
def test_exchangeable_priors_that_keep_the_ratio(none: int) -> None:
    """p_0 p_2 <= p_1^2 / 4, on a grid of twelfths."""
    for both in range(1, 12 - none):
        one = 12 - none - both
        prior = verify.library.exchangeable([F(none, 12), F(one, 12), F(both, 12)])
        assert (worst_of(prior) <= 2) == (4 * none * both <= one * one)


def test_subsampling() -> None:
    whole = verify.library.randomized_response(3, ratio=5)
    absent = [F(1, 3)] * 3
    chance = F(1, 4)
    rows = [
        [chance * p + (1 - chance) * a for p, a in zip(row, absent, strict=True)]
        for row in whole.rows
    ]
    c = max(p / a for row in whole.rows for p, a in zip(row, absent, strict=True))
    ratio = max(p / a for row in rows for p, a in zip(row, absent, strict=True))
    assert ratio == 1 + chance * (c - 1)
