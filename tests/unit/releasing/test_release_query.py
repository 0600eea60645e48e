"""Answers to queries about series through `release`: data in every form, refusals, receipts."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import MarkovChain, RandomizedResponse, release
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    FileFormatError,
    MissingValueError,
    ModelError,
    OutputError,
    ParameterError,
    ParameterTypeError,
    PrivacyLeakWarning,
    PrivetError,
)
from privet.mechanisms import MarkovLaplace, MarkovQuilt, Wasserstein
from privet.privacy import MarkovFramework
from privet.queries import count, custom, mean, run_lengths, share
from privet.randomness import using_source
from privet.releasing import Answer, Receipt
from privet.symbols import Alphabet, Codes, Words
from privet.testing import ChosenSource, ReplaySource

CHAIN = MarkovChain(
    ["1/2", "1/2", 0],
    [["3/5", "2/5", 0], ["1/5", "3/5", "1/5"], ["1/4", "1/4", "1/2"]],
    ["home", "work", "sick"],
)
FRAMEWORK = MarkovFramework(CHAIN)
LAPLACE = MarkovLaplace(FRAMEWORK, epsilon=1)
EVERY = [
    LAPLACE,
    MarkovLaplace(FRAMEWORK, epsilon=1, method="group"),
    MarkovQuilt(FRAMEWORK, epsilon=1),
    MarkovQuilt(FRAMEWORK, epsilon=1, method="approximate"),
    Wasserstein(FRAMEWORK, epsilon=1),
]
WEEK = ["home", "work", "work", "sick", "home", "home", "work"]
COUNTS = [3, 3, 1]

SILENT = ChosenSource(np.zeros_like)
"""Every draw of noise gives 0."""


def _no_bits(_out: Any) -> Any:
    raise AssertionError("a random bit was asked for")


NO_BITS = ChosenSource(_no_bits)


def long_table(several: bool = True) -> pa.Table:
    """The week in disorder; with `several` a second person of four days among it."""
    order = [3, 0, 6, 1, 5, 2, 4]
    rows = [("a", day + 1, WEEK[day]) for day in order]
    if several:
        rows[2:2] = [("b", 2, "work"), ("b", 1, "home")]
        rows += [("b", 4, "sick"), ("b", 3, "work")]
    who, day, state = (list(column) for column in zip(*rows, strict=True))
    columns = {"who": who, "day": day, "state": state, "note": ["secret"] * len(rows)}
    return pa.table(columns if several else {k: v for k, v in columns.items() if k != "who"})


def answer_of(receipt: Receipt) -> Answer:
    part = receipt.parts[0]
    assert isinstance(part, Answer)
    return part


# ------------------------------------------------------------------------------- data in all forms

ONE: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "list": (lambda: WEEK, {}),
    "tuple": (lambda: tuple(WEEK), {}),
    "array": (lambda: np.array(WEEK), {}),
    "Codes": (lambda: Codes(CHAIN.alphabet.encode(WEEK)), {}),
    "Words": (lambda: Words.from_lists(CHAIN.alphabet, [WEEK]), {}),
    "pandas Series": (lambda: pd.Series(WEEK), {}),
    "polars Series": (lambda: pl.Series("state", WEEK), {}),
    "Arrow array": (lambda: pa.array(WEEK), {}),
    "Arrow table": (lambda: long_table(False), {"time": "day", "state": "state"}),
    "pandas": (lambda: long_table(False).to_pandas(), {"time": "day", "state": "state"}),
    "polars": (lambda: pl.from_arrow(long_table(False)), {"time": "day", "state": "state"}),
    "wide": (
        lambda: pa.table({f"d{day}": [state] for day, state in enumerate(WEEK)}),
        {"columns": "d0..d6"},
    ),
    "ragged": (
        lambda: pa.table(
            {f"d{day}": pa.array([state], pa.string()) for day, state in enumerate([*WEEK, None])}
        ),
        {"columns": "d*", "ragged": True},
    ),
}


@pytest.mark.parametrize("form", ONE)
def test_one_series_in_every_form(form: str) -> None:
    make, where = ONE[form]
    with using_source(SILENT):
        done = release(LAPLACE, make(), query="histogram", **where)
    assert done.data.tolist() == COUNTS
    assert [row["state"] for row in done.rows] == ["home", "work", "sick"]
    assert [row["value"] for row in done.rows] == COUNTS
    assert done.receipt.shape == {
        "series": 1,
        "steps": 7,
        "shortest": 7,
        "longest": 7,
        "numbers": 3,
    }
    assert "the number of steps of the series (7)" in done.receipt.sentence


def test_a_file_is_read_in_the_order_of_time(tmp_path: Path) -> None:
    long_table(False).to_pandas().to_csv(tmp_path / "week.csv", index=False)
    for data in (tmp_path / "week.csv", str(tmp_path / "week.csv")):
        with using_source(SILENT):
            done = release(LAPLACE, data, query="transitions", time="day", state="state")
        assert done.data.tolist() == [[1, 2, 0], [0, 1, 1], [1, 0, 0]]
    assert [(row["from"], row["to"]) for row in done.rows][1] == ("home", "work")
    assert done.receipt.layout == {"time": "day", "state": "state"}


def test_several_people_are_added_up_and_kept_apart_in_the_receipt() -> None:
    roles: Any = {"id": "who", "time": "day", "state": "state"}
    with using_source(SILENT):
        done = release(LAPLACE, long_table(), query=count("work"), **roles)
        read = release(LAPLACE, long_table(), query=share("work"), nodes=(0, 2), **roles)
    assert done.data == 5
    assert read.data == 2 / 4
    assert "the number of series (2) and of the steps of each (4 to 7)" in done.receipt.sentence
    assert "only the steps 0 to 1, counted from 0, were read" in read.receipt.sentence
    answer = answer_of(done.receipt)
    assert answer.lengths == {7: 1, 4: 1}
    assert answer.loss_of(4) == LAPLACE.record_loss(4, count("work"), among=[4, 7])
    assert done.receipt.record_loss == answer.loss_of(7)
    with pytest.raises(ParameterError, match="No series of 5 steps"):
        answer.loss_of(5)


# -------------------------------------------------------------------------------- what is promised


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: f"{m.name} {getattr(m, 'method', '')}")
def test_what_the_receipt_says_and_reads_back(mechanism: Any) -> None:
    done = release(mechanism, WEEK, query=count("work"))
    before, answer = done.receipt, answer_of(done.receipt)
    assert Receipt.from_json(json.loads(before.to_text())) == before
    assert before.mechanism() == mechanism
    assert before.guarantee.epsilon == 1
    assert before.guarantee.delta == 0
    assert 0 < before.spent <= 1
    assert answer.noise_scale == mechanism.noise_scale(count("work"), 7)
    assert answer.expected_error == mechanism.expected_error(count("work"), 7)
    row = done.rows[0]
    assert row["upper"] - row["value"] == row["value"] - row["lower"] == answer.half_width
    assert (answer.losses is None) == (mechanism.name == "wasserstein")
    if answer.losses is None:
        with pytest.raises(ParameterError, match="does not add up"):
            _ = before.record_loss
    else:
        assert before.record_loss == mechanism.record_loss(7, count("work"))
        assert FRAMEWORK.epsilon(before.record_loss) <= 1 + Fraction(1, 1 << 60)
    for assumed in ("were public", "consecutive steps, none missing"):
        assert assumed in before.sentence
    assert set(FRAMEWORK.assumptions()) <= set(before.guarantee.assumptions)


def test_the_receipt_says_nothing_of_the_states() -> None:
    """Two series of one length have the same receipt, but for the time of day."""
    texts = []
    for word in (WEEK, ["work"] * 7):
        content = release(LAPLACE, word, query="histogram").receipt.to_json()
        content["created"] = ""
        texts.append(json.dumps(content))
    assert texts[0] == texts[1]


def test_the_realised_error_is_shown_for_public_data_only() -> None:
    with using_source(ReplaySource(5)):
        hidden = release(LAPLACE, WEEK, query="histogram")
    with using_source(ReplaySource(5)):
        shown = release(LAPLACE, WEEK, query="histogram", demo=True)
    assert hidden.realised_errors is None
    assert list(hidden.data) == list(shown.data)
    assert shown.realised_errors == tuple(abs(np.array(COUNTS) - shown.data).tolist())
    assert shown.receipt.randomness == "seeded, not private"
    assert "realised" not in shown.receipt.to_text()


def test_a_chain_fitted_to_the_protected_series() -> None:
    with pytest.warns(PrivacyLeakWarning, match="fitted to the protected series themselves"):
        done = release(LAPLACE, WEEK, query="histogram", chains_from_data=True)
    assert "fitted to the very series that are protected" in done.receipt.sentence
    assert "chains were public: known before" not in done.receipt.sentence


def test_a_query_of_your_own() -> None:
    sick = custom(lambda word: word.count("sick"), constant=1, name="sick days")
    with using_source(SILENT):
        done = release(LAPLACE, WEEK, query=sick)
    assert (done.data, done.rows[0]["number"]) == (1, "sick days")
    assert "moves 'sick days' by at most 1: stated, not proved" in done.receipt.sentence
    assert Receipt.from_json(json.loads(done.receipt.to_text())) == done.receipt
    wrong = custom(lambda word: 3 * word.count("sick"), constant=1, name="sick days")
    with pytest.raises(ParameterError, match="constant stated"):
        release(LAPLACE, WEEK, query=wrong)


def test_an_answer_that_is_known_beforehand_gets_no_noise() -> None:
    with using_source(NO_BITS):
        done = release(LAPLACE, WEEK, query="transitions", nodes=(2, 3))
    assert not done.data.any()
    assert done.receipt.spent == 0
    assert any("known beforehand" in note for note in done.receipt.notes)


def test_slow_chains_are_named_as_such() -> None:
    slow = MarkovChain(["1/2", "1/2"], [["999/1000", "1/1000"], ["1/1000", "999/1000"]], ["a", "b"])
    quick = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]], ["a", "b"])
    word = ["a", "b"] * 5
    for chain, expected in ((slow, True), (quick, False)):
        mechanism = MarkovQuilt(MarkovFramework(chain), epsilon=1)
        notes = release(mechanism, word, query="count").receipt.notes
        assert any("too slow" in note for note in notes) == expected
    asked_for = MarkovLaplace(MarkovFramework(slow), epsilon=1, method="group")
    assert release(asked_for, word, query="count").receipt.notes == ()


def test_one_step_is_not_told_that_chains_are_slow() -> None:
    for word, nodes in ((["work"], None), (["work"] * 9, (3, 4))):
        done = release(LAPLACE, word, query=count("work"), nodes=nodes)
        assert not any("too slow" in note for note in done.receipt.notes)


@pytest.mark.parametrize("nodes", [(5, 5), (0, 10**9 + 1)])
def test_no_internal_limit_of_nodes_is_shown(nodes: tuple[int, int]) -> None:
    with pytest.raises(ParameterError) as refusal:
        release(LAPLACE, WEEK, query="histogram", nodes=nodes)
    assert "999999999" not in str(refusal.value)
    assert refusal.value.payload["parameter"] == "nodes"


@pytest.mark.parametrize("role", ["missing", "other"])
def test_a_wide_table_has_one_stand_in_for_all_columns(role: str) -> None:
    cell = None if role == "missing" else "asleep"
    frame = pd.DataFrame({"t1": ["home", cell], "t2": ["work", "sick"]})
    mechanism = MarkovLaplace(MarkovFramework(CHAIN, initial="any"), epsilon=1)

    def done(given: Any) -> Any:
        options: Any = {"columns": ["t1", "t2"], role: given}
        return release(mechanism, frame, query="histogram", **options).receipt.parts[0]

    for given in ({"t1": "sick"}, {"t2": "sick"}, {"t1": "sick", "t2": "work"}):
        with pytest.raises(ParameterError, match="wide table"):
            done(given)
    assert getattr(done("sick"), role) == "sick"
    assert getattr(done({"t1": "sick", "t2": "sick"}), role) == "sick"


@pytest.mark.parametrize("own", [None, 2, lambda _: 2], ids=["built in", "number", "function"])
def test_a_receipt_without_its_assumptions_is_refused(own: Any) -> None:
    query = "histogram" if own is None else custom(lambda w: w.count("sick"), constant=own)
    content = json.loads(release(LAPLACE, WEEK, query=query).receipt.to_text())
    assumptions = content["guarantee"]["assumptions"]

    def read(changed: list[str], **more: Any) -> Receipt:
        guarantee = {**content["guarantee"], "assumptions": changed, **more}
        known = Receipt.from_json(content)
        guarantee["sentence"] = replace(
            known.guarantee, assumptions=tuple(changed), **more
        ).sentence
        return Receipt.from_json({**content, "guarantee": guarantee})

    assert read([*assumptions, "something else holds"]).guarantee.assumptions[:-1]
    for place in range(len(assumptions)):
        with pytest.raises(FileFormatError, match="leaves out an assumption"):
            read(assumptions[:place] + assumptions[place + 1 :])
    with pytest.raises(FileFormatError, match="leaves out an assumption"):
        read([])
    with pytest.raises(FileFormatError, match="protects something else"):
        read(assumptions, unit="All steps of a series")


def test_the_constant_stated_is_compared_with_the_losses() -> None:
    query = custom(lambda w: w.count("sick"), constant=2, name="sick days")
    text = release(LAPLACE, WEEK, query=query).receipt.to_text()
    smaller = text.replace("by at most 2:", "by at most 1:")
    content = json.loads(smaller)
    content["parts"][0]["query"]["constant"] = "1"
    with pytest.raises(FileFormatError, match="do not follow from its noise"):
        Receipt.from_json(content)


def test_a_single_step() -> None:
    done = release(LAPLACE, ["work"], query=count("work"))
    assert answer_of(done.receipt).noise_scale == pytest.approx(1)


# ------------------------------------------------------------------------------------ what goes out


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow", ".json"])
def test_the_answer_is_written_with_its_receipt(tmp_path: Path, ending: str) -> None:
    from privet.data import read_table

    place = tmp_path / f"answer{ending}"
    roles: Any = {"id": "who", "time": "day", "state": "state"}
    done = release(LAPLACE, long_table(), query="histogram", output=place, **roles)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [place.name, f"{place.name}.receipt.json"]
    )
    assert Receipt.read(tmp_path / f"{place.name}.receipt.json") == done.receipt
    if ending == ".json":
        rows = json.loads(place.read_text(encoding="utf-8"))
    else:
        rows = read_table(place).to_pylist()
    assert [row["state"] for row in rows] == ["home", "work", "sick"]
    assert list(rows[0]) == ["state", "value", "lower", "upper"]
    for row, own in zip(rows, done.rows, strict=True):
        assert [float(row[n]) for n in ("value", "lower", "upper")] == [
            float(own[n]) for n in ("value", "lower", "upper")
        ]
    assert b"secret" not in place.read_bytes()
    with pytest.raises(OutputError, match="exists"):
        release(LAPLACE, WEEK, query="histogram", output=place)


def test_only_answers_are_written_as_json(tmp_path: Path) -> None:
    response = RandomizedResponse(CHAIN.alphabet, epsilon=1)
    with pytest.raises(ParameterError, match="ending"):
        release({"state": response}, long_table(), output=tmp_path / "out.json")


@pytest.mark.parametrize(
    ("query", "about"),
    [
        ("frequency", {"state": "home"}),
        (count(["work", "sick"]), {"states": "work or sick"}),
        (run_lengths(3, "home"), {"run_length": 1}),
        (mean({"home": 0, "work": 8, "sick": 0}), {"statistic": "mean level"}),
        (custom(lambda word: [len(word), 0], constant=1, size=2), {"number": 0}),
    ],
)
def test_rows_say_what_each_number_is_about(query: Any, about: dict[str, Any]) -> None:
    row = release(LAPLACE, WEEK, query=query).rows[0]
    assert {name: row[name] for name in row if name not in ("value", "lower", "upper")} == about


def test_labels_of_several_kinds_become_text(tmp_path: Path) -> None:
    from privet.data import read_table

    release(LAPLACE, WEEK, query=run_lengths(3), output=tmp_path / "runs.parquet")
    column = read_table(tmp_path / "runs.parquet").column("run_length")
    assert column.to_pylist() == ["1", "2", "3+"]


# ---------------------------------------------------------------------------------------- refusals

LONG = {"id": "who", "time": "day", "state": "state"}

REFUSED: list[tuple[str, dict[str, Any], type[PrivetError], str]] = [
    ("no query", {"query": None}, ParameterError, "answers a query"),
    ("unknown query", {"query": "median"}, ParameterError, "no query of that name"),
    ("query of another kind", {"query": 3}, ParameterTypeError, "not a query"),
    ("unknown state", {"query": count("play")}, DomainError, "alphabet"),
    ("every state", {"query": count(["home", "work", "sick"])}, ParameterError, "Every state"),
    ("states that are no numbers", {"query": "mean"}, ParameterError, "level for each"),
    ("nodes beyond the series", {"nodes": (0, 8)}, ParameterError, "range"),
    ("no nodes", {"nodes": (3, 3)}, ParameterError, "range"),
    ("nodes of another kind", {"nodes": 3}, ParameterTypeError, "pair"),
    ("confidence", {"confidence": 1}, ParameterError, "confidence"),
    ("confidence NaN", {"confidence": "nan"}, ParameterError, "confidence"),
    ("no data", {"data": []}, DataError, "empty|no series|no symbols"),
    ("an unknown label", {"data": ["home", "play"]}, DomainError, "position 1"),
    ("an array of two dimensions", {"data": np.array([WEEK])}, DataError, "one-dimensional"),
    ("a text", {"data": "home"}, ParameterError, "columns named"),
    ("an impossible step", {"data": ["home", "sick"]}, PrivetError, "position 1"),
    ("an impossible start", {"data": ["sick", "home"]}, PrivetError, "position 0"),
    ("other words", {"data": Words.from_lists(Alphabet("ab"), [["a"]])}, DomainError, "alphabets"),
    ("keep", {"keep": "note"}, ParameterError, "keep"),
    ("adjacency", {"adjacency": 1}, ParameterError, "adjacency"),
    ("person", {"person": "who", "rows_per_person": 2}, ParameterError, "person"),
    ("decode", {"decode": CHAIN}, ParameterError, "decoded"),
    ("ragged", {"ragged": True}, ParameterError, "ragged"),
    ("missing in a list", {"missing": "sick"}, ParameterError, "missing"),
    ("columns of a list", {"columns": "state"}, DataError, "no columns"),
    ("a table without columns", {"data": long_table()}, ParameterError, "columns named"),
    ("no time", {"data": long_table(), "state": "state"}, ParameterError, "time and a state"),
    ("no state", {"data": long_table(), "time": "day"}, ParameterError, "time and a state"),
    (
        "long and wide",
        {"data": long_table(), **LONG, "columns": "state"},
        ParameterError,
        "or the columns",
    ),
    ("a column twice", {"data": long_table(), "time": "day", "state": "day"}, ParameterError, "tw"),
    (
        "several series taken for one",
        {"data": long_table(), "time": "day", "state": "state"},
        DataError,
        "Rows .* have the same 'day'.*tells them apart",
    ),
    ("a missing column", {"data": long_table(), **LONG, "id": "x"}, ColumnNotFoundError, "'x'"),
    ("no file", {"data": Path("nowhere.csv"), **LONG}, DataError, "nowhere.csv"),
]


@pytest.mark.parametrize(
    ("given", "error", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refusals_come_before_any_random_bit(
    tmp_path: Path, given: dict[str, Any], error: type[PrivetError], message: str
) -> None:
    options = {"query": "histogram", "data": WEEK, **given}
    data = options.pop("data")
    with using_source(NO_BITS), pytest.raises(error, match=message) as caught:
        release(LAPLACE, data, output=tmp_path / "out.csv", **options)
    assert "play" not in caught.value.message or given.get("query") is not None
    assert list(tmp_path.iterdir()) == []


def test_a_missing_state_is_refused_or_a_symbol() -> None:
    table = pa.table({"day": [1, 2, 3], "state": ["home", None, "work"]})
    roles: Any = {"time": "day", "state": "state"}
    with using_source(NO_BITS), pytest.raises(MissingValueError, match="Row 1"):
        release(LAPLACE, table, query="histogram", **roles)
    with using_source(SILENT):
        done = release(LAPLACE, table, query="histogram", missing="work", **roles)
    assert done.data.tolist() == [1, 2, 0]
    assert answer_of(done.receipt).missing == "work"
    assert "none missing; a step without a state counts as 'work'" in done.receipt.sentence
    assert "any other label" not in done.receipt.sentence
    assert Receipt.from_json(json.loads(done.receipt.to_text())) == done.receipt


def test_an_impossible_series_is_named_by_word_and_position_only() -> None:
    words = Words.from_lists(CHAIN.alphabet, [WEEK, ["home", "work", "sick", "sick", "home"], WEEK])
    assert release(LAPLACE, words, query="histogram").receipt.shape["series"] == 3
    bad = Words.from_lists(CHAIN.alphabet, [WEEK, ["home", "work", "home", "sick"]])
    with using_source(NO_BITS), pytest.raises((DomainError, ModelError)) as caught:
        release(LAPLACE, bad, query="histogram")
    assert "1" in caught.value.message
    assert "3" in caught.value.message
    assert "sick" not in str(caught.value)


def test_other_mechanisms_answer_no_queries() -> None:
    response = RandomizedResponse(CHAIN.alphabet, epsilon=1)
    with pytest.raises(ParameterError, match="does not answer queries"):
        release(response, WEEK, query="histogram")
    with pytest.raises(ParameterError, match="nodes does not apply"):
        release(response, WEEK, nodes=(0, 1))
    with pytest.raises(ParameterError, match="chains_from_data does not apply"):
        release(response, WEEK, chains_from_data=True)


# -------------------------------------------------------------------- receipts that contradict


def changed(content: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split(".")
    place: Any = content
    for step in way:
        place = place[int(step)] if step.isdigit() and isinstance(place, list) else place[step]
    place[last] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spent", 0.5),
        ("exact.spent", "1/2"),
        ("parts.0.exact.spent", "1/2"),
        ("parts.0.exact.scale_in_grid_units", "1"),
        ("parts.0.exact.grid", "2"),
        ("parts.0.exact.divided_by", "7"),
        ("parts.0.exact.record_loss_per_step", "1/1024"),
        ("parts.0.record_losses_by_steps", None),
        ("parts.0.record_losses_by_steps.7.pieces", [[7, "1"]]),
        ("parts.0.series_by_steps", {"8": 1}),
        ("parts.0.numbers", 2),
        ("parts.0.nodes", [0, 3]),
        ("parts.0.query", {"query": "frequency"}),
        ("parts.0.query", {"query": "histogram", "more": 1}),
        ("parts.0.noise.expected_error", 1.0),
        ("parts.0.noise.half_width", 1.0),
        ("parts.0.mechanism.epsilon", "2"),
        ("parts.0.mechanism.method", "group"),
        ("parts.0.per", "row"),
        ("guarantee.exact.epsilon", "1/2"),
        ("shape.series", 2),
        ("shape.longest", 8),
        ("kind", "words"),
    ],
)
def test_a_receipt_that_contradicts_itself_is_refused(path: str, value: Any) -> None:
    content = json.loads(release(LAPLACE, WEEK, query="histogram").receipt.to_text())
    Receipt.from_json(json.loads(json.dumps(content)))
    changed(content, path, value)
    with pytest.raises(FileFormatError):
        Receipt.from_json(content)
