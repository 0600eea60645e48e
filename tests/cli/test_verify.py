"""`privet verify`: verdicts and their exit codes, certificates, pictures, and what is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import verify
from privet.cli.verify_pictures import telling_pairs
from privet.verify import PairBracket

Run = Callable[..., Any]

DATASETS = Path(__file__).parents[2] / "src" / "privet" / "datasets"
INFECTION = str(DATASETS / "infection.toml")
GEOMETRIC = str(DATASETS / "geometric.csv")
SYMBOLIC = """
kind = "verification"
transition = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
emission = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
ratio = 2
length = 1
parameters = ["0 < p < 1"]
[initial]
ill = [0, "1 - p", "p"]
well = ["1 - p", "p", 0]
"""
FREE = """
kind = "verification"
transition = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
emission = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
ratio = 2
length = 1
ask = "find"
parameters = ["0 < p0 < 1", "0 < p1 < 1", "0 < p2 < 1", "p0 + p1 + p2 = 1"]
[initial]
ill = [0, "(p1/2)/(p1/2+p2)", "p2/(p1/2+p2)"]
well = ["p0/(p0+p1/2)", "(p1/2)/(p0+p1/2)", 0]
"""


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    (folder / "symbolic.toml").write_text(SYMBOLIC, encoding="utf-8")
    (folder / "free.toml").write_text(FREE, encoding="utf-8")
    shown = Path(INFECTION).read_text(encoding="utf-8")
    (folder / "silent.toml").write_text(shown.replace("ratio = 14", ""), encoding="utf-8")
    (folder / "zero.toml").write_text(shown.replace('"1/2"', '"0"'), encoding="utf-8")
    (folder / "odd.toml").write_text(shown.replace("ratio", "rtio"), encoding="utf-8")


# ---------------------------------------------------------------------------------------- models


def test_a_claim_that_holds(run: Run) -> None:
    done = run("verify", "model", INFECTION)
    assert (done.code, done.err) == (0, "")
    assert "Claim, words of every length: each is at most 14 times as likely" in done.out
    assert done.out.count(" holds ") == 2
    assert "checked again" in done.out


def test_a_claim_that_is_violated_shows_the_word(run: Run) -> None:
    done = run("verify", "model", INFECTION, "--ratio", "4")
    assert (done.code, done.err) == (1, "")
    assert done.out.count("VIOLATED") == 2
    assert "5.231423 (2464/471) times as likely" in done.out
    assert "positive x3 (3 symbols)" in done.out


def test_the_length_decides(run: Run) -> None:
    for length, code in (("2", 0), ("1..2", 0), ("1..3", 1), ("all", 1)):
        assert run("verify", "model", INFECTION, "--ratio", "4", "-n", length).code == code


def test_undecided_says_what_is_known_and_what_to_try(run: Run) -> None:
    # Between the word that is best known and the supremum, which no word is known to reach.
    slow = ("--ratio", "13.0868179", "--time-limit", "0.000001")
    done = run("verify", "model", INFECTION, *slow, "-n", "40", "--json")
    content = json.loads(done.out)
    assert (done.code, content["verdict"]) == (3, "undecided")
    assert {pair["verdict"] for pair in content["pairs"]} <= {"undecided", "holds", "violated"}
    told = run("verify", "model", INFECTION, *slow, "-n", "40")
    assert told.code == 3
    assert "undecided" in told.out
    assert "Raise time_limit" in told.out


def test_a_tie_with_an_epsilon_is_undecided(run: Run, folder: Path) -> None:
    text = SYMBOLIC.replace('parameters = ["0 < p < 1"]', "").replace('"1 - p"', '"1/2"')
    (folder / "half.toml").write_text(text.replace('"p"', '"1/2"'), encoding="utf-8")
    assert run("verify", "model", "half.toml").code == 0
    assert run("verify", "model", "half.toml", "-e", "0.7").code == 0
    assert run("verify", "model", "half.toml", "-e", "0.6931471805599453").code == 1


def test_without_a_claim_the_worst_ratio_is_found(run: Run) -> None:
    done = run("verify", "model", "silent.toml", "-n", "3", "--json")
    content = json.loads(done.out)
    assert (done.code, content["verdict"]) == (0, "known")
    assert content["pairs"][0]["low"] == content["pairs"][0]["high"] == "2464/471"
    told = run("verify", "model", "silent.toml", "-n", "3")
    assert "5.231423 (2464/471)" in told.out
    assert run("verify", "model", "silent.toml", "--time-limit", "2").code == 3


def test_json_is_exact(run: Run) -> None:
    content = json.loads(run("verify", "model", INFECTION, "--ratio", "4", "--json").out)
    first = content["pairs"][0]
    assert content["verdict"] == "violated"
    assert content["length"] == "all"
    assert first["word"] == ["positive"] * 3
    assert (first["first_probability"], first["second_probability"]) == ("154/675", "157/3600")
    assert first["ratio_of_word"] == "2464/471"


# ---------------------------------------------------------------------------------- certificates


@pytest.mark.parametrize(("ratio", "code", "verdict"), [("14", 0, "HOLDS"), ("4", 1, "VIOLATED")])
def test_certificates_are_checked_alone(
    run: Run, folder: Path, ratio: str, code: int, verdict: str
) -> None:
    save = ("--ratio", ratio, "--save-certificate", "proof.json")
    assert run("verify", "model", INFECTION, *save).code == code
    for command in (["certificate", "proof.json"], ["--certificate", "proof.json"]):
        done = run("verify", *command)
        assert (done.code, done.err) == (0, "")
        assert done.out.count(verdict) == 2
        assert "2 certificates stand" in done.out
    content = json.loads(run("verify", "--certificate", "proof.json", "--json").out)
    assert content["valid"] is True
    assert [each["ratio"] for each in content["shows"]] == [ratio] * 2
    refused = run("verify", "model", INFECTION, *save)
    assert (refused.code, "exists" in refused.error) == (2, True)
    assert run("verify", "model", INFECTION, *save, "--overwrite").code == code
    assert len(verify.read_certificates(folder / "proof.json")) == 2


def test_a_changed_certificate_is_refused(run: Run, folder: Path) -> None:
    run("verify", "model", INFECTION, "--save-certificate", "proof.json")
    text = (folder / "proof.json").read_text(encoding="utf-8")
    (folder / "changed.json").write_text(text.replace('"14"', '"13"'), encoding="utf-8")
    done = run("verify", "certificate", "changed.json")
    assert (done.code, "proves nothing" in done.error) == (1, True)
    told = run("verify", "--certificate", "changed.json", "--json")
    assert (told.code, json.loads(told.out)["valid"]) == (1, False)


def test_what_is_no_certificate(run: Run, folder: Path) -> None:
    (folder / "list.json").write_text("[]", encoding="utf-8")
    assert run("verify", "certificate", "list.json").code == 1
    for name in ("none.json", "voters.csv", "."):
        done = run("verify", "certificate", name)
        assert (done.code, done.error != "") == (2, True)


# -------------------------------------------------------------------------------------- pictures


def test_pictures(run: Run, folder: Path) -> None:
    done = run("verify", "model", INFECTION, "--ratio", "4", "--pictures", "drawn")
    assert done.code == 1
    names = ["model.svg", "ratio.svg", "word.svg"]
    assert sorted(path.name for path in (folder / "drawn").iterdir()) == names
    assert "Pictures: drawn/model.svg, drawn/ratio.svg, drawn/word.svg" in done.out
    done = run("verify", "model", INFECTION, "--pictures", "voters.csv")
    assert (done.code, "cannot be made" in done.error) == (2, True)


# ------------------------------------------------------------------------------------ parameters


def test_for_all_values_of_a_parameter(run: Run) -> None:
    done = run("verify", "model", "symbolic.toml")
    assert (done.code, done.err) == (0, "")
    assert "for all values with 0 < p < 1" in done.out
    assert "not independently checkable" in done.out
    done = run("verify", "model", "symbolic.toml", "--save-certificate", "no.json")
    assert (done.code, "nothing that can be checked again" in done.err) == (0, True)
    done = run("verify", "model", "symbolic.toml", "--ratio", "1.9", "--json")
    content = json.loads(done.out)
    assert (done.code, content["verdict"]) == (1, "violated")
    assert all(pair["is_exact"] for pair in content["pairs"])


def test_values_are_found(run: Run) -> None:
    done = run("verify", "model", "free.toml", "--save-certificate", "found.json")
    assert (done.code, done.err) == (0, "")
    assert "checked again" in done.out
    assert run("verify", "--certificate", "found.json").code == 0
    content = json.loads(run("verify", "model", "free.toml", "--json").out)
    assert set(content["pairs"][0]["values"]) == {"p0", "p1", "p2"}
    done = run("verify", "model", "free.toml", "--ratio", "1", "--json")
    assert (done.code, json.loads(done.out)["verdict"]) == (1, "violated")


# ------------------------------------------------------------------------------------ mechanisms


def test_a_mechanism_that_keeps_its_claim(run: Run, folder: Path) -> None:
    command = ("verify", "mechanism", GEOMETRIC, "--neighbours", "adjacent")
    done = run(*command, "--ratio", "2", "--plot", "profile.svg")
    assert (done.code, done.err) == (0, "")
    for piece in (
        "Claim: ratio 2, delta 0: holds.",
        "Smallest delta at ratio 2: 0.",
        "0.6931472 (the logarithm of 2)",
        "input none against one",
        "2 of 16; without a delta, 1.",
    ):
        assert piece in done.out
    assert (folder / "profile.svg").exists()


def test_a_mechanism_that_breaks_its_claim(run: Run) -> None:
    done = run("verify", "mechanism", GEOMETRIC, "--ratio", "2")
    assert done.code == 1
    assert "VIOLATED" in done.out
    done = run("verify", "mechanism", GEOMETRIC, "--ratio", "2", "--delta", "1/2", "--json")
    content = json.loads(done.out)
    assert (done.code, content["verdict"], content["smallest_delta"]) == (0, "holds", "1/2")
    assert content["worst_pair"] == ["none", "three"]
    below = run("verify", "mechanism", GEOMETRIC, "--ratio", "2", "--delta", "0.4999999")
    assert below.code == 1


def test_a_mechanism_without_a_claim(run: Run) -> None:
    content = json.loads(run("verify", "mechanism", GEOMETRIC, "--json").out)
    assert (content["verdict"], content["smallest_ratio"]) == (None, "8")
    assert content["sets"] == {"all": "16", "sufficient": "4", "without_delta": "2"}


def test_neighbours_from_a_file(run: Run, folder: Path) -> None:
    (folder / "pairs.csv").write_text("none,two\ntwo,three\n", encoding="utf-8")
    content = json.loads(
        run("verify", "mechanism", GEOMETRIC, "--neighbours", "pairs.csv", "--json").out
    )
    assert content["smallest_ratio"] == "4"
    (folder / "bad.csv").write_text("none,ten\n", encoding="utf-8")
    done = run("verify", "mechanism", GEOMETRIC, "--neighbours", "bad.csv")
    assert (done.code, "Pair 0 of bad.csv" in done.error) == (2, True)
    (folder / "empty.csv").write_text("", encoding="utf-8")
    assert run("verify", "mechanism", GEOMETRIC, "--neighbours", "empty.csv").code == 2


# --------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("model", "none.toml"), "There is no file"),
        (("model", "odd.toml"), "rtio"),
        (("model", "zero.toml"), "initial.not infectious first: the law sums to 0"),
        (("model", "voters.csv"), "not JSON"),
        (("model", INFECTION, "--ratio", "2", "-e", "1"), "--ratio and --epsilon"),
        (("model", INFECTION, "--ratio", "0"), "ratio"),
        (("model", INFECTION, "--ratio", "nan"), "ratio"),
        (("model", INFECTION, "-e", "-1"), "epsilon"),
        (("model", INFECTION, "-n", "0"), "length"),
        (("model", INFECTION, "-n", "x"), "--length"),
        (("model", INFECTION, "--time-limit", "0"), "--time-limit"),
        (("model", INFECTION, "--save-certificate", "no/where.json"), "no folder"),
        (("model", "symbolic.toml", "-e", "1"), "needs a ratio"),
        (("model", "symbolic.toml", "-n", "all"), "--length"),
        (("model", "symbolic.toml", "--pictures", "x"), "--pictures"),
        (("mechanism", "none.csv"), "cannot be read"),
        (("mechanism", "voters.csv"), "no number"),
        (("mechanism", GEOMETRIC, "--ratio", "1/2"), "at least 1"),
        (("mechanism", GEOMETRIC, "--delta", "1"), "delta"),
        (("mechanism", GEOMETRIC, "--neighbours", "some"), "--neighbours"),
        (("mechanism", GEOMETRIC, "--plot", "no/where.svg"), "no folder"),
        (("--certificate", "x", "model", INFECTION), "without a command"),
        (("proof",), "The commands are"),
    ],
)
def test_bad_input_is_usage_and_never_a_verdict(
    run: Run, folder: Path, arguments: tuple[str, ...], place: str
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run("verify", *arguments)
    assert (done.code, place in done.error) == (2, True), (done.code, done.err)
    assert sorted(path.name for path in folder.iterdir()) == before


# --------------------------------------------------------------------------- a newcomer's slips


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "table.csv cannot be read: No such file or directory. Check the path."),
        ("", "table.csv holds no rows. A mechanism has a row for each input"),
        ("0.5;0.5\n0.3;0.7\n", "table.csv has one column"),
        ("0.5,0.5\n0.3,x\n", "has a cell that is no number. A mechanism has a row"),
        ("true,says,1\nyes,0.5,0.5\nno,0.3,0.7\n", "names the outputs: 'says 0', not 0"),
        ('"a,0.5\n', "table.csv cannot be read as CSV in UTF-8. A mechanism has a row"),
    ],
)
def test_a_table_that_cannot_be_read_has_its_remedy(
    run: Run, folder: Path, text: str | None, says: str
) -> None:
    if text is not None:
        (folder / "table.csv").write_text(text, encoding="utf-8")
    done = run("verify", "mechanism", "table.csv")
    assert (done.code, says in done.error) == (2, True), done.err


def test_what_is_there_is_replaced_only_if_told(run: Run, folder: Path) -> None:
    (folder / "shown").mkdir()
    (folder / "shown" / "ratio.svg").write_text("mine", encoding="utf-8")
    command = ("verify", "model", INFECTION, "--pictures", "shown")
    done = run(*command)
    assert (done.code, "ratio.svg exists" in done.error) == (2, True)
    (folder / "p.svg").write_text("mine", encoding="utf-8")
    plot = ("verify", "mechanism", GEOMETRIC, "--plot", "p.svg")
    done = run(*plot)
    assert (done.code, "p.svg exists" in done.error) == (2, True)
    assert (folder / "p.svg").read_text(encoding="utf-8") == "mine"
    assert run(*plot, "--overwrite").code == 0
    assert "mine" not in (folder / "p.svg").read_text(encoding="utf-8")


def test_a_plot_of_a_mechanism_is_svg_as_other_plots(run: Run) -> None:
    done = run("verify", "mechanism", GEOMETRIC, "--plot", "p.png")
    assert (done.code, "does not end in .svg" in done.error) == (2, True)


def test_an_open_worst_ratio_says_what_to_do(run: Run) -> None:
    done = run("verify", "model", "silent.toml", "--time-limit", "2")
    assert (done.code, "Claim one above the larger (--ratio)" in done.out) == (3, True)


def test_an_infinite_epsilon_is_no_logarithm(run: Run, folder: Path) -> None:
    (folder / "zero.csv").write_text("0,1\n0.25,0.75\n", encoding="utf-8")
    assert "Smallest epsilon at delta 0: infinite.\n" in run("verify", "mechanism", "zero.csv").out


# ---------------------------------------------------------------------------------- the library


def test_every_model_of_the_library_is_a_file_that_can_be_asked_about(
    run: Run, folder: Path
) -> None:
    listed = json.loads(run("verify", "library", "--json").out)["models"]
    assert {"truncated-geometric", "report-noisy-max", "count-contagious"} <= set(listed)
    worst = {}
    for name in listed:
        assert run("verify", "library", name, "--save", f"{name}.json").code == 0
        # What is written holds all settings, and what is printed is the same file.
        printed = run("verify", "library", name).out
        assert json.loads(printed) == json.loads((folder / f"{name}.json").read_text())
        content = json.loads(run("verify", "model", f"{name}.json", "--json").out)
        assert content["verdict"] == "known"
        worst[name] = max(Fraction(pair["low"]) for pair in content["pairs"])
    assert worst["truncated-geometric"] == worst["randomized-response"] == 2
    assert worst["report-noisy-max"] == 4
    assert worst["count-independent"] == 2
    assert worst["count-contagious"] == 8
    assert worst["subsampled-response"] == Fraction(11, 10)


def test_a_model_of_the_library_with_settings_and_a_claim(run: Run, folder: Path) -> None:
    save = ("--ratio", "2", "--save", "max.json")
    done = run("verify", "library", "report-noisy-max", "moved=one", "reports=value", *save)
    assert done.out.endswith("Ask about it: privet verify model max.json\n")
    content = json.loads((folder / "max.json").read_text())
    assert (len(content["states"]), content["ratio"], content["length"]) == (9, "2", 1)
    assert run("verify", "model", "max.json").code == 0
    assert run("verify", "library", "report-noisy-max", *save).code != 0
    told = run("verify", "library", "above-threshold").out
    assert json.loads(told)["observations"] == ["0", "1", "nothing"]
    assert "report-noisy-max" in run("verify", "library").out
    run("verify", "library", "above-threshold", "--save", "sparse.json")
    told = run("verify", "model", "sparse.json").out
    assert "The largest of all: 3.333333 (10/3), (1, 1) against (2, 0).\n" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "has no model 'nothing'. It has truncated-geometric, "),
        (("truncated-geometric", "largest"), "'largest' is no setting"),
        (("truncated-geometric", "largest=2", "largest=3"), "given twice"),
        (("truncated-geometric", "small=2"), "no setting 'small'. It has largest=3, ratio=1/2."),
        (("truncated-geometric", "largest=x"), "largest is not a whole number"),
        (("truncated-geometric", "largest=100000"), "largest makes a table too large to list"),
        (("count-contagious", "people=100000"), "makes a table too large to list"),
        (("truncated-geometric", "--ratio", "0"), "ratio must be greater than 0"),
        (("truncated-geometric", "--ratio", "-2"), "ratio must be greater than 0"),
        (("--save", "model.json"), "No model is named"),
        (("--ratio", "2"), "No model is named"),
        (("truncated-geometric", "ratio=2"), "strictly between 0 and 1"),
        (("report-noisy-max", "reports=all"), "reports is neither"),
        (("report-noisy-max", "--ratio", "x"), "ratio"),
    ],
)
def test_what_the_library_does_not_have_is_usage(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run("verify", "library", *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.error


def test_an_epsilon_of_0_is_claimed_as_ratio_1(run: Run) -> None:
    done = run("verify", "model", INFECTION, "--epsilon", "0")
    assert done.code == 2
    assert "--ratio 1 claims epsilon = 0" in done.error


def test_the_pairs_that_tell_most_are_drawn() -> None:
    brackets = [Fraction(k) for k in (3, 9, 1, 8, 2, 7, 6, 5)]
    found = [
        PairBracket(str(i), "x", verify.Bracket(low, low, ("a",))) for i, low in enumerate(brackets)
    ]
    assert [first for first, _ in telling_pairs(found)] == ["0", "1", "3", "5", "6", "7"]
