"""Well-known mechanisms: golden ratios, laws by enumeration, and what is refused."""

import math
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from privet import (
    Alphabet,
    HiddenMarkovModel,
    MarkovChain,
    MarkovFramework,
    RandomizedResponse,
    RecordLoss,
    verify,
)
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import exp_up, log_up
from privet.verify import library
from privet.verify.library import FiniteModel, SecretModel

F = Fraction
CHAIN = MarkovChain(
    ["1/2", "1/3", "1/6"],
    [["3/4", "1/4", 0], ["1/5", "3/5", "1/5"], [0, "1/2", "1/2"]],
    ["calm", "wind", "storm"],
)


def worst(model: FiniteModel) -> Any:
    return verify.smallest_ratio(model.rows, neighbours=model.neighbours)[0]


def worst_of_secrets(secrets: SecretModel, length: int) -> Any:
    return max(
        verify.worst_ratio(secrets.model, one, other, length)[0] for one, other in secrets.questions
    )


def are_laws(model: FiniteModel) -> bool:
    return all(sum(row) == 1 and min(row) >= 0 for row in model.rows)


# ------------------------------------------------------------------------------------------ counts


def test_the_geometric_mechanism_of_the_paper() -> None:
    model = library.truncated_geometric(2)
    sixth, third = F(1, 6), F(1, 3)
    assert model.rows == ((4 * sixth, sixth, sixth), (third,) * 3, (sixth, sixth, 4 * sixth))
    assert model.row(1) == (third,) * 3
    assert worst(model) == 2
    assert verify.smallest_ratio(model.rows)[0] == 4


@pytest.mark.parametrize("largest", [1, 2, 5])
@pytest.mark.parametrize("ratio", ["1/2", "2/3", "1/10"])
def test_geometric_laws_are_those_of_the_noise(largest: int, ratio: str) -> None:
    r, far = F(ratio), 400
    clamped = [[F(0)] * (largest + 1) for _ in range(largest + 1)]
    around = [[F(0)] * (largest + 1) for _ in range(largest + 1)]
    for true in range(largest + 1):
        for z in range(-far, far + 1):
            share = (1 - r) / (1 + r) * r ** abs(z)
            clamped[true][min(max(true + z, 0), largest)] += share
            around[true][(true + z) % (largest + 1)] += share
    for made, rows in (
        (library.truncated_geometric(largest, ratio=ratio), clamped),
        (library.modular_geometric(largest, ratio=ratio), around),
    ):
        assert are_laws(made)
        for exact, summed in zip(made.rows, rows, strict=True):
            assert all(0 <= a - b < F(1, 10**60) for a, b in zip(exact, summed, strict=True))
    assert worst(library.truncated_geometric(largest, ratio=ratio)) == 1 / r
    modular = worst(library.modular_geometric(largest, ratio=ratio))
    assert modular < 1 / r
    # Around a circle the farthest difference is M / 2, so the ratio is that of one step from 0.
    whole = largest + 1
    assert modular == (1 + r**whole) / (r + r ** (whole - 1))


def by_people(law: dict[tuple[int, ...], Fraction], ill: int) -> tuple[Fraction, ...]:
    """The law of the count given that person 0 is ill (1) or well (0), from the joint law."""
    counts: dict[int, Fraction] = defaultdict(Fraction)
    for people, share in law.items():
        if people[0] == ill:
            counts[sum(people)] += share
    total = sum(counts.values())
    size = len(next(iter(law))) + 1
    return tuple(counts[m] / total for m in range(size))


def joint(people: int, chance: Callable[[tuple[int, ...]], Fraction]) -> Any:
    return {each: chance(each) for each in product((0, 1), repeat=people)}


