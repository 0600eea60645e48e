"""What a chain may be fitted to, where it may be saved, and what it says of where it came from."""

import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import (
    HiddenMarkovModel,
    Language,
    MarkovChain,
    RandomizedResponse,
    estimate,
    read_model,
    save_model,
)
from privet.chains import model_from_json
from privet.errors import ModelError, OutputError, ParameterError, ParameterTypeError, PrivetError
from privet.symbols import Alphabet, Words
from privet.whole_files import write_whole

ABC = Alphabet("abc")
HALF = [Fraction(1, 2), Fraction(1, 2)]
WORDS = Words.from_lists(ABC, [list("aabbc"), list("abc"), list("c")])
FORWARD = Language.from_allowed(ABC, [[1, 1, 0], [0, 1, 1], [0, 0, 1]])
CHAIN = MarkovChain(HALF, [HALF, [0, 1]], ["a", "b"])


def test_a_language_or_a_chain_is_a_support() -> None:
    by_language = MarkovChain.fit(WORDS, pseudocount=1, support=FORWARD)
    steps = FORWARD.automaton.transitions
    assert steps.shape[1] == 3
    matrix = [[1, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert by_language == MarkovChain.fit(WORDS, pseudocount=1, support=matrix)
    assert MarkovChain.fit(WORDS, pseudocount=1, support=by_language) == by_language
    begun = Language.from_allowed(ABC, matrix, start=["a", "c"])
    found = MarkovChain.fit(WORDS, pseudocount=1, support=begun)
    assert found.exact_initial == (Fraction(3, 5), Fraction(0), Fraction(2, 5))
    turned = Language.from_allowed(Alphabet("cba"), [[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    assert MarkovChain.fit(WORDS, pseudocount=1, support=turned) == by_language


def test_released_words_are_learnt_from_on_a_language_and_from_a_release() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=4)
    released = mechanism.release(WORDS)
    found = estimate.transitions(released, mechanism, support=FORWARD)
    assert found.chain.transition[1, 0] == found.chain.transition[0, 2] == 0
    again = estimate.transitions(released, mechanism, support=found.chain)
    assert (again.words, again.symbols) == (3, 9)
    assert "3 released words of 9 symbols" in again.description
    lines = str(again).splitlines()
    assert lines[1].split() == ["after", "a", "b", "c"]
    assert lines[3].startswith("(start)")
    assert "Fraction" not in str(again) + repr(again)


def test_a_support_in_which_words_end_is_explained() -> None:
    closing = Language.from_regex(ABC, "(a|b)* c")
    with pytest.raises(
        ModelError, match=r"Words end after state 'c' .*allows no transition"
    ) as caught:
        MarkovChain.fit(WORDS, pseudocount=1, support=closing)
    assert "'c' follow itself" in caught.value.hint
    with pytest.raises(ModelError, match="No word of the support has state 'c'"):
        MarkovChain.fit(WORDS, pseudocount=1, support=Language.from_regex(ABC, "(a|b)*"))
    with pytest.raises(ModelError, match="other symbols") as caught:
        MarkovChain.fit(WORDS, support=Language.from_regex(Alphabet("abd"), "(a|d)*"))
    assert caught.value.hint == "Only the support has 'd'; only the words have 'c'."


@pytest.mark.parametrize(
    "support", [[[1, 0], [1]], [[2, 0, 0], [0, -1, 0], [1, 1, 1]], "abc", 3, [[None] * 3] * 3]
)
def test_a_support_of_the_wrong_form(support: Any) -> None:
    mechanism = RandomizedResponse(ABC, epsilon=4)
    with pytest.raises(ModelError, match="support"):
        MarkovChain.fit(WORDS, pseudocount=1, support=support)
    with pytest.raises(ModelError, match="support"):
        estimate.transitions(WORDS, mechanism, support=support)


def test_the_first_word_outside_is_named_whatever_is_wrong_with_it() -> None:
    words = Words.from_lists(ABC, [list("aab"), [], list("abab"), list("ba")])
    with pytest.raises(ModelError, match=r"Word 2 leaves .* position 2.*; 2 words do") as caught:
        MarkovChain.fit(words, pseudocount=1, support=FORWARD)
    assert caught.value.payload == {"word": 2, "position": 2}


@pytest.mark.parametrize(
    "initial",
    [
        ["1e400", "0"],
        [10**400, 0],
        [10**400, 0.5],
        [1e308, 1e308],
        [Fraction(10**400), 1],
        [2, -1.0],
        [float("inf"), 0.5],
        np.array([1e308, 1e308]),
    ],
)
def test_huge_entries_are_refused_by_row(initial: Any) -> None:
    rows = [[1, 0], [0, 1]]
    with pytest.raises(ModelError, match="initial distribution"):
        MarkovChain(initial, rows)
    with pytest.raises(ModelError, match="ow 1"):
        MarkovChain(HALF, [[1, 0], initial])
    with pytest.raises(ModelError, match="ow 1"):
        HiddenMarkovModel(rows, [[1, 0], initial])


def test_sums_are_told_exactly() -> None:
    with pytest.raises(ModelError, match="does not sum to exactly 1: it is 1e-400 too much"):
        MarkovChain(["1e-400", 1], [[1, 0], [0, 1]])
    with pytest.raises(ModelError, match="it is 1e-30 too little"):
        MarkovChain([0, 1 - Fraction(1, 10**30)], [[1, 0], [0, 1]])
    with pytest.raises(ModelError, match=r"sums to 0\.75, which is 0\.25 too little"):
        MarkovChain([0, "3/4"], [[1, 0], [0, 1]])


def test_bare_python_errors_are_none() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=4)
    masked = np.ma.masked_array([0.5, 0.5], [False, True])
    calls: list[Any] = [
        lambda: MarkovChain(masked, [[1, 0], [0, 1]]),
        lambda: MarkovChain(
            HALF, np.ma.masked_array([[1.0, 0], [0, 1]], [[False, False], [True, False]])
        ),
        lambda: CHAIN.sample_words(2, 1.5),  # type: ignore[arg-type]  # refusing it is the test
        lambda: CHAIN.sample_words(2, None),  # type: ignore[arg-type]  # as above
        lambda: CHAIN.sample_words(2, "ab"),  # type: ignore[arg-type]  # as above
        lambda: CHAIN.sample_words(1, [[1]]),  # type: ignore[list-item]  # as above
        lambda: CHAIN.log_likelihood(3),  # type: ignore[arg-type]  # as above
        lambda: CHAIN.in_order_of(3),  # type: ignore[arg-type]  # as above
        lambda: Words.from_lists(ABC, None),  # type: ignore[arg-type]  # as above
        lambda: save_model(3, "model.json"),  # type: ignore[arg-type]  # as above
        lambda: estimate.transitions(WORDS, mechanism, pseudocount="1e400"),
        *[
            lambda t=t: estimate.transitions(WORDS, mechanism, tolerance=t)
            for t in ("x", float("nan"), -1, 2, None)
        ],
    ]
    for call in calls:
        with pytest.raises(PrivetError):
            call()
    assert len(CHAIN.sample_words(2, int(np.int64(3)))) == 2


def test_models_are_saved_whole_and_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    hidden = HiddenMarkovModel([HALF, HALF], [HALF, HALF])
    models: list[MarkovChain | Language | HiddenMarkovModel] = [CHAIN, FORWARD, hidden]
    for number, model in enumerate(models):
        place = tmp_path / f"{number}.json"
        save_model(model, place)
        assert read_model(place) == model
        with pytest.raises(OutputError, match="exists"):
            save_model(model, place)
        save_model(model, place, overwrite=True)
    CHAIN.save(tmp_path / "chain.json")
    hidden.save(tmp_path / "hidden.json")
    assert read_model(tmp_path / "chain.json") == CHAIN
    assert read_model(tmp_path / "hidden.json") == hidden
    with pytest.raises(OutputError, match="no folder"):
        CHAIN.save(tmp_path / "none" / "chain.json")
    with pytest.raises(ParameterTypeError, match="path"):
        CHAIN.save(None)  # type: ignore[arg-type]  # that it is refused is the test
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_of_two_writers_of_one_name_the_second_is_refused(tmp_path: Path) -> None:
    place, both, refused = tmp_path / "chain.json", threading.Barrier(2), []

    def write(content: bytes) -> None:
        def fill(stream: Any) -> None:
            stream.write(content)
            both.wait(30)  # Both have seen that there is no such file.

        try:
            write_whole(place, fill, overwrite=False)
        except OutputError as error:
            refused.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in (b"one", b"two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert "exists" in refused[0].message
    assert place.read_bytes() in (b"one", b"two")
    assert len([*tmp_path.iterdir()]) == 1


def test_a_chain_knows_the_release_it_was_learnt_from(tmp_path: Path) -> None:
    origin = {"file": "out.csv", "sha256": "ab", "epsilon": "4"}
    learnt = CHAIN.with_origin(**origin)
    assert learnt.learnt_from == origin
    assert CHAIN.learnt_from is None
    assert "learnt_from" not in CHAIN.to_json()
    learnt.save(tmp_path / "chain.json")
    again = read_model(tmp_path / "chain.json")
    assert isinstance(again, MarkovChain)
    assert again.learnt_from == origin
    turned = again.in_order_of(Alphabet("ba"))
    assert turned.learnt_from == origin
    for wrong in ("out.csv", {"file": "out.csv"}, origin | {"epsilon": 4}, origin | {"x": "y"}):
        with pytest.raises(ModelError, match="learnt_from"):
            model_from_json(CHAIN.to_json() | {"learnt_from": wrong})
        with pytest.raises(ModelError, match="learnt_from"):
            MarkovChain.from_json(CHAIN.to_json() | {"learnt_from": wrong})


def test_only_the_names_that_differ_are_listed() -> None:
    with pytest.raises(ModelError, match="other states") as caught:
        CHAIN.in_order_of(Alphabet("ac"))
    assert caught.value.hint == "Only the chain has 'b'; only the alphabet has 'c'."
    with pytest.raises(ParameterError, match="0"):
        CHAIN.sample_words(-1, 3)
