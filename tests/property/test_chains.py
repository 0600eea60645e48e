"""Laws of chains and of decoding that hold whatever the numbers."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet import RandomizedResponse, decode
from privet.chains import HiddenMarkovModel, MarkovChain, model_from_json
from privet.chains.structure import closed_classes
from privet.errors import ModelError
from privet.randomness import using_source
from privet.symbols import Alphabet, Words
from privet.testing import ReplaySource

EPSILONS = st.fractions(Fraction(1, 20), 12, max_denominator=20)


@st.composite
def rows(draw: st.DrawFn, count: int, size: int) -> list[list[Fraction]]:
    """Stochastic rows of small fractions, zeros among them."""
    table = []
    for _ in range(count):
        weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
        weights[draw(st.integers(0, size - 1))] += 1
        table.append([Fraction(weight, sum(weights)) for weight in weights])
    return table


@st.composite
def chains(draw: st.DrawFn, most: int = 5) -> MarkovChain:
    size = draw(st.integers(2, most))
    table = draw(rows(size + 1, size))
    chain = MarkovChain(table[0], table[1:], list("abcde"[:size]))
    return (
        chain if draw(st.booleans()) else MarkovChain(chain.initial, chain.transition, chain.states)
    )


@given(chains())
def test_json_gives_every_chain_back(chain: MarkovChain) -> None:
    again = model_from_json(json.loads(json.dumps(chain.to_json())))
    assert again == chain
    assert isinstance(again, MarkovChain)
    assert again.is_exact == chain.is_exact


@given(st.data(), st.integers(2, 4), st.integers(2, 4))
def test_json_gives_every_hidden_markov_model_back(data: st.DataObject, k: int, m: int) -> None:
    model = HiddenMarkovModel(data.draw(rows(k, k)), data.draw(rows(k, m)))
    assert model_from_json(json.loads(json.dumps(model.to_json()))) == model


@given(chains())
def test_a_stationary_law_is_stationary(chain: MarkovChain) -> None:
    if len(closed_classes(chain.support())) > 1:
        for law_of in (chain.stationary, chain.exact_stationary):
            with pytest.raises(ModelError, match="closed classes"):
                law_of()
        return
    law = chain.exact_stationary()
    steps, size = chain.exact_transition, range(len(law))
    assert sum(law) == 1
    assert [sum(law[i] * steps[i][j] for i in size) for j in size] == [*law]
    assert chain.stationary() == pytest.approx([float(p) for p in law], rel=1e-12, abs=0)


@given(chains(), st.randoms(use_true_random=False))
def test_the_order_of_states_changes_nothing(chain: MarkovChain, shuffle: object) -> None:
    symbols = [*chain.states]
    shuffle.shuffle(symbols)  # type: ignore[attr-defined]  # a random.Random in disguise
    turned = chain.in_order_of(Alphabet(symbols))
    assert turned.in_order_of(chain.alphabet) == chain
    with using_source(ReplaySource(1)):
        words = chain.sample_words(5, 6)
    same = Words.from_lists(turned.alphabet, words.to_lists())
    assert turned.log_likelihood(words) == pytest.approx(chain.log_likelihood(same))


@given(chains(), EPSILONS, st.integers(1, 4))
@settings(max_examples=40)
def test_probabilities_of_all_released_words_sum_to_one(
    chain: MarkovChain, epsilon: Fraction, length: int
) -> None:
    mechanism = RandomizedResponse(chain.alphabet, epsilon=epsilon)
    every = Words.from_lists(chain.alphabet, map(list, product(chain.states, repeat=length)))
    known = decode.posterior(every, mechanism, chain)
    chances = np.exp(known.log_likelihood)
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    # The posterior, averaged over releases, is the prior: the law of each true symbol.
    average = np.einsum("w,wtk->tk", chances, known.marginals.reshape(len(every), length, -1))
    law = chain.initial
    for position in range(length):
        assert average[position] == pytest.approx(law, rel=1e-10, abs=1e-12)
        law = law @ chain.transition


@given(chains(), EPSILONS, st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(0, 99))
@settings(max_examples=60)
def test_each_decoding_is_best_at_what_it_promises(
    chain: MarkovChain, epsilon: Fraction, lengths: list[int], seed: int
) -> None:
    mechanism = RandomizedResponse(chain.alphabet, epsilon=epsilon)
    with using_source(ReplaySource(seed)):
        truth = chain.sample_words(len(lengths), lengths)
        released = mechanism.release(truth)
        drawn = decode.sample(released, mechanism, chain)[0]
    best = decode.viterbi(released, mechanism, chain)
    known = decode.posterior(released, mechanism, chain)

    def weight(words: Words) -> np.ndarray:
        logs = np.log(mechanism.response_matrix)[words.codes, released.codes]
        number = np.repeat(np.arange(len(words)), words.lengths)
        seen = np.bincount(number, weights=logs, minlength=len(words))
        return np.asarray(chain.log_likelihood(words) + seen)

    for words in (truth, drawn):
        assert np.isfinite(chain.log_likelihood(words)).all()
        assert (weight(best) >= weight(words) - 1e-9).all()
    assert (weight(best) <= known.log_likelihood + 1e-9).all()
    assert (known.marginals >= 0).all()
    assert known.marginals.sum(axis=1) == pytest.approx(np.ones(truth.codes.size))
    for words in (best, truth, drawn, released):
        assert (known.expected_errors <= known.expected_errors_of(words) + 1e-9).all()