def test_priors_are_the_conditional_laws_of_the_count() -> None:
    chances = [F(1, 3), F(1, 2), F(9, 10)]

    def apart(people: tuple[int, ...]) -> Fraction:
        return math.prod(
            (c if ill else 1 - c for c, ill in zip(chances, people, strict=True)), start=F(1)
        )

    shares = [F(1, 10), F(2, 10), F(3, 10), F(4, 10)]
    cases = [
        (library.independent(chances), apart),
        (
            library.binomial(3, "1/4"),
            lambda x: F(1, 4) ** sum(x) * F(3, 4) ** (3 - sum(x)),
        ),
        (
            library.contagious(3, "1/4"),
            lambda x: {0: F(3, 4), 3: F(1, 4)}.get(sum(x), F(0)),
        ),
        (library.exchangeable(shares), lambda x: shares[sum(x)] / math.comb(3, sum(x))),
    ]
    for prior, chance in cases:
        law = joint(3, chance)
        assert prior.ill == by_people(law, 1)
        assert prior.well == by_people(law, 0)


@pytest.mark.parametrize("p", ["1/1000000", "1/32", "1/2", "31/32"])
def test_independent_people_are_ln_2_private_and_no_better(p: str) -> None:
    secrets = library.noisy_count(library.truncated_geometric(2), library.binomial(2, p))
    assert worst_of_secrets(secrets, 1) == 2
    for one, other in secrets.questions:
        claim: Any = {"model": secrets.model, "first": one, "second": other, "length": 1}
        assert isinstance(verify.hidden_markov(**claim, ratio=2), verify.Holds)
        assert isinstance(verify.hidden_markov(**claim, ratio="1.9"), verify.Violated)


def test_a_contagious_disease_has_ratio_4() -> None:
    for chance in ("1/10", "1/2"):
        secrets = library.noisy_count(library.truncated_geometric(2), library.contagious(2, chance))
        assert worst_of_secrets(secrets, 1) == 4
    # The same count released twice: the loss adds up.
    assert worst_of_secrets(secrets, 2) == 16


def test_the_free_prior_holds_below_the_binomial_one() -> None:
    mechanism = library.truncated_geometric(2)
    for parts in product(range(1, 6), repeat=3):
        p0, p1, p2 = (F(part, sum(parts)) for part in parts)
        secrets = library.noisy_count(mechanism, library.exchangeable([p0, p1, p2]))
        assert (worst_of_secrets(secrets, 1) <= 2) == (p0 * p2 <= p1**2 / 4)
    half = library.noisy_count(mechanism, library.exchangeable(["1/2", "1/4", "1/4"]))
    ratios = [verify.worst_ratio(half.model, a, b, 1)[0] for a, b in half.questions]
    assert ratios == [F(25, 9), F(27, 10)]


def test_the_modular_mechanism_hides_independent_people_better() -> None:
    for people in (2, 3, 4):
        prior = library.binomial(people, "1/3")
        around = library.noisy_count(library.modular_geometric(people), prior)
        clamped = library.noisy_count(library.truncated_geometric(people), prior)
        assert worst_of_secrets(around, 1) < worst_of_secrets(clamped, 1) == 2


# ----------------------------------------------------------------------------------------- choices


@pytest.mark.parametrize(("queries", "all_moved"), [(2, 4), (3, 8), (4, 16)])
@pytest.mark.parametrize("reports", ["index", "value"])
def test_the_noisy_maximum(queries: int, all_moved: int, reports: Any) -> None:
    one = library.report_noisy_max(queries, 2, moved="one", reports=reports)
    assert are_laws(one)
    assert worst(one) == 2
    every = library.report_noisy_max(queries, 2, moved="all", reports=reports)
    assert every.rows == one.rows
    assert worst(every) == all_moved


def test_the_noisy_maximum_is_the_enumerated_one() -> None:
    noise = library.truncated_geometric(3, ratio="1/3").rows
    index = library.report_noisy_max(3, 3, ratio="1/3")
    value = library.report_noisy_max(3, 3, ratio="1/3", reports="value")
    for true in [(0, 0, 0), (1, 3, 2), (3, 0, 3)]:
        first, largest = [F(0)] * 3, [F(0)] * 4
        for noisy in product(range(4), repeat=3):
            share = math.prod(noise[a][b] for a, b in zip(true, noisy, strict=True))
            first[noisy.index(max(noisy))] += share
            largest[max(noisy)] += share
        assert index.row(true) == tuple(first)
        assert value.row(true) == tuple(largest)


