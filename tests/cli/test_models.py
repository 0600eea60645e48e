"""Languages and chains on the command line: `--language`, `--decode`, `--chain`, `privet fit`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet import Language, MarkovChain, RandomizedResponse, datasets, read_model, release
from privet.data import read_table
from privet.releasing import Receipt
from privet.symbols import Alphabet

Run = Callable[..., Any]

DIARY = ("diary.csv", "--id", "who", "--time", "month", "--state", "state")
WORDS = ("release", "words", *DIARY)
STATES = ["home", "work", "sick"]
CHAIN = {
    "kind": "markov-chain",
    "states": STATES,
    "initial": ["1/2", "1/2", 0],
    "transition": [["1/2", "1/2", 0], ["1/4", "1/2", "1/4"], ["1/2", 0, "1/2"]],
}
# In the diary a goes home, sick, which CHAIN forbids, and b goes home, work.
LOOSE = {**CHAIN, "transition": [["1/3", "1/3", "1/3"], ["1/4", "1/2", "1/4"], ["1/2", 0, "1/2"]]}


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    changes: dict[str, dict[str, Any]] = {
        "chain": CHAIN,
        "loose": LOOSE,
        "long": {**CHAIN, "transition": [["1/2", "1/2", 0], ["1/2", "1/2", "1/4"], [1, 0, 0]]},
        "negative": {**CHAIN, "transition": [["1/2", "1/2", 0], [1, 0, 0], ["3/2", "-1/2", 0]]},
        "nan": {**CHAIN, "initial": ["nan", 0, 0]},
        "nans": {**CHAIN, "transition": [[0.5, 0.5, 0], [float("nan"), 0.5, 0.5], [1, 0, 0]]},
        "less": {**CHAIN, "transition": [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0.5, 0, 0.25]]},
        "minus": {**CHAIN, "transition": [[0.5, 0.5, 0], [1.5, -0.5, 0], [1, 0, 0]]},
        "two": {**CHAIN, "states": ["home", "work"]},
        "others": {**CHAIN, "states": ["home", "work", "play"]},
        "hidden": {
            "kind": "hidden-markov-model",
            "transition": [[1, 0], [0, 1]],
            "emission": [[1, 0], [0, 1]],
        },
        "pairs": Language.from_regex(Alphabet(STATES), "(home work sick)*").to_json(),
        "unkind": {"kind": "poem"},
        "outside": {
            "kind": "language",
            "alphabet": STATES,
            "transitions": [[0, 0, 7]],
            "initial": 0,
            "accepting": [0],
        },
    }
    for name, content in changes.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "broken.json").write_text('{"kind": "language",', encoding="utf-8")


def receipt(folder: Path, name: str = "out.csv") -> Receipt:
    return Receipt.read(folder / f"{name}.receipt.json")


def released(folder: Path, name: str = "out.csv") -> list[list[str]]:
    rows = sorted(read_table(folder / name).to_pylist(), key=lambda row: (row["who"], row["month"]))
    return [[row["state"] for row in rows if row["who"] == who] for who in ("a", "b")]


@pytest.mark.parametrize("mechanism", ["auto", "exponential", "permute-and-flip"])
def test_a_release_in_a_language(run: Run, folder: Path, mechanism: str) -> None:
    command = (*WORDS, "--language", "loose.json", "-e", "1", "-o", "out.csv")
    done = run(*command, "--mechanism", mechanism)
    assert (done.code, done.err) == (0, "")
    language = Language.from_chain(MarkovChain.from_json(LOOSE))
    assert all(language.contains(word) for word in released(folder))
    known: Any = receipt(folder).mechanism()
    assert known.language == language
    expected = "word-permute-and-flip" if mechanism == "permute-and-flip" else "word-exponential"
    assert known.name == expected
    assert "language (which words can happen) was public" in done.out
    assert "averaged over the words of the language" in done.out
    assert "Shares cannot be estimated" in done.out
    assert run("estimate", "out.csv").code == 1


def test_words_outside_are_named_by_number_and_position(run: Run, folder: Path) -> None:
    command = (*WORDS, "--language", "chain.json", "-e", "1", "-o", "out.csv")
    done = run(*command)
    assert done.code == 1
    # b comes first in the file: its word is number 0, and a's is number 1.
    assert "Word 1 is not in the language: it is impossible at position 1" in done.error
    assert "--outside allow" in done.error
    assert "sick" not in done.error
    assert not (folder / "out.csv").exists()
    allowed = run(*command, "--outside", "allow")
    assert allowed.code == 0
    assert "words outside the language were allowed" in allowed.err
    language = Language.from_chain(MarkovChain.from_json(CHAIN))
    assert all(language.contains(word) for word in released(folder))


def test_mechanisms_that_know_no_language(run: Run, folder: Path) -> None:
    command = (*WORDS, "--language", "loose.json", "-e", "1", "-o", "out.csv")
    done = run(*command, "--mechanism", "staircase")
    assert (done.code, "would leave the language" in done.error) == (2, True)
    done = run(*command, "--mechanism", "randomized-response")
    assert done.code == 0
    assert "may leave the one that was named" in done.err
    assert "--decode" in done.err
    assert any("may leave" in note for note in receipt(folder).notes)
    within = ("--mechanism", "randomized-response", "--decode", "chain.json", "--overwrite")
    assert "may leave" not in run(*command, *within).err
    assert "may leave" in run(*command, *within, "--decode-method", "marginals").err


@pytest.mark.parametrize("method", ["viterbi", "marginals", "sample"])
def test_a_decoded_release(run: Run, folder: Path, method: str) -> None:
    command = (*WORDS, "--decode", "chain.json", "-e", "1", "-o", "out.csv")
    done = run(*command, "--decode-method", method)
    assert done.code == 0
    assert "the guarantee is the same" in done.err
    assert "randomised response, decoded" in done.out
    known = receipt(folder)
    assert known.layout["decoded"]["method"] == method
    assert known.guarantee.epsilon == 1
    language = Language.from_chain(MarkovChain.from_json(CHAIN))
    if method != "marginals":
        assert all(language.contains(word) for word in released(folder))
    refused = run("estimate", "out.csv")
    assert (refused.code, "decoded words" in refused.error) == (1, True)
    refused = run("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "new.json")
    assert (refused.code, "decoded words" in refused.error) == (1, True)


WRITTEN: dict[str, dict[str, Any]] = {
    "pattern": {"pattern": "(home | work | sick) (sick | work) | home home"},
    "allowed": {"allowed": [[0, 1, 1], [0, 1, 1], [0, 1, 1]], "start": ["home", "sick"]},
    "moves": {
        "moves": [
            *([0, name, 1] for name in ("home", "sick")),
            *([1, name, "end"] for name in (None, "work", "sick")),
            ["end", "sick", "end"],
            ["end", None, "over"],
        ],
        "initial": 0,
        "accepting": ["over"],
    },
}
# Whether the symbol 20 before the last is home is not known before the end.
TWENTY = [[number, name, number + 1] for number in range(1, 20) for name in STATES]
BEYOND = {
    "moves": [*[[0, name, 0] for name in STATES], [0, "home", 1], *TWENTY],
    "initial": 0,
    "accepting": [20],
}


@pytest.mark.parametrize("form", WRITTEN)
def test_a_language_written_by_hand(run: Run, folder: Path, form: str) -> None:
    language = write_language(folder, WRITTEN[form])
    assert not language.is_all
    text = json.dumps(language.to_json())
    (folder / "again.json").write_text(text, encoding="utf-8")
    assert read_model(folder / "again.json") == language
    done = run(*WORDS, "--language", "own.json", "-e", "1", "-o", "out.csv", "--outside", "allow")
    assert done.code == 0, done.err
    assert all(language.contains(word) for word in released(folder))
    known: Any = receipt(folder).mechanism()
    assert known.language == language
    assert run("plan", "--language", "own.json", "-n", "2", "-e", "1").code == 0


@pytest.mark.parametrize(
    ("content", "places"),
    [
        ({"pattern": "home (work"}, ("own.json", "wrong at position 5", "does not close")),
        ({"pattern": "home play"}, ("wrong at position 5", "'play' is not a symbol")),
        ({"pattern": "home{2"}, ("wrong at position 4", "belongs to no count")),
        ({"pattern": ["home"]}, ("pattern: input should be a valid string",)),
        ({"pattern": "(.{100}){100}"}, ("own.json", "more than 5000 symbols")),
        ({"pattern": ".* home .{19}"}, ("own.json", "more than 10000 states")),
        (BEYOND, ("own.json", "Determinising", "more than 10000 states")),
        ({"pattern": "home", "start": ["home"]}, ("start: extra inputs",)),
        ({"pattern": "home", "allowed": []}, ("'pattern' and 'allowed', which are two forms",)),
        ({}, ("lacks the field 'transitions' (or 'pattern'",)),
        (
            {"allowed": [[1, 1, 1], [1, 2, 1], [1, 1, 1]]},
            ("allowed[1][1]: input should be less than",),
        ),
        (
            {"allowed": [[1, 1, 1], [1, True, 1]]},
            ("allowed[1][1]: input should be a valid integer",),
        ),
        ({"allowed": [[1, 1, 1], [1, 1], [1, 1, 1]]}, ("allowed, row 1: an entry is needed for",)),
        ({"allowed": [[1, 1, 1], [1, 1, 1]]}, ("shape (2, 3), not (3, 3)",)),
        (WRITTEN["allowed"] | {"start": ["play"]}, ("start names 'play'",)),
        (WRITTEN["allowed"] | {"start": "home"}, ("start: input should be a valid list",)),
        (WRITTEN["allowed"] | {"start": []}, ("start: list should have at least 1 item",)),
        (WRITTEN["moves"] | {"moves": [[0, "home"]]}, ("moves[0][2]: field required",)),
        (WRITTEN["moves"] | {"moves": [[0, "home", None]]}, ("moves[0][2]: input should be a",)),
        (BEYOND | {"moves": [[0, "play", 20]]}, ("moves[0] reads 'play', which is not",)),
        (BEYOND | {"moves": [[0, "sick", "20"]]}, ("accepting[0] names the state 20, but no",)),
        (
            BEYOND | {"moves": [*TWENTY, [0, "sick", 1]], "initial": 2},
            ("moves[57] names the state 0,",),
        ),
        (BEYOND | {"moves": [[0, "sick", 20], [0, None, 5]]}, ("moves[1] names the state 5, but",)),
        (BEYOND | {"initial": "0"}, ("initial names the state '0', but no move leaves it",)),
        (BEYOND | {"accepting": []}, ("moves[",)),
        ({"moves": [], "initial": 0, "accepting": [0]}, ("no word of length 2",)),
        ({"pattern": "(home work sick)*"}, ("no word of length 2", "0 and 3")),
        ({"pattern": "home", "alphabet": ["home", "home"]}, ("own.json", "equal")),
    ],
)
def test_a_language_written_wrongly_releases_nothing(
    run: Run, folder: Path, content: dict[str, Any], places: tuple[str, ...]
) -> None:
    own = {"kind": "language", "alphabet": STATES, **content}
    (folder / "own.json").write_text(json.dumps(own), encoding="utf-8")
    before = sorted(path.name for path in folder.iterdir())
    options = ("--language", "own.json", "--outside", "allow", "-e", "1", "-o", "out.csv")
    done = run(*WORDS, *options)
    # A length that no word has is a wrong parameter; all else is a wrong file.
    assert done.code == (2 if "no word of length" in places[0] else 1), done.err
    for place in places:
        assert place in done.error, done.err
    assert sorted(path.name for path in folder.iterdir()) == before
    planned = run("plan", "--language", "own.json", "-n", "2", "-e", "1")
    assert (planned.code, places[0] in planned.error) == (done.code, True), planned.err


def write_language(folder: Path, content: dict[str, Any]) -> Language:
    own = {"kind": "language", "alphabet": STATES, **content}
    (folder / "own.json").write_text(json.dumps(own), encoding="utf-8")
    model = read_model(folder / "own.json")
    assert isinstance(model, Language)
    return model


EXACT = ("--language", "loose.json", "--calibration", "exact")
BAD: list[tuple[int, str, tuple[str, ...]]] = [
    (1, "Row 1 (state work) of the transition matrix has an entry", ("--language", "nans.json")),
    (1, "Row 1 (state work) of the transition matrix has an entry", ("--decode", "minus.json")),
    (1, "Row 2 (state sick) of the transition matrix sums to 0.75", ("--decode", "less.json")),
    (1, "which is 0.25 too little", ("--language", "less.json")),
    (1, "which is 0.25 too much", ("--language", "long.json")),
    (1, "Row 1 (state work) of the transition matrix sums to 1.25", ("--language", "long.json")),
    (1, "Row 1 (state work) of the transition matrix sums to 1.25", ("--decode", "long.json")),
    (1, "Row 2 (state sick)", ("--language", "negative.json")),
    (1, "initial", ("--decode", "nan.json")),
    (1, "states", ("--decode", "two.json")),
    (1, "other states (3) than", ("--decode", "others.json", "--symbols", "home,work,sick")),
    (1, "other states (3) than", ("--decode", "chain.json", "--missing", "away")),
    (1, "other states", ("--language", "loose.json", "--decode", "others.json")),
    (1, "hidden-markov-model", ("--language", "hidden.json")),
    (1, "not a Markov chain", ("--decode", "pairs.json")),
    (1, "no kind of model", ("--language", "unkind.json")),
    (1, "transitions, row 0", ("--language", "outside.json")),
    (1, "broken.json", ("--language", "broken.json")),
    (1, "none.json", ("--decode", "none.json")),
    (2, "no word of length 2", ("--language", "pairs.json", "--outside", "allow")),
    (2, "--outside", ("--language", "loose.json", "--outside", "perhaps")),
    (2, "--outside allow needs a language", ("--decode", "chain.json", "--outside", "allow")),
    (2, "no decoding 'best'", ("--decode", "chain.json", "--decode-method", "best")),
    (2, "decoded symbol by symbol", ("--decode", "chain.json", "--mechanism", "staircase")),
    (2, "not certified", (*EXACT, "--outside", "allow")),
    (2, "not certified", (*EXACT, "--mechanism", "permute-and-flip")),
]


@pytest.mark.parametrize(("code", "place", "options"), BAD)
def test_bad_models_release_nothing(
    run: Run, folder: Path, code: int, place: str, options: tuple[str, ...]
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run(*WORDS, "-e", "1", "-o", "out.csv", *options)
    assert (done.code, place in done.error) == (code, True), done.err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_certified_rate_from_the_plan_to_the_proof(run: Run, folder: Path) -> None:
    done = run("plan", "--language", "loose.json", "-n", "9", "-e", "3", "--calibration", "exact")
    assert (done.code, done.err) == (0, "")
    assert "exponential (certified rate) *" in done.out
    assert "--calibration exact" in done.out
    done = run(*WORDS, "-e", "3", "-o", "out.csv", *EXACT)
    assert done.code == 0, done.err
    assert ", where the published one is 1.5; it was asked for (words of any" in done.out
    receipt = Receipt.read(folder / "out.csv.receipt.json")
    assert receipt.parts[0].law["calibration"] == "exact"
    shown = run("verify", "--certificate", "out.csv.receipt.json")
    assert (shown.code, "HOLDS" in shown.out) == (0, True), shown.err
    assert "A language of" in shown.out
    content = json.loads((folder / "out.csv.receipt.json").read_text(encoding="utf-8"))
    proof = content["parts"][0]["mechanism"]["certified"]["certificate"]
    (folder / "proof.json").write_text(json.dumps(proof), encoding="utf-8")
    data = json.loads(run("verify", "certificate", "proof.json", "--json").out)
    assert data["valid"]
    assert data["shows"][0]["spent_at_most"] <= 3
    proof["parts"][0]["ratio"] = "1"
    (folder / "proof.json").write_text(json.dumps(proof), encoding="utf-8")
    assert run("verify", "certificate", "proof.json").code == 1


def test_the_report_says_which_rate_ran_and_why(run: Run, folder: Path) -> None:
    language = ("--language", "loose.json", "-e", "3")
    done = run(*WORDS, *language, "-o", "auto.csv")
    assert done.code == 0, done.err
    assert "published one is 1.5; it is certified for this language (words of any" in done.out
    assert Receipt.read(folder / "auto.csv.receipt.json").parts[0].law["calibration"] == "exact"
    done = run(*WORDS, *language, "-o", "paper.csv", "--calibration", "paper")
    assert "Rate: 1.5, the published one; it was asked for." in done.out
    options = ("--calibration-seconds", "0")
    done = run(*WORDS, "--language", "loose.json", "-e", "2.9", "-o", "hasty.csv", *options)
    assert "Rate: 1.45, the published one; no larger rate was certified in seconds" in done.out
    done = run(*WORDS, *language, "-o", "none.csv", "--calibration-seconds=-1")
    assert (done.code, "--calibration-seconds" in done.error) == (2, True)
    planned = run("plan", *language, "-n", "9")
    assert "exponential (certified rate) *" in planned.out
    assert "has this rate by itself" in planned.out
    planned = run("plan", *language, "-n", "9", "--calibration", "paper")
    assert "certified" not in planned.out


def test_no_model_is_overwritten(run: Run) -> None:
    for option in ("--language", "--decode"):
        done = run(
            *WORDS, "-e", "1", option, "loose.json", "-o", "o.csv", "--receipt", "loose.json"
        )
        assert (done.code, "never overwritten" in done.error) == (2, True)


def test_a_plan_on_a_language_and_with_a_chain(run: Run) -> None:
    done = run("plan", "--language", "loose.json", "-n", "9", "-e", "1")
    assert (done.code, done.err) == (0, "")
    rows = {line.split("  ")[0].strip(" *"): line for line in done.out.splitlines()}
    assert rows["randomised response"].endswith(" no")
    assert rows["exponential (paper rate)"].endswith(" yes")
    assert "+-" in rows["permute-and-flip (paper rate)"]
    both = run("plan", "--language", "loose.json", "--chain", "chain.json", "-n", "9", "-e", "1,4")
    assert both.out.count("randomised response + Viterbi") >= 2
    assert "averaged over the words of the chain" in both.out
    alone = json.loads(run("plan", "--chain", "chain.json", "-n", "9", "-e", "1", "--json").out)
    (made,) = alone["plans"]
    assert made["mechanisms"][4]["decode_method"] == "viterbi"
    assert made["chain"]["kind"] == "markov-chain"


@pytest.mark.parametrize(
    ("code", "place", "options"),
    [
        (1, "language forbids", ("--language", "chain.json", "--chain", "loose.json")),
        (1, "other states", ("--chain", "chain.json", "--symbols", "home,work")),
        (1, "other states", ("--language", "chain.json", "--chain", "others.json")),
        (2, "no word of length 4", ("--language", "pairs.json")),
        (2, "--alphabet-size", ("--language", "loose.json", "--alphabet-size", "3")),
        (2, "plot", ("--language", "loose.json", "--plot", "a.svg")),
        (1, "sums to 1.25", ("--chain", "long.json")),
    ],
)
def test_bad_models_are_not_planned_for(
    run: Run, code: int, place: str, options: tuple[str, ...]
) -> None:
    done = run("plan", "-e", "1", "-n", "4", *options)
    assert (done.code, place in done.error) == (code, True), done.err


def test_a_chain_from_public_sequences(run: Run, folder: Path) -> None:
    done = run("fit", *DIARY, "--symbols", "home,work,sick", "--pseudocount", "1", "-o", "new.json")
    assert done.code == 0
    assert "fit it to public sequences only" in done.err
    found = read_model(folder / "new.json")
    assert isinstance(found, MarkovChain)
    assert found.is_exact
    # One step home to work, one home to sick, and one of each added.
    assert [str(p) for p in found.exact_transition[0]] == ["1/5", "2/5", "2/5"]
    assert "after" in done.out
    again = run("fit", *DIARY, "--symbols", "home,work,sick", "-o", "new.json")
    assert (again.code, "exists" in again.error) == (1, True)


def test_a_wide_table_and_a_support(run: Run, folder: Path) -> None:
    command = ("fit", "wide.csv", "--columns", "m1..m3", "-o", "new.json", "--pseudocount", "1")
    assert run(*command, "--support", "pairs.json").code == 1
    done = run(*command, "--support", "loose.json", "--json")
    assert done.code == 0
    content = json.loads(done.out)
    assert content["output"] == "new.json"
    assert MarkovChain.from_json(content["chain"]) == read_model(folder / "new.json")
    assert content["chain"]["transition"][2][1] in (0, "0")


def test_a_support_restricts_first_symbols_too(run: Run, folder: Path) -> None:
    # Words of LOOSE begin at home or at work, and those of the wide table do.
    command = ("fit", "wide.csv", "--columns", "m1..m3", "-o", "new.json", "--pseudocount", "1")
    assert run(*command, "--support", "loose.json").code == 0
    found = read_model(folder / "new.json")
    assert isinstance(found, MarkovChain)
    assert [str(p) for p in found.exact_initial] == ["1/2", "1/2", "0"]
    write_language(folder, {"allowed": [[1] * 3] * 3, "start": ["home"]})
    refused = run(*command, "--support", "own.json", "--overwrite")
    assert (refused.code, "no word may begin so" in refused.error) == (1, True)
    assert "Word 1 leaves the support at position 0" in refused.error
    assert "That is row 1, column 'm1', of the table" in refused.error
    roles = ("--id", "who", "--time", "month", "--state", "state", "--symbols", "home,sick,work")
    assert run("release", "words", "diary.csv", *roles, "-e", "2", "-o", "out.csv").code == 0
    learn = ("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "learnt.json")
    assert run(*learn, "--support", "own.json").code == 0
    learnt = read_model(folder / "learnt.json")
    assert isinstance(learnt, MarkovChain)
    assert learnt.initial.tolist() == [1, 0, 0]
    assert learnt.states == ("home", "sick", "work")
    write_language(folder, {"allowed": [[1] * 3] * 3, "start": ["sick"]})
    assert run(*learn, "--support", "own.json", "--overwrite").code == 0
    learnt = read_model(folder / "learnt.json")
    assert isinstance(learnt, MarkovChain)
    assert learnt.initial.tolist() == [0, 1, 0]


def test_a_chain_from_a_release_has_standard_errors(run: Run, folder: Path) -> None:
    income = datasets.load("income")
    roles = ("--id", "state", "--time", "year", "--state", "quintile", "--symbols", "1..5")
    assert run("release", "words", str(income.path), *roles, "-e", "4", "-o", "out.csv").code == 0
    unmarked = run("fit", "out.csv", *roles, "-o", "new.json")
    assert (unmarked.code, "--receipt out.csv.receipt.json" in unmarked.error) == (2, True)
    command = ("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "new.json")
    assert run(*command, *roles).code == 2
    done = run(*command, "--json")
    assert done.code == 0
    content = json.loads(done.out)
    (stay,) = [row for row in content["transitions"] if row["from"] == row["to"] == "1"]
    assert abs(stay["probability"] - 0.9) < 0.1
    assert 0 < stay["standard_error"] < 0.1
    shown = run(*command, "--overwrite")
    assert "+-" in shown.out
    assert "public sequences only" not in shown.err
    text = (folder / "out.csv").read_text(encoding="utf-8")
    (folder / "out.csv").write_text(text.replace("1929", "1928"), encoding="utf-8")
    changed = run(*command, "--overwrite")
    assert (changed.code, "byte for byte" in changed.error) == (1, True)
    assert run(*command, "--overwrite", "--changed-file").code == 0


@pytest.mark.parametrize(
    ("code", "place", "options"),
    [
        (2, "either --id, --time and --state", ()),
        (2, "either --id, --time and --state", ("--id", "who", "--columns", "m1")),
        (2, "no alphabet", DIARY[1:]),
        (1, "row 3 of the column 'state'", (*DIARY[1:], "--symbols", "home,work")),
        (1, "--pseudocount", (*DIARY[1:], "--symbols", "home,work,sick")),
        (2, "pseudocount", (*DIARY[1:], "--symbols", "home,work,sick", "--pseudocount", "-1")),
        (1, "position 1: a word may not go on so", (*DIARY[1:], "--support", "chain.json")),
        (1, "That is row 3 of the table", (*DIARY[1:], "--support", "chain.json")),
        (1, "other states", (*DIARY[1:], "--support", "loose.json", "--symbols", "home,work")),
        (1, "receipt", ("--receipt", "none.json")),
        (1, "not the receipt", ("--receipt", "chain.json")),
    ],
)
def test_bad_input_of_fit(
    run: Run, folder: Path, code: int, place: str, options: tuple[str, ...]
) -> None:
    done = run("fit", "diary.csv", "-o", "new.json", *options)
    assert (done.code, place in done.error) == (code, True), done.err
    assert not (folder / "new.json").exists()


def test_stand_ins_join_the_alphabet_of_fit(run: Run, folder: Path) -> None:
    command = ("fit", *DIARY, "--symbols", "home,work", "--pseudocount", "1", "-o", "new.json")
    assert run(*command, "--other", "state=away").code == 0
    found = read_model(folder / "new.json")
    assert isinstance(found, MarkovChain)
    assert found.states == ("home", "work", "away")


def test_fit_never_overwrites_what_it_reads(run: Run) -> None:
    done = run("fit", *DIARY, "--symbols", "home,work", "-o", "diary.csv", "--overwrite")
    assert (done.code, "never overwritten" in done.error) == (2, True)


def test_a_table_receipt_has_no_sequences(run: Run) -> None:
    assert run(
        "release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1", "-o", "t.csv"
    )
    done = run("fit", "t.csv", "--receipt", "t.csv.receipt.json", "-o", "new.json")
    assert (done.code, "not of released sequences" in done.error) == (1, True)


def test_the_module_gives_the_exit_code(spawn: Callable[..., Any]) -> None:
    code = (
        "import runpy, sys; sys.argv = ['privet', 'plan']; "
        "runpy.run_module('privet', run_name='__main__')"
    )
    process = spawn(code)
    process.communicate(timeout=60)
    assert process.returncode == 2


def test_a_chain_of_numbers_is_learnt_from_csv(run: Run, folder: Path) -> None:
    mechanism = RandomizedResponse(Alphabet([0.5, 1.0]), epsilon=9)
    data = pa.table({name: [0.5, 1.0] * 50 for name in ("m1", "m2", "m3")})
    release(mechanism, data, columns="m*", adjacency=1, output=folder / "out.csv")
    fitted = run("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "new.json")
    assert fitted.code == 0, fitted.err
