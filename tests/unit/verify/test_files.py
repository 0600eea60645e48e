"""Verification files: what is read, in which numbers, and how everything else is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import verify
from privet.errors import FileFormatError, ModelError, ParameterError, ParameterTypeError
from privet.verify.file_schema import json_schema
from privet.verify.files import verification_from

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
DATASETS = Path(__file__).parents[3] / "src" / "privet" / "datasets"
GOOD: dict[str, Any] = {
    "kind": "verification",
    "states": ["calm", "storm"],
    "observations": ["sun", "rain"],
    "transition": [["0.8", "0.2"], ["3/10", "7/10"]],
    "emission": [["3/5", "2/5"], ["2/5", "3/5"]],
    "initial": {"calm first": "calm", "storm first": {"storm": 1}, "either": ["1/2", "1/2"]},
    "ratio": 4,
    "length": "1..6",
}
TOML = """
kind = "verification"
states = ["calm", "storm"]
observations = ["sun", "rain"]
transition = [[0.8, 0.2], ["3/10", "7/10"]]
emission = [["3/5", "2/5"], ["2/5", "3/5"]]
ratio = 4
length = "1..6"
[initial]
"calm first" = "calm"
"storm first" = { storm = 1 }
either = [0.5, 0.5]
"""


def written(tmp_path: Path, content: object, name: str = "question.json") -> Path:
    path = tmp_path / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path) -> verify.Verification:
    question = verify.read_verification(path)
    assert isinstance(question, verify.Verification)
    return question


def test_json_and_toml_ask_the_same(tmp_path: Path) -> None:
    question = read(written(tmp_path, GOOD))
    assert question == read(written(tmp_path, TOML, "question.toml"))
    assert question.model.exact_transition[0] == (Fraction(4, 5), Fraction(1, 5))
    assert question.laws["storm first"] == (Fraction(0), Fraction(1))
    assert question.length == range(1, 7)
    assert (question.ratio, question.epsilon) == (4, None)


def test_numbers_with_a_point_are_what_is_written(tmp_path: Path) -> None:
    """0.1 + 0.2 + 0.7 is 1 in decimals and not in binary; a float would have been normalised."""
    thirds = {**GOOD, "emission": [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], "observations": None}
    text = json.dumps({name: value for name, value in thirds.items() if value is not None})
    model = read(written(tmp_path, text)).model
    assert model.exact_emission[0] == (Fraction(1, 10), Fraction(1, 5), Fraction(7, 10))
    assert model.is_exact


def test_pairs_stand_for_both_directions_unless_the_file_says_otherwise(tmp_path: Path) -> None:
    pairs = [["calm first", "storm first"]]
    assert len(read(written(tmp_path, GOOD)).pairs) == 6
    both = read(written(tmp_path, {**GOOD, "pairs": pairs})).pairs
    assert both == (("calm first", "storm first"), ("storm first", "calm first"))
    alone = read(written(tmp_path, {**GOOD, "pairs": pairs, "one_way": True})).pairs
    assert alone == (("calm first", "storm first"),)


def test_the_answers_are_those_of_the_functions(tmp_path: Path) -> None:
    question = read(written(tmp_path, GOOD))
    answers = question.decide(time_limit=20)
    for each in answers:
        first, second = question.laws[each.first], question.laws[each.second]
        own = verify.hidden_markov(question.model, first, second, ratio=4, length=range(1, 7))
        assert type(each.outcome) is type(own)
    worst = question.worst(time_limit=20)[0]
    assert worst.bracket.low == verify.worst_ratio(question.model, "calm", "storm", 6)[0]
    curve = question.by_length(3)["calm first", "storm first"]
    assert curve[-1].low == verify.worst_ratio(question.model, "calm", "storm", 3)[0]


def test_the_claim_and_the_length_can_be_changed(tmp_path: Path) -> None:
    question = read(written(tmp_path, GOOD))
    assert question.asking(epsilon="1", length="all").length is None
    assert question.asking(epsilon="1").ratio is None
    assert question.asking(length=3).ratio == 4
    assert not read(written(tmp_path, {k: v for k, v in GOOD.items() if k != "ratio"})).has_claim
    with pytest.raises(ParameterError, match="either ratio or epsilon"):
        question.asking(ratio=2, epsilon=1)
    for wrong in ("", "x", "1..", "3..2", "0..2", "1...4"):
        with pytest.raises(ParameterError, match="length"):
            question.asking(length=wrong or "0")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"more": 1}, "more", "extra inputs"),
        ({"kind": "hidden-markov-model"}, "kind", "no question"),
        ({"transition": [["0.8", True], ["1", "0"]]}, r"transition[0][1]", "input should be"),
        ({"initial": {"a": "calm"}}, "initial", "at least 2 items"),
        ({"initial": {"a": "calm", "b": "snow"}}, "initial.b", "is not one of the states"),
        ({"initial": {"a": "calm", "b": [0, 0]}}, "initial.b", "sums to 0"),
        ({"initial": {"a": "calm", "b": {}}}, "initial.b", "sums to 0"),
        ({"initial": {"a": "calm", "b": ["1/2", "1/3"]}}, "initial.b", "too little"),
        ({"initial": {"a": "calm", "b": ["3/2", "-1/2"]}}, "initial.b", "negative"),
        ({"initial": {"a": "calm", "b": [1]}}, "initial.b", "1 probabilities"),
        ({"initial": {"a": "calm", "b": {"snow": 1}}}, "initial.b", "'snow' is no state"),
        ({"initial": {"a": "calm", "b": ["p", "1/2"]}}, "initial.b", "not a finite number"),
        ({"pairs": [["calm first", "x"]]}, "pairs[0]", "no law of 'initial'"),
        ({"pairs": [["either", "either"]]}, "pairs[0]", "compared with itself"),
        ({"pairs": []}, "pairs", "at least 1 item"),
        ({"pairs": [["either"]]}, "pairs[0]", ""),
        ({"ratio": 0}, "ratio", "greater than 0"),
        ({"ratio": "x"}, "ratio", "not a finite number"),
        ({"epsilon": 1}, "epsilon", "there is a ratio too"),
        ({"length": 0}, "length", "at least 1"),
        ({"length": "all of them"}, "length", "neither a number"),
        ({"length": 1.5}, "length", ""),
        ({"transition": [["0.8", "0.3"], ["3/10", "7/10"]]}, "transition", "too much"),
        ({"emission": [["1/0", "0"], ["2/5", "3/5"]]}, "emission", "Entry 0 of row 0"),
        ({"ask": "find"}, "ask", "no parameters"),
    ],
)
def test_what_asks_nothing_is_refused_by_file_and_field(
    tmp_path: Path, change: dict[str, Any], field: str, message: str
) -> None:
    path = written(tmp_path, {**GOOD, **change})
    with pytest.raises(ModelError) as caught:
        verify.read_verification(path)
    told = str(caught.value).lower()
    assert str(path) in caught.value.message
    assert field.lower() in told
    assert message.lower() in told


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "{", "line 1 is not JSON"),
        ("a.json", '{"kind": "verification", "kind": "x"}', "is there twice"),
        ("a.toml", "kind = ", "it is not TOML"),
        ("a.toml", "kind = 'x'\nkind = 'y'", "it is not TOML"),
        ("a.toml", "a = " + "[" * 5000, "nested too deeply"),
        ("a.toml", "a = " + "1" * 5000, "too many digits"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        verify.read_verification(written(tmp_path, text, name))


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    for name in ("none.json", "none.toml"):
        with pytest.raises(FileFormatError, match="There is no file"):
            verify.read_verification(tmp_path / name)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileFormatError, match="UTF-8"):
        verify.read_verification(tmp_path / "bytes.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(FileFormatError, match="cannot be read"):
        verify.read_verification(tmp_path / "folder.toml")
    with pytest.raises(ParameterTypeError, match="named by the path"):
        verify.read_verification(3)  # type: ignore[arg-type]  # that it is refused is the test
    with pytest.raises(ModelError, match="transition"):
        verify.read_verification(written(tmp_path, TOML.replace("0.8", "nan"), "nan.toml"))
    with pytest.raises(ModelError, match="transition"):
        verify.read_verification(
            written(tmp_path, json.dumps({**GOOD, "transition": [[float("nan"), 1], [0, 1]]}))
        )


def test_the_published_schema_is_current() -> None:
    # When this fails: privet.verify.file_schema.write_schema(Path("docs/schemas")).
    published = json.loads((SCHEMAS / "verification.json").read_text(encoding="utf-8"))
    assert published == json_schema()


def test_the_shipped_question_holds_and_a_smaller_ratio_does_not() -> None:
    question = read(DATASETS / "infection.toml")
    assert all(isinstance(each.outcome, verify.Holds) for each in question.decide())
    for each in question.asking(ratio=4).decide():
        assert isinstance(each.outcome, verify.Violated)
        assert len(each.outcome.word) == 3  # no word of two symbols is above 4


# ------------------------------------------------------------------------------------ parameters


SYMBOLIC: dict[str, Any] = {
    "kind": "verification",
    "transition": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "emission": [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]],
    "initial": {"ill": [0, "1-p", "p"], "well": {"0": "1 - p", "1": "p"}},
    "parameters": ["0 < p < 1"],
    "ratio": 2,
    "length": 1,
}


def symbolic(path: Path) -> verify.SymbolicVerification:
    question = verify.read_verification(path)
    assert isinstance(question, verify.SymbolicVerification)
    return question


def test_parameters_go_to_the_solver(tmp_path: Path) -> None:
    question = symbolic(written(tmp_path, SYMBOLIC))
    answers = question.decide(time_limit=60)
    assert [type(each.outcome) for each in answers] == [verify.Holds] * 2
    assert question.certificates(answers) == []
    broken = question.asking(ratio="1.9").decide(time_limit=60)
    assert all(isinstance(each.outcome, verify.ParametersViolated) for each in broken)
    shown = question.asking(ratio="1.9").certificates(broken)
    checked = [verify.check_certificates(each.to_json())[0] for each in shown]
    assert [type(each) for each in checked] == [verify.Counterexample] * 2


def test_values_are_found_and_proved(tmp_path: Path) -> None:
    free = {
        **SYMBOLIC,
        "initial": {
            "ill": [0, "(p1/2)/(p1/2+p2)", "p2/(p1/2+p2)"],
            "well": ["p0/(p0+p1/2)", "(p1/2)/(p0+p1/2)", 0],
        },
        "parameters": ["0 < p0 < 1", "0 < p1 < 1", "0 < p2 < 1", "p0 + p1 + p2 = 1"],
        "ask": "find",
    }
    question = symbolic(written(tmp_path, free))
    (answer,) = question.decide(time_limit=60)
    assert isinstance(answer.outcome, verify.Found)
    p0, p1, p2 = (answer.outcome.values[name] for name in ("p0", "p1", "p2"))
    assert isinstance(p0, Fraction)
    assert isinstance(p1, Fraction)
    assert isinstance(p2, Fraction)
    assert p0 * p2 <= p1 * p1 / 4
    for certificate in question.certificates((answer,)):
        verify.check_certificates(certificate.to_json())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": ["p < 1"]}, "'p', which has no range"),
        ({"parameters": []}, "parameters"),
        ({"parameters": "0 < p < 1"}, "parameters"),
        ({"ratio": None}, "ratio"),
        ({"ratio": None, "epsilon": 1}, "ratio"),
        ({"initial": {"ill": [0, "1-q", "q"], "well": "0"}}, "'q', which has no range"),
        ({"initial": {"ill": {"9": 1}, "well": "0"}}, "'9' is no state"),
        ({"emission": [["2/3", "1/6", "1/"], [1, 0, 0], [1, 0, 0]]}, "emission"),
        (
            {"ask": "find", "initial": {"a": 0, "b": 1, "c": 2}},
            "values are found for one pair",
        ),
    ],
)
def test_parameters_that_cannot_be_used(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    content = {name: value for name, value in {**SYMBOLIC, **change}.items() if value is not None}
    with pytest.raises(ModelError) as caught:
        verify.read_verification(written(tmp_path, content))
    assert message in str(caught.value)


def test_a_claim_about_parameters_is_a_ratio_at_a_finite_length(tmp_path: Path) -> None:
    question = symbolic(written(tmp_path, SYMBOLIC))
    with pytest.raises(ParameterError, match="needs a ratio"):
        question.asking(epsilon=1)
    with pytest.raises(ParameterError, match="every length"):
        question.asking(length="all").decide()
    assert question.asking(length="1..2").length == range(1, 3)


@pytest.mark.parametrize("parameters", [None, ["0 < p < 1"]])
def test_states_that_are_one_name_in_text_are_not_mixed_up(parameters: list[str] | None) -> None:
    content = {
        "kind": "verification",
        "states": [1, "1"],
        "transition": [["1/2", "1/2"], ["1/2", "1/2"]],
        "emission": [["2/3", "1/3"], ["1/3", "2/3"]],
        "initial": {"a": {"1": "1"}, "b": ["1", "0"]},
        "ratio": "2",
        "length": 1,
        "parameters": parameters,
    }
    with pytest.raises(ModelError, match="one name in text"):
        verification_from(content)