def test_the_draft_calls_a_ratio_below_2_a_violation() -> None:
    # The draft paper says that its example breaks ln 2. Enumeration says 53/32 = 1.656.
    model = library.report_noisy_max(3, 2)
    over, under = model.row((2, 2, 0)), model.row((2, 1, 1))
    assert max(a / b for a, b in zip(over, under, strict=True)) == F(53, 32) < 2


def summed_sparse(answers: tuple[int, ...], limit: int, far: int) -> list[Fraction]:
    """The sparse vector's law with noise of 1/2 cut off `far` steps away, in every loop."""

    def noise(z: int) -> Fraction:
        return F(1, 3) * F(1, 2) ** abs(z)

    law = [F(0)] * (len(answers) + 1)
    for t in range(limit - far, limit + far + 1):
        left = noise(t - limit)
        for j, answer in enumerate(answers):
            below = sum((noise(z) for z in range(-far, t - answer)), F(0))
            law[j] += left * (1 - below)
            left *= below
        law[-1] += left
    return law


def test_the_sparse_vector_is_the_enumerated_one() -> None:
    model = library.above_threshold(2, 3, threshold=1)
    assert are_laws(model)
    for answers in [(0, 0), (1, 3), (3, 0), (2, 2)]:
        expected = summed_sparse(answers, 1, 40)
        close = zip(model.row(answers), expected, strict=True)
        assert all(abs(a - b) < F(1, 2**36) for a, b in close)


@pytest.mark.parametrize("queries", [2, 3, 4])
def test_the_sparse_vector_keeps_its_guarantee_and_truncation_breaks_it(queries: int) -> None:
    model = library.above_threshold(queries, 2, threshold=1)
    found = worst(model)
    # 2 for the threshold and 2^2 for the answer that is found, however many were asked before.
    assert F(5, 2) < found < 8
    truncated = library.above_threshold(queries, 2, threshold=1, noise="truncated")
    assert are_laws(truncated)
    assert worst(truncated) == 2**queries
    claim = verify.finite_mechanism(
        truncated.rows, epsilon=log_up(F(8)), neighbours=truncated.neighbours
    )
    assert isinstance(claim, verify.Holds if queries <= 3 else verify.SetViolated)


# --------------------------------------------------------------------------------------- responses


