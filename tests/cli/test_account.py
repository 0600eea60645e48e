"""`privet account`: receipts and spec files, budgets, and what is refused."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import Alphabet, IndependentRecords, MarkovChain, MarkovFramework, RandomizedResponse
from privet.accounting import Accountant, Lost
from privet.accounting.repeats import epsilon_at_delta
from privet.privacy import RecordLoss
from privet.randomness.source import using_source
from privet.releasing import Receipt, release
from privet.testing import ReplaySource

Run = Callable[..., Any]

CHAIN: dict[str, Any] = {
    "kind": "markov-chain",
    "states": ["home", "work", "sick"],
    "initial": ["1/3", "1/3", "1/3"],
    "transition": [["3/5", "1/5", "1/5"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]],
}
DIARY = ("diary.csv", "--id", "who", "--time", "month", "--state", "state")
TABLE = ("release", "table", "voters.csv", "--column", "vote=Clinton,Dole")


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    (folder / "chain.json").write_text(json.dumps(CHAIN), encoding="utf-8")


def receipt_of(run: Run, name: str, *command: str) -> str:
    assert run(*command, "-o", name).code == 0
    return f"{name}.receipt.json"


def table(run: Run, name: str = "out.csv", epsilon: str = "1", *more: str) -> str:
    return receipt_of(run, name, *TABLE, "-e", epsilon, *more)


def query(run: Run, name: str = "query.csv", chain: str = "chain.json") -> str:
    command = ("release", "query", *DIARY, "--query", "histogram", "--chain", chain, "-e", "1")
    return receipt_of(run, name, *command)


def words(run: Run, name: str = "words.csv", *more: str) -> str:
    return receipt_of(run, name, "release", "words", *DIARY, "--symbols", "home,work,sick", *more)


def spec(folder: Path, content: Any, name: str = "spec.json") -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return name


def as_json(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("account", *arguments, "--json")
    assert done.code == 0, done.err
    content: dict[str, Any] = json.loads(done.out)
    return content


def test_receipts_of_a_table_add_up(run: Run) -> None:
    one, two = table(run), table(run, "more.csv", "0.5")
    done = run("account", one, two)
    assert (done.code, done.err) == (0, "")
    losses = [Receipt.read(Path(each)).record_loss.maximum for each in (one, two)]
    content = as_json(run, one, two)
    assert Fraction(content["exact"]["epsilon"]) == sum(losses)
    assert done.out.startswith("2 releases: epsilon 1.5")
    assert "any one record may change" in done.out
    assert one in done.out
    assert "sequential composition" in done.out


def test_the_budget_decides_the_exit_code(run: Run) -> None:
    one = table(run)
    within = run("account", one, "--budget", "1.5")
    assert within.code == 0
    assert "of a budget of 1.5: 0.5" in within.out
    over = run("account", one, one, "--budget", "1.5")
    assert over.code == 1
    assert "too much" in over.out
    content = json.loads(run("account", one, one, "--budget", "1.5", "--json").out)
    assert content["within_budget"] is False
    assert content["remaining"] == 0
    assert as_json(run, one)["budget"] is None


def test_the_same_receipt_counts_each_time_and_it_is_said(run: Run, folder: Path) -> None:
    one = table(run)
    (folder / "copy.json").write_text((folder / one).read_text(encoding="utf-8"), encoding="utf-8")
    done = run("account", one, one, "copy.json")
    assert done.code == 0
    lines = done.err.splitlines()
    assert lines[0] == f"privet: warning: {one} is named twice, and counts each time."
    assert (
        lines[1] == f"privet: warning: copy.json is the receipt {one} again, and counts each time."
    )
    assert done.out.startswith("3 releases")


def test_a_query_brings_its_chain_along(run: Run, folder: Path) -> None:
    one = query(run)
    content = as_json(run, one, one)
    receipt = Receipt.read(folder / one)
    framework = MarkovFramework(MarkovChain.from_json(CHAIN))
    expected = Accountant(framework).add(receipt, times=2).epsilon()
    assert Fraction(content["exact"]["epsilon"]) == expected
    # Other chains may be assumed, and are.
    other = {**CHAIN, "transition": [["1/3"] * 3] * 3}
    (folder / "mild.json").write_text(json.dumps(other), encoding="utf-8")
    mild = as_json(run, one, one, "--framework", "mild.json")
    assert mild["epsilon"] < content["epsilon"]
    any_start = as_json(run, one, one, "--framework", "chain.json", "--initial", "any")
    assert any_start["epsilon"] >= content["epsilon"]
    (folder / "framework.json").write_text(json.dumps(framework.to_json()), encoding="utf-8")
    again = as_json(run, one, one, "--framework", "framework.json")
    assert again["exact"] == content["exact"]
    done = run("account", one, query(run, "other.csv", "mild.json"))
    assert (done.code, "do not agree on how series behave" in done.error) == (2, True)


def test_series_of_several_lengths_are_charged_for_the_worst(run: Run, folder: Path) -> None:
    """In the receipt each length has its loss; the charge covers a series of any of them."""
    rows = [f"{who},{month},home" for who, last in (("a", 2), ("b", 9)) for month in range(last)]
    (folder / "ragged.csv").write_text("\n".join(["who,month,state", *rows]), encoding="utf-8")
    command = ["release", "query", "ragged.csv", *DIARY[1:], "--query", "histogram"]
    one = receipt_of(run, "r.csv", *command, "--chain", "chain.json", "-e", "1")
    part: Any = Receipt.read(folder / one).parts[0]
    framework = MarkovFramework(MarkovChain.from_json(CHAIN))
    found = Fraction(as_json(run, one)["exact"]["epsilon"])
    assert set(part.losses) == {2, 9}
    assert found >= max(framework.epsilon(loss) for loss in part.losses.values())


def test_the_largest_of_losses_is_taken_record_by_record() -> None:
    losses = [
        RecordLoss.from_values([1, 2]),
        RecordLoss.from_values([0, 3, 0, 4]),
        RecordLoss.from_values([2, 0, 1]),
    ]
    assert RecordLoss.largest_of(losses) == RecordLoss.from_values([2, 3, 1, 4])
    assert RecordLoss.largest_of([]) == RecordLoss([])


def test_words_alone_and_under_a_chain(run: Run) -> None:
    one = words(run, "words.csv", "-e", "1", "--mechanism", "randomized-response")
    alone = as_json(run, one)
    under = as_json(run, one, "--framework", "chain.json")
    assert 0.99 < alone["epsilon"] <= 1.000001
    assert under["epsilon"] > alone["epsilon"]
    mixed = run("account", one, query(run))
    assert "do not agree on how series behave" in mixed.error
    both = as_json(run, one, "query.csv.receipt.json", "--framework", "chain.json")
    assert both["epsilon"] > under["epsilon"]


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        ((table, query), (), "records of different kinds: rows and steps"),
        ((table,), ("--framework", "chain.json"), "its records are rows, not the steps"),
        ((query,), ("--unit", "1"), "its steps depend on each other"),
        ((table,), ("--framework", "chain.json", "--unit", "1"), "two answers to one question"),
        ((table,), ("--initial", "any"), "--initial needs the chain"),
        ((table,), ("--unit", "several"), "neither a whole number nor all"),
        ((table,), ("--budget", "-1"), "A budget cannot be negative"),
        ((table,), ("--delta", "2"), "delta must be at least 0 and below 1"),
        ((), (), "Nothing says what was released"),
    ],
)
def test_what_is_refused(
    run: Run, make: tuple[Callable[[Run], str], ...], options: tuple[str, ...], message: str
) -> None:
    receipts = [each(run) for each in make]
    done = run("account", *receipts, *options)
    assert done.code == 2
    assert message in done.error


def test_units_of_several_records(run: Run, folder: Path) -> None:
    (folder / "people.csv").write_text(
        "name,vote\nAnn,Clinton\nAnn,Dole\nBob,Dole\n", encoding="utf-8"
    )
    command = (
        "release",
        "table",
        "people.csv",
        "--column",
        "vote=Clinton,Dole",
        "--person",
        "name",
        "--rows-per-person",
        "2",
        "-e",
        "1",
    )
    pairs, one = receipt_of(run, "pairs.csv", *command), table(run)
    assert "the receipts do not agree on it" in run("account", pairs, one).error
    assert "protects 2 rows at once" in run("account", pairs, one, "--unit", "1").error
    content = as_json(run, pairs, one, "--unit", "2")
    losses = [Receipt.read(folder / each).record_loss for each in (pairs, one)]
    total = RecordLoss.sum_of(losses)
    assert Fraction(content["exact"]["epsilon"]) == IndependentRecords(2).epsilon(total)
    assert as_json(run, pairs)["epsilon"] <= 1.000001
    assert as_json(run, one, "--unit", "all")["epsilon"] > 3.9
    b = words(run, "b.csv", "-e", "1", "--adjacency", "2")
    assert "protects 2 symbols at once" in run("account", b, "--framework", "chain.json").error


def test_symbols_that_are_no_states(run: Run, folder: Path) -> None:
    (folder / "other.json").write_text(
        json.dumps({**CHAIN, "states": ["a", "b", "c"]}), encoding="utf-8"
    )
    done = run("account", words(run, "w.csv", "-e", "1"), "--framework", "other.json")
    assert "its symbols are not the states of the chains" in done.error
    (folder / "language.json").write_text(
        json.dumps({"kind": "language", "symbols": ["a", "b"], "pattern": "a* b"}), encoding="utf-8"
    )
    for name, message in (
        ("language.json", "The model language.json"),
        ("nothing.json", "There is no file nothing.json"),
        ("voters.csv", "voters.csv: line 1 is not JSON"),
    ):
        assert message in run("account", "w.csv.receipt.json", "--framework", name).error


def test_a_release_without_record_loss(run: Run) -> None:
    command = ("release", "query", *DIARY, "--query", "count=sick", "--chain", "chain.json")
    one = receipt_of(run, "w.csv", *command, "-e", "1", "--method", "wasserstein")
    done = run("account", one)
    assert (done.code, "no record loss" in done.error) == (2, True)


def test_seeded_receipts_are_warned_about(run: Run, folder: Path) -> None:
    with using_source(ReplaySource(7)):
        made = release(RandomizedResponse(Alphabet("ab"), epsilon=1), ["a", "b", "a"])
    (folder / "seeded.json").write_text(made.receipt.to_text(), encoding="utf-8")
    done = run("account", "seeded.json")
    assert done.code == 0
    assert "seeded.json was drawn from a seeded source: it is not private" in done.err
    assert as_json(run, "seeded.json")["warnings"]


def test_decoded_receipts_are_warned_about(run: Run) -> None:
    one = words(run, "words.csv", "-e", "1", "--mechanism", "randomized-response")
    done = run("decode", "words.csv", "--chain", "chain.json", "-o", "decoded.csv")
    assert done.code == 0, done.err
    again = run("account", one, "decoded.csv.receipt.json")
    assert "decoding costs nothing" in again.err


def test_a_delta(run: Run, folder: Path) -> None:
    one = table(run, "out.csv", "0.1")
    lost = Lost.of(Receipt.read(folder / one))
    assert len(lost.responses) == 1
    name = spec(folder, {"releases": [{"receipt": one, "times": 100}]})
    content = as_json(run, "--spec", name, "--delta", "1e-6")
    expected = epsilon_at_delta(1, [(lost, 100)], Fraction(1, 10**6))
    assert Fraction(content["exact"]["epsilon"]) == expected
    assert expected < 5 < as_json(run, "--spec", name)["epsilon"]
    assert "with delta 1e-06" in run("account", "--spec", name, "--delta", "1e-6").out


SPEC: dict[str, Any] = {
    "framework": {"chain": "chain.json", "initial": "stationary"},
    "budget": "6",
    "releases": [
        {"name": "whole", "length": 60, "loss": "0.1", "times": 3},
        {"length": 60, "loss": 0.25, "start": 10, "stop": 30},
        {"values": ["0.5", 1, 0.25], "person": "ann"},
    ],
}
TOML = """
budget = 6
[framework]
chain = "chain.json"
initial = "stationary"
[[releases]]
name = "whole"
length = 60
loss = "0.1"
times = 3
[[releases]]
length = 60
loss = 0.25
start = 10
stop = 30
[[releases]]
values = ["0.5", 1, 0.25]
person = "ann"
"""


def test_a_spec_file(run: Run, folder: Path) -> None:
    content = as_json(run, "--spec", spec(folder, SPEC))
    accountant = (
        Accountant(MarkovFramework(MarkovChain.from_json(CHAIN), initial="stationary"))
        .add(RecordLoss.constant(60, "0.1"), times=3, name="whole")
        .add(RecordLoss.segment(60, 10, 30, "0.25"), name="release 1")
        .add(RecordLoss.from_values(["0.5", 1, "0.25"]), person="ann", name="release 2")
    )
    assert Fraction(content["exact"]["epsilon"]) == accountant.epsilon()
    assert content["releases"] == 5
    assert content["within_budget"] is True
    assert content["explanation"] == accountant.explain().to_json()
    assert as_json(run, "--spec", spec(folder, TOML, "spec.toml")) == content
    over = run("account", "--spec", "spec.json", "--budget", "0.1")
    assert over.code == 1  # what is typed counts
    independent = as_json(run, "--spec", "spec.json", "--unit", "1")
    assert independent["epsilon"] < content["epsilon"]
    assert "of person ann" in run("account", "--spec", "spec.json").out


def test_files_are_looked_for_beside_the_spec(run: Run, folder: Path) -> None:
    one = table(run)
    inner = folder / "inner"
    inner.mkdir()
    (inner / one).write_text((folder / one).read_text(encoding="utf-8"), encoding="utf-8")
    (inner / "unit.json").write_text(
        json.dumps({"kind": "independent-records", "unit": 1}), encoding="utf-8"
    )
    content = {"framework": "unit.json", "releases": [{"receipt": one}], "delta": "1e-9"}
    name = spec(inner, content)
    assert 0.9 < as_json(run, "--spec", f"inner/{name}")["epsilon"] <= 1.000001
    done = run("account", one, "--spec", f"inner/{name}")
    assert "counts each time" in done.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"releases": [{"length": 3}]}, "releases[0]: it has none, or several"),
        ({"releases": [{"loss": 1}]}, "releases[0]: it has none, or several"),
        ({"releases": [{"loss": 1, "start": 2}]}, "releases[0]: its length is missing"),
        ({"releases": [{"values": [1], "length": 1}]}, "releases[0]: it has none, or several"),
        ({"releases": [{"length": 3, "loss": -1}]}, "releases[0]: A record loss cannot"),
        ({"releases": [{"length": 3, "loss": "x"}]}, "releases[0]: record loss is not a finite"),
        ({"releases": [{"length": 3, "loss": True}]}, "releases[0].loss"),
        ({"releases": [{"length": 3, "loss": 1, "stop": 9}]}, "releases[0]: The segment 0..9"),
        ({"releases": [{"length": 3, "loss": 1, "times": -1}]}, "releases[0]: times is below 0"),
        ({"releases": [], "extra": 1}, "extra"),
        ({"framework": {}}, "neither, or both, of a unit"),
        ({"framework": {"unit": 1, "chain": "chain.json"}}, "neither, or both, of a unit"),
        ({"framework": {"unit": 0}}, "unit must be at least 1"),
        ({"framework": {"unit": 1}, "budget": "lots"}, "budget is not a finite number"),
        ({"releases": [{"length": 3, "loss": 1}]}, "How many records belong together"),
        ("{", "spec.json cannot be used: line 1 is not JSON"),
    ],
)
def test_spec_files_that_cannot_be_used(run: Run, folder: Path, content: Any, message: str) -> None:
    done = run("account", "--spec", spec(folder, content))
    assert done.code == 2
    assert message in done.error


def test_toml_that_cannot_be_used(run: Run, folder: Path) -> None:
    assert "it is not TOML" in run("account", "--spec", spec(folder, "= 1", "a.toml")).error
    (folder / "b.toml").write_bytes(b"\xff")
    assert "it is not TOML text" in run("account", "--spec", "b.toml").error
    assert "There is no file c.toml" in run("account", "--spec", "c.toml").error
    (folder / "d.toml").mkdir()
    assert "cannot be read" in run("account", "--spec", "d.toml").error


def test_what_is_not_a_receipt(run: Run, folder: Path) -> None:
    (folder / "no.json").write_text("{}", encoding="utf-8")
    done = run("account", "no.json")
    assert (done.code, "not the receipt of a release" in done.error) == (1, True)


# --------------------------------------------------------------------------- a newcomer's slips


def test_a_framework_that_assumes_more_than_the_release_is_warned_about(run: Run) -> None:
    command = ("release", "query", *DIARY, "--query", "histogram", "--chain", "chain.json")
    path = receipt_of(run, "any.csv", *command, "--initial", "any", "-e", "1")
    more = run("account", path, "--framework", "chain.json")
    assert (more.code, "another start, than the framework given" in more.err) == (0, True)
    same = run("account", path, "--framework", "chain.json", "--initial", "any")
    assert (same.code, same.err) == (0, "")


def test_a_sum_that_is_a_rounding_above_the_budget_says_so(run: Run, folder: Path) -> None:
    entry = {"length": 10, "loss": 0.1}
    path = spec(folder, {"budget": 1, "framework": {"unit": "all"}, "releases": [entry]})
    done = run("account", "--spec", path)
    assert done.code == 1
    first = done.out.splitlines()[0]
    assert "of a budget of 1: less than 0.00001 too much. Losses are rounded up" in first
    assert "budget a little above" in first


def test_no_budget_and_no_delta_are_told(run: Run) -> None:
    path = table(run)
    assert run("account", path).out.splitlines()[0] == "1 release: epsilon 1; no budget was given."
    assert "Without the delta:\nEpsilon 1 in all" in run("account", path, "--delta", "1e-6").out
    assert run("account", path, "--budget", "5").out.splitlines()[0].endswith("5: 4 is left.")


def test_what_is_left_is_exact_in_json(run: Run) -> None:
    made = json.loads(run("account", table(run), "--budget", "37/10", "--json").out)["exact"]
    left = Fraction(made["budget"]) - Fraction(made["epsilon"])
    assert Fraction(made["remaining"]) == left > 0


def test_a_receipt_that_is_missing_has_a_remedy_of_this_command(run: Run, folder: Path) -> None:
    error = run("account", "none.json").error
    assert error.startswith("There is no file none.json. Check the path;")
    path = spec(folder, {"framework": {"unit": 1}, "releases": [{"receipt": "none.json"}]})
    assert "the folder of the spec file" in run("account", "--spec", path).error


def test_reasons_are_told_once(run: Run) -> None:
    out = run("account", table(run)).out
    assert "II.6, III.1, III.3, III.7: the records are independent" in out
    assert "record 0 (counted from 0) is worst" in out


def test_an_explanation_of_nothing_says_no_more() -> None:
    assert str(Accountant(IndependentRecords()).explain()).startswith(
        "Epsilon 0 in all: nothing was lost.\n"
    )
