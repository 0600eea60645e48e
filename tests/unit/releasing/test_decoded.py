"""Decoding a release that exists: the guarantee stays, and the receipt says what was done."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from privet import (
    Language,
    MarkovChain,
    RandomizedResponse,
    WordPermuteAndFlip,
    decode,
    decode_release,
    estimate,
    release,
    words_from_table,
)
from privet.data import read_table
from privet.errors import DataError, ModelError, ParameterError, PrivetError
from privet.releasing import Receipt
from privet.symbols import Alphabet, Words

ABC = Alphabet("abc")
CHAIN = MarkovChain(["1/3"] * 3, [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]], list("abc"))
LANGUAGE = Language.from_chain(CHAIN)
RESPONSE = RandomizedResponse(ABC, epsilon=2)
LISTS = [list("aabbc"), list("abc"), list("cc")] * 5
WORDS = Words.from_lists(ABC, LISTS)
LONG = pa.table(
    {
        "who": [str(n) for n, word in enumerate(LISTS) for _ in word],
        "t": [t for word in LISTS for t in range(len(word))],
        "s": [symbol for word in LISTS for symbol in word],
        "note": ["x" for word in LISTS for _ in word],
    }
)
ROLES: dict[str, Any] = {"id": "who", "time": "t", "state": "s"}


@pytest.mark.parametrize("method", ["viterbi", "marginals", "sample"])
def test_bare_words_are_decoded(method: str) -> None:
    made = release(RESPONSE, WORDS)
    found = decode_release(made, CHAIN, method)
    known = Receipt.from_json(found.receipt.to_json())
    assert known.guarantee.epsilon == made.receipt.guarantee.epsilon
    assert known.spent == made.receipt.spent
    assert known.guarantee.unit == made.receipt.guarantee.unit
    assert known.layout["decoded"]["method"] == method
    assert "accounted for separately" in known.sentence
    assert known.parts[0].law["expected_errors_averaged_over"] == "the words of the chain"
    if method != "marginals":
        assert all(LANGUAGE.contains(word) for word in found.data)
    if method == "viterbi":
        assert found.data == decode.viterbi(made, RESPONSE, CHAIN)


def test_files_and_frames(tmp_path: Path) -> None:
    made = release(RESPONSE, LONG, **ROLES, keep="note", output=tmp_path / "out.csv")
    found = decode_release(tmp_path / "out.csv", CHAIN, output=tmp_path / "decoded.csv")
    written = read_table(tmp_path / "decoded.csv")
    assert written.column_names == ["who", "t", "s", "note"]
    assert written.drop_columns("s").num_rows == LONG.num_rows
    words = words_from_table(tmp_path / "decoded.csv", ABC, **ROLES)
    assert words == decode.viterbi(words_from_table(made), RESPONSE, CHAIN)
    known = Receipt.read(tmp_path / "decoded.csv.receipt.json")
    assert known.to_json() == found.receipt.to_json()
    assert known.layout["decoded_from"]["sha256"] == (made.receipt.output or {})["sha256"]
    frame = release(RESPONSE, LONG.to_pandas(), **ROLES)
    decoded = decode_release(frame, CHAIN)
    assert isinstance(decoded.data, pd.DataFrame)
    assert words_from_table(decoded.data, ABC, **ROLES) == decode.viterbi(
        words_from_table(frame), RESPONSE, CHAIN
    )
    with pytest.raises(PrivetError, match="exists"):
        decode_release(tmp_path / "out.csv", CHAIN, output=tmp_path / "decoded.csv")
    with pytest.raises(ParameterError, match="never overwritten"):
        decode_release(tmp_path / "out.csv", CHAIN, output=tmp_path / "out.csv", overwrite=True)


def test_numbers_come_back_from_csv(tmp_path: Path) -> None:
    halves = Alphabet([0.5, 1.0])
    chain = MarkovChain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], halves)
    data = pa.table({name: [0.5, 1.0] * 9 for name in ("m1", "m2", "m3")})
    mechanism = RandomizedResponse(halves, epsilon=1)
    release(mechanism, data, columns="m*", adjacency=1, output=tmp_path / "out.csv")
    found = decode_release(tmp_path / "out.csv", chain)
    assert set(found.data.column("m1").to_pylist()) <= {0.5, 1.0}


def test_a_chain_of_the_release_itself_assumes_nothing(tmp_path: Path) -> None:
    made = release(RESPONSE, LONG, **ROLES, output=tmp_path / "out.csv")
    own = (made.receipt.output or {})["sha256"]
    learnt = CHAIN.with_origin(file="out.csv", sha256=own, epsilon="2")
    known = decode_release(tmp_path / "out.csv", learnt).receipt
    assert known.guarantee == made.receipt.guarantee
    assert any("this very release, which costs nothing" in note for note in known.notes)
    other = CHAIN.with_origin(file="first.csv", sha256="ab", epsilon="3")
    for found in (
        decode_release(tmp_path / "out.csv", other),
        release(RESPONSE, WORDS, decode=other),
    ):
        notes = " ".join(found.receipt.notes)
        assert "release first.csv of epsilon 3" in notes
        assert "the two add up" in notes
        assert "accounted for separately" in found.receipt.sentence


def test_what_cannot_be_decoded(tmp_path: Path) -> None:
    made = release(RESPONSE, WORDS)
    cases: list[tuple[type[PrivetError], str, Any, Any]] = [
        (DataError, "decoded already", decode_release(made, CHAIN), CHAIN),
        (ParameterError, "MarkovChain", made, LANGUAGE),
        (ParameterError, "MarkovChain", made, None),
        (ParameterError, "not a release", WORDS, CHAIN),
        (DataError, "no file", tmp_path / "none.csv", CHAIN),
        (ModelError, "other states", made, MarkovChain(["1/2"] * 2, [["1/2"] * 2] * 2)),
        (DataError, "one by one", release(WordPermuteAndFlip(ABC, epsilon=1), WORDS), CHAIN),
        (DataError, "not of released sequences", release(RESPONSE, ["a", "b"]), CHAIN),
    ]
    for kind, message, given, chain in cases:
        with pytest.raises(kind, match=message):
            decode_release(given, chain)
    with pytest.raises(ParameterError, match="no decoding 'best'"):
        decode_release(made, CHAIN, "best")
    with pytest.raises(ParameterError, match="receipt"):
        decode_release(made, CHAIN, receipt="x.json")


def test_a_changed_file_is_no_release(tmp_path: Path) -> None:
    place = tmp_path / "out.csv"
    release(RESPONSE, LONG, **ROLES, keep="note", output=place)
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace("x", "y"), encoding="utf-8")
    with pytest.raises(DataError, match="byte for byte"):
        decode_release(place, CHAIN)
    decode_release(place, CHAIN, changed_file=True)
    place.write_text(text.replace(",a", ",z").replace(",b", ",z").replace(",c", ",z"), "utf-8")
    with pytest.raises(DataError, match="not the release of this receipt"):
        decode_release(place, CHAIN, changed_file=True)


def test_words_are_read_from_tables() -> None:
    assert words_from_table(LONG, ABC, **ROLES) == WORDS
    wide = pd.DataFrame({"m1": ["a", "b"], "m2": ["b", None]})
    found = words_from_table(wide, ABC, columns="m*", ragged=True)
    assert found.to_lists() == [["a", "b"], ["b"]]
    found = words_from_table(wide, ABC, columns=["m1", "m2"], missing="c")
    assert found.to_lists() == [["a", "b"], ["b", "c"]]
    assert MarkovChain.fit(found, pseudocount=1).states == ("a", "b", "c")
    made = release(RESPONSE, LONG, **ROLES)
    assert words_from_table(made).lengths.tolist() == WORDS.lengths.tolist()
    for wrong in ({}, {"id": "who"}, {**ROLES, "columns": ["m1"]}):
        with pytest.raises(ParameterError, match="either an id"):
            words_from_table(LONG, ABC, **wrong)
    with pytest.raises(ParameterError, match="Alphabet"):
        words_from_table(LONG, "abc", **ROLES)  # type: ignore[arg-type]  # refusing it is the test
    with pytest.raises(ParameterError, match="receipt says"):
        words_from_table(made, ABC)
    with pytest.raises(DataError, match="not of released sequences"):
        words_from_table(release(RESPONSE, ["a"]))


def test_a_release_is_estimated_from_or_says_how() -> None:
    made = release(RESPONSE, WORDS)
    assert estimate.frequencies(made, RESPONSE).size == WORDS.codes.size
    assert estimate.transitions(made, RESPONSE).words == len(WORDS)
    assert len(decode.posterior(made, RESPONSE, CHAIN).marginals) == WORDS.codes.size
    assert len(estimate.frequencies_by_position(made, RESPONSE)) == 5
    table = release(RESPONSE, LONG, **ROLES)
    decoded = decode_release(made, CHAIN)
    for call in (
        lambda given: estimate.transitions(given, RESPONSE),
        lambda given: estimate.frequencies(given, RESPONSE),
        lambda given: decode.viterbi(given, RESPONSE, CHAIN),
    ):
        with pytest.raises(ParameterError, match="words_from_table"):
            call(table)
        with pytest.raises(DataError, match="decoded"):
            call(decoded)