def chances_given(node: int, length: int, responses: Any) -> dict[int, dict[Any, Fraction]]:
    """a -> P(answers | X_node = a), by listing all paths and all answers."""
    size = len(CHAIN.states)
    found: dict[int, dict[Any, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    totals: dict[int, Fraction] = defaultdict(Fraction)
    for path in product(range(size), repeat=max(length, node + 1)):
        share = CHAIN.exact_initial[path[0]]
        for a, b in pairwise(path):
            share *= CHAIN.exact_transition[a][b]
        totals[path[node]] += share
        for answers in product(range(len(responses[0])), repeat=length):
            seen = math.prod(
                (responses[x][y] for x, y in zip(path, answers, strict=False)), start=share
            )
            found[path[node]][answers] += seen
    return {a: {w: c / totals[a] for w, c in law.items()} for a, law in found.items()}


@pytest.mark.parametrize(("node", "length"), [(0, 3), (1, 3), (2, 3), (2, 4), (3, 2)])
def test_responses_on_a_chain_have_the_law_of_the_paths(node: int, length: int) -> None:
    responses = library.randomized_response(3, ratio=3).rows
    secrets = library.responses_on_chain(CHAIN, responses, node=node)
    expected = chances_given(node, length, responses)
    assert set(secrets.secrets) == {CHAIN.states[a] for a in expected}
    largest = F(0)
    for a, law in expected.items():
        here = secrets.secrets[CHAIN.states[a]]
        for word, share in law.items():
            assert verify.models.word_probability(secrets.model, here, word) == share
        for other in expected.values():
            largest = max(largest, *(law[w] / other[w] for w in law))
    assert worst_of_secrets(secrets, length) == largest


def test_what_the_answers_tell_of_a_node_is_within_the_framework_s_bound() -> None:
    mechanism = RandomizedResponse(Alphabet(CHAIN.states), epsilon="1/2")
    framework = MarkovFramework(CHAIN)
    for node in range(4):
        secrets = library.responses_on_chain(CHAIN, mechanism.exact_response_matrix(), node=node)
        bound = framework.epsilon(mechanism.record_loss(4))
        assert 1 < worst_of_secrets(secrets, 4) <= exp_up(bound)
    alone = RecordLoss.constant(1, mechanism.spent(1))
    first = library.responses_on_chain(CHAIN, mechanism.exact_response_matrix())
    assert worst_of_secrets(first, 1) <= exp_up(framework.epsilon(alone))


def test_independent_steps_tell_what_one_answer_tells() -> None:
    even = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"]] * 2)
    table = library.randomized_response(2, ratio=3)
    assert worst(table) == 3
    for node in (0, 2):
        secrets = library.responses_on_chain(even, table.rows, node=node)
        assert worst_of_secrets(secrets, 5) == 3
        for one, other in secrets.questions:
            outcome = verify.hidden_markov(secrets.model, one, other, ratio=3)
            assert isinstance(outcome, verify.Holds)


def test_states_that_cannot_be_are_no_secrets() -> None:
    started = MarkovChain([1, 0, 0], CHAIN.exact_transition, CHAIN.states)
    rows = library.randomized_response(3, ratio=2).rows
    assert set(library.responses_on_chain(started, rows, node=1).secrets) == {"calm", "wind"}
    with pytest.raises(ModelError, match="one state only"):
        library.responses_on_chain(started, rows)


# ---------------------------------------------------------------------------------------- sampling


@pytest.mark.parametrize("share", ["1/10", "1/2", "1"])
def test_subsampling_amplifies_as_the_theorem_says(share: str) -> None:
    q = F(share)
    rows = library.truncated_geometric(3).rows
    for absent in range(4):
        model = library.subsampled(rows, share=share, absent=absent)
        assert are_laws(model)
        pairs = model.neighbours
        before = verify.smallest_ratio(rows, neighbours=pairs)[0]
        assert worst(model) <= 1 + q * (before - 1)
        over = max(a / b for i in range(4) for a, b in zip(rows[i], rows[absent], strict=True))
        upward = max(
            a / b for i in range(4) for a, b in zip(model.rows[i], model.rows[absent], strict=True)
        )
        assert upward == 1 + q * (over - 1)
    response = library.randomized_response(3, ratio=5)
    assert worst(library.subsampled(response.rows, share=share)) == 1 + 4 * q
    # Replacing a record is no worse than leaving it out.
    assert (
        verify.smallest_ratio(library.subsampled(response.rows, share=share).rows)[0] <= 1 + 4 * q
    )


def test_subsampling_needs_both_directions() -> None:
    absent, present, q = [F(1, 2), F(1, 2)], [F(9, 10), F(1, 10)], F(1, 2)
    model = library.subsampled([absent, present], share=q)
    upward, both = F(9, 5), F(5)  # the largest of present / absent, and of either quotient
    assert 1 + q * (upward - 1) < worst(model) <= min(1 + q * (both - 1), 1 / (1 - q))


def test_subsampling_scales_delta() -> None:
    rows = [[F(1, 2), F(1, 2), F(0)], [F(1, 4), F(1, 2), F(1, 4)]]
    q = F(1, 5)
    model = library.subsampled(rows, share=q)
    ratio = F(3, 2)
    delta = sum(max(F(0), b - ratio * a) for a, b in zip(*rows, strict=True))
    mixed = 1 + q * (ratio - 1)
    assert sum(max(F(0), b - mixed * a) for a, b in zip(*model.rows, strict=True)) == q * delta


# --------------------------------------------------------------------------------------- bad input


def response_rows() -> Any:
    return library.randomized_response(3, ratio=2).rows


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: library.truncated_geometric(0), ParameterError, "at least 1"),
        (lambda: library.truncated_geometric(2, ratio=1), ParameterError, "strictly between"),
        (lambda: library.modular_geometric(2, ratio=0), ParameterError, "strictly between"),
        (lambda: library.modular_geometric(2, ratio=math.nan), ParameterError, "finite"),
        (lambda: library.truncated_geometric(10**9), ParameterError, "above"),
        (lambda: library.independent([]), ParameterError, "nobody"),
        (lambda: library.independent([1, "1/2"]), ModelError, "probability zero"),
        (lambda: library.independent(["1/2", 2]), ParameterError, "between 0 and 1"),
        (lambda: library.contagious(2, 0), ModelError, "probability zero"),
        (lambda: library.exchangeable([0, 0, 0]), ParameterError, "no law"),
        (lambda: library.exchangeable([1]), ParameterError, "no law"),
        (lambda: library.exchangeable([0, 0, 1]), ModelError, "probability zero"),
        (
            lambda: library.noisy_count(library.truncated_geometric(2), library.binomial(3, "1/2")),
            ModelError,
            "same number of people",
        ),
        (lambda: library.report_noisy_max(1, 2), ParameterError, "at least 2"),
        (lambda: library.report_noisy_max(9, 9), ParameterError, "too large"),
        (lambda: library.report_noisy_max(10**6, 1), ParameterError, "too large"),
        (
            lambda: library.report_noisy_max(2, 2, reports="both"),  # type: ignore[arg-type]  # on purpose
            ParameterError,
            "reports",
        ),
        (
            lambda: library.report_noisy_max(2, 2, moved="some"),  # type: ignore[arg-type]  # on purpose
            ParameterError,
            "moved",
        ),
        (lambda: library.above_threshold(2, 2, threshold=3), ParameterError, "largest answer"),
        (
            lambda: library.above_threshold(2, 2, threshold=1, noise="no"),  # type: ignore[arg-type]  # on purpose
            ParameterError,
            "noise",
        ),
        (lambda: library.randomized_response(1, ratio=2), ParameterError, "at least 2"),
        (lambda: library.randomized_response(3, ratio="1/2"), ParameterError, "at least 1"),
        (
            lambda: library.responses_on_chain([[1]], response_rows()),  # type: ignore[arg-type]  # on purpose
            ParameterTypeError,
            "MarkovChain",
        ),
        (
            lambda: library.responses_on_chain(CHAIN, [[1, 0], [0, 1]]),
            ModelError,
            "2 rows",
        ),
        (
            lambda: library.responses_on_chain(CHAIN, response_rows(), node=-1),
            ParameterError,
            "at least 0",
        ),
        (
            lambda: library.responses_on_chain(CHAIN, response_rows(), node=10**6),
            ParameterError,
            "above",
        ),
        (lambda: library.subsampled([[1]], share="1/2"), ParameterError, "two at least"),
        (
            lambda: library.subsampled([[1], [1]], share="1/2", absent=2),
            ParameterError,
            "absent",
        ),
        (lambda: library.subsampled([[1], [1]], share=0), ParameterError, "share is 0"),
        (lambda: library.subsampled([[1], [1]], share=2), ParameterError, "between 0 and 1"),
        (lambda: library.truncated_geometric(2).row(7), ParameterError, "no such input"),
    ],
)
def test_what_makes_no_model_is_refused(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_models_are_what_the_verifier_takes() -> None:
    secrets = library.noisy_count(library.modular_geometric(2), library.binomial(2, "1/2"))
    assert isinstance(secrets.model, HiddenMarkovModel)
    (first, second), (again, _) = secrets.questions
    outcome = verify.hidden_markov(secrets.model, first, second, ratio=2, length=range(1, 3))
    assert isinstance(outcome, verify.Holds | verify.Violated)
    assert again == second
