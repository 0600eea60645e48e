"""Queries about series on the command line: `release query`, `plan --query`, `fit --box`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privet import MarkovChain, datasets, read_model
from privet.data import read_table
from privet.mechanisms import MarkovLaplace, MarkovQuilt, Wasserstein
from privet.privacy import MarkovFramework
from privet.queries import count, histogram, mean, run_lengths, share
from privet.releasing import Answer, Receipt

Run = Callable[..., Any]

SECRET = "Eisenhower"
STATES = ["home", "work", "sick"]
CHAIN: dict[str, Any] = {
    "kind": "markov-chain",
    "states": STATES,
    "initial": ["1/3", "1/3", "1/3"],
    "transition": [["3/5", "1/5", "1/5"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]],
}
BOX: dict[str, Any] = {
    "kind": "chain-box",
    "states": STATES,
    "lower": [["0.5", "0.1", "0.1"], ["0.2", "0.4", "0.2"], ["0.2", "0.2", "0.4"]],
    "upper": [["0.7", "0.3", "0.3"], ["0.3", "0.6", "0.3"], ["0.3", "0.3", "0.6"]],
}
DIARY = ("diary.csv", "--id", "who", "--time", "month", "--state", "state")
QUERY = ("release", "query", *DIARY, "--chain", "chain.json", "-e", "1", "-o", "out.csv")
PLAN = ("plan", "--query", "histogram", "--chain", "chain.json", "--length", "50", "-e", "1")
ODD = (
    *("release", "query", "odd.csv", "--time", "day", "--state", "state"),
    *("--query", "histogram", "-e", "1", "-o", "out.csv"),
)


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    contents = {
        "chain": CHAIN,
        "start": {**CHAIN, "initial": [0, 1, 0]},
        "strict": {**CHAIN, "transition": [["1/2", "1/2", 0], ["1/2", "1/2", 0], [0, 0, 1]]},
        "periodic": {**CHAIN, "transition": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]},
        "others": {**CHAIN, "states": ["home", "work", "play"]},
        "box": BOX,
        "empty": {**BOX, "upper": BOX["lower"]},
        "crossed": {**BOX, "lower": BOX["upper"], "upper": BOX["lower"]},
        "hidden": {
            "kind": "hidden-markov-model",
            "transition": [[1, 0], [0, 1]],
            "emission": [[1, 0], [0, 1]],
        },
    }
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "week.csv").write_text(
        "day,state\n3,sick\n1,home\n2,work\n4,home\n", encoding="utf-8"
    )


def receipt(folder: Path, name: str = "out.csv") -> Receipt:
    return Receipt.read(folder / f"{name}.receipt.json")


def test_a_release(run: Run, folder: Path) -> None:
    done = run(*QUERY, "--query", "histogram")
    assert (done.code, done.err) == (0, "")
    known = receipt(folder)
    told = " ".join(done.out.split())
    assert known.sentence in told
    for piece in (
        "the number of series (2) and of the steps of each (2)",
        "Each number is expected to be off by",
        "with probability 95.0 %",
        "Epsilon spent: ",
        "Answer: out.csv",
        "Receipt: out.csv.receipt.json",
    ):
        assert piece in told
    rows = read_table(folder / "out.csv").to_pylist()
    assert [row["state"] for row in rows] == STATES
    assert known.mechanism() == MarkovLaplace(
        MarkovFramework(MarkovChain.from_json(CHAIN)), epsilon=1
    )
    for text in (told, (folder / "out.csv.receipt.json").read_text(encoding="utf-8")):
        assert "realised" not in text


def test_json_is_the_answer_and_the_receipt(run: Run, folder: Path) -> None:
    command = [*QUERY]
    command[-1] = "out.json"
    done = run(*command, "--query", "share=work,sick", "--json")
    content = json.loads(done.out)
    assert content["receipt"] == receipt(folder, "out.json").to_json()
    assert content["answer"] == json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert content["answer"][0]["states"] == "work or sick"
    assert content["receipt_file"] == "out.json.receipt.json"


def test_there_is_nothing_to_estimate_or_to_fit(run: Run, folder: Path) -> None:
    assert run(*QUERY, "--query", "histogram").code == 0
    done = run("estimate", "out.csv")
    assert (done.code, "nothing is left to estimate" in done.error) == (1, True)
    done = run("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "new.json")
    assert (done.code, "not of released sequences" in done.error) == (1, True)
    assert not (folder / "new.json").exists()


def test_missing_and_other_states(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("day,state\n1,home\n2,\n3,play\n", encoding="utf-8")
    odd = (*ODD, "--chain", "chain.json")
    assert run(*odd).code == 1
    assert run(*odd, "--missing", "work", "--other", "state=sick").code == 0
    part = receipt(folder).parts[0]
    assert (part.missing, part.other) == ("work", "sick")
    done = run(*odd, "--missing", "asleep", "--other", "sick", "--overwrite")
    assert (done.code, "'asleep' is not in the alphabet" in done.error) == (2, True)


@pytest.mark.parametrize(
    ("option", "cell"), [("--missing", ""), ("--other", "play")], ids=["missing", "other"]
)
def test_stand_ins_of_wide_tables_hold_for_all_columns(
    run: Run, folder: Path, option: str, cell: str
) -> None:
    (folder / "gaps.csv").write_text(f"t1,t2\nhome,{cell}\nwork,sick\n", encoding="utf-8")
    chain = ("--chain", "chain.json", "-e", "1", "-o", "out.csv")
    command = ("release", "query", "gaps.csv", "--columns", "t1,t2", "-q", "histogram", *chain)
    done = run(*command)
    assert (done.code, f"{option} SYMBOL" in done.error) == (1, True)
    for more in (("t2=sick",), ("t1=sick",), ("sick", option, "work")):
        done = run(*command, option, *more)
        assert (done.code, option in done.error) == (2, True)
        assert not (folder / "out.csv").exists()
    assert run(*command, option, "sick").code == 0
    assert getattr(receipt(folder).parts[0], option[2:]) == "sick"


def test_a_model_is_not_called_the_input(run: Run, folder: Path) -> None:
    done = run(*QUERY[:-1], "chain.json", "--query", "histogram")
    assert (done.code, "chain.json is the model file" in done.error) == (2, True)
    assert json.loads((folder / "chain.json").read_text(encoding="utf-8")) == CHAIN


def test_one_series_and_wide_tables(run: Run, folder: Path) -> None:
    more = ("--chain", "chain.json", "--query", "count=sick", "-e", "1", "-o", "out.csv")
    one = ("release", "query", "week.csv", "--time", "day", "--state", "state")
    assert run(*one, *more).code == 0
    assert receipt(folder).shape["steps"] == 4
    wide = ("release", "query", "wide.csv", "--columns", "m1..m3", *more)
    assert run(*wide, "--overwrite", "--nodes", "0:2").code == 0
    known = receipt(folder)
    assert known.shape["series"] == 2
    assert "only the steps 0 to 1" in known.sentence


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("histogram", histogram()),
        ("count=sick", count("sick")),
        ("share=sick, work", share(["sick", "work"])),
        ("run-lengths=3", run_lengths(3)),
        ("run-lengths=3,work", run_lengths(3, "work")),
    ],
)
def test_every_query(run: Run, folder: Path, text: str, query: Any) -> None:
    assert run(*QUERY, "--query", text).code == 0
    part = receipt(folder).parts[0]
    assert isinstance(part, Answer)
    framework = MarkovFramework(MarkovChain.from_json(CHAIN))
    expected = MarkovLaplace(framework, epsilon=1).noise_scale(query, 2)
    assert part.noise_scale * part.divisor == expected


def test_a_mean_of_levels(run: Run, folder: Path) -> None:
    levels = ("--levels", "home=0,work=7.5, sick=0")
    assert run(*QUERY, "--query", "mean", *levels).code == 0
    part = receipt(folder).parts[0]
    assert isinstance(part, Answer)
    assert part.query == mean({"home": 0, "work": "7.5", "sick": 0}).to_json()
    assert read_table(folder / "out.csv").column("statistic").to_pylist() == ["mean level"]


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("best", MarkovLaplace),
        ("propagation", MarkovLaplace),
        ("quilt", MarkovLaplace),
        ("group", MarkovLaplace),
        ("published", MarkovQuilt),
        ("approximate", MarkovQuilt),
        ("wasserstein", Wasserstein),
    ],
)
def test_every_method(run: Run, folder: Path, method: str, kind: type) -> None:
    assert run(*QUERY, "--query", "count=sick", "--method", method).code == 0
    assert type(receipt(folder).mechanism()) is kind


def test_several_chains_a_box_and_the_start(run: Run, folder: Path) -> None:
    def framework() -> Any:
        mechanism: Any = receipt(folder).mechanism()
        return mechanism.framework

    histogram_of = ("--query", "histogram", "--overwrite")
    first, second = (
        MarkovChain.from_json(json.loads((folder / f"{name}.json").read_text()))
        for name in ("chain", "start")
    )
    assert run(*QUERY, *histogram_of, "--chain", "start.json").code == 0
    assert framework() == MarkovFramework([first, second])
    assert run(*QUERY, *histogram_of, "--initial", "any").code == 0
    assert framework() == MarkovFramework(first, initial="any")
    boxed = ("release", "query", *DIARY, "--box", "box.json", "-e", "1", "-o", "out.csv")
    assert run(*boxed, *histogram_of).code == 0
    assert framework() == MarkovFramework(read_model(folder / "box.json"))  # type: ignore[arg-type]  # it is a box


def test_a_chain_fitted_to_the_very_file(run: Run, folder: Path) -> None:
    done = run(*QUERY, "--query", "histogram", "--chain-from-data")
    assert done.code == 0
    assert done.err.startswith("privet: warning: The chains were fitted to the protected series")
    assert "fitted to the very series" in receipt(folder).sentence


def test_the_plan(run: Run) -> None:
    done = run(*PLAN)
    assert (done.code, done.err) == (0, "")
    for piece in ("group DP", "MQM approximate", "MQM exact", "propagation", "best of both *"):
        assert piece in done.out
    assert "histogram of one series of 50 steps" in done.out
    assert "Recommended: MarkovLaplace" in done.out
    assert "Wasserstein: The Wasserstein mechanism answers counts" in done.out


def test_the_plan_as_json_and_of_people(run: Run) -> None:
    done = run(*PLAN, "--persons", "30", "-e", "2", "--nodes", "0:10", "--json")
    plans = json.loads(done.out)["plans"]
    assert [plan["epsilon"] for plan in plans] == [1.0, 2.0]
    assert {plan["persons"] for plan in plans} == {30}
    assert plans[0]["nodes"] == [0, 10]
    assert plans[0]["recommended_method"] == "best"


def test_a_plan_says_when_quilts_cannot_help(run: Run, folder: Path) -> None:
    slow = {
        **CHAIN,
        "transition": [
            ["0.99", "0.005", "0.005"],
            ["0.005", "0.99", "0.005"],
            ["0.005", "0.005", "0.99"],
        ],
    }
    (folder / "slow.json").write_text(json.dumps(slow), encoding="utf-8")
    done = run("plan", "--query", "histogram", "--chain", "slow.json", "-n", "30", "-e", "1")
    assert "The Markov Quilt Mechanism cannot help here" in " ".join(done.out.split())


def test_the_plot(run: Run, folder: Path) -> None:
    command = (*PLAN, "--plot", "noise.svg")
    assert run(*command).code == 0
    first = (folder / "noise.svg").read_bytes()
    assert first.startswith(b"<?xml")
    assert run(*command).code == 1
    assert run(*command, "--overwrite").code == 0
    assert (folder / "noise.svg").read_bytes() == first
    assert run(*PLAN, "--plot", "noise.png").code == 2


def test_a_box_is_made_from_public_series_and_used(run: Run, folder: Path) -> None:
    income = ("--id", "state", "--time", "year", "--state", "quintile", "--symbols", "1..5")
    path = str(datasets.income().path)
    done = run("fit", path, *income, "--box", "--confidence", "0.9", "-o", "region.json")
    assert done.code == 0
    assert "make it from public sequences only" in done.err
    assert "never seen" in done.err
    assert "confidence 90.0 %" in done.out
    box: Any = read_model(folder / "region.json")
    assert float(box.confidence) == 0.9
    more = ("--query", "histogram", "--box", "region.json", "-e", "1", "-o", "out.csv")
    done = run("release", "query", path, *income[:-2], *more)
    assert done.code == 0
    assert "90" in receipt(folder).sentence
    weather = str(datasets.seattle().path)
    seattle = (
        "--id",
        "station",
        "--time",
        "date",
        "--state",
        "weather",
        "--symbols",
        "drizzle,fog,rain,snow,sun",
    )
    as_json = run("fit", weather, *seattle, "--box", "-o", "weather.json", "--json")
    content = json.loads(as_json.out)
    assert content["box"] == json.loads((folder / "weather.json").read_text(encoding="utf-8"))


# ------------------------------------------------------------------------------------- bad input


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


BAD: list[tuple[str, int, str, tuple[str, ...]]] = [
    ("no query", 2, "--query", QUERY),
    ("unknown query", 2, "no query 'median'", (*QUERY, "--query", "median")),
    ("a query without its state", 2, "not said", (*QUERY, "--query", "count")),
    ("unknown state", 2, "'play' is none of the 3 states", (*QUERY, "--query", "count=play")),
    ("every state", 2, "Every state", (*QUERY, "--query", "count=home,work,sick")),
    ("no cap", 2, "no query 'run-lengths'", (*QUERY, "--query", "run-lengths")),
    ("a cap that is no number", 2, "whole number", (*QUERY, "--query", "run-lengths=x")),
    ("a cap of 0", 2, "cap", (*QUERY, "--query", "run-lengths=0")),
    ("no levels", 2, "--levels", (*QUERY, "--query", "mean")),
    ("half the levels", 1, "no level", (*QUERY, "--query", "mean", "--levels", "home=1")),
    ("levels of nothing", 2, "--levels", (*QUERY, "--query", "histogram", "--levels", "home=1")),
    ("levels without a sign", 2, "STATE=NUMBER", (*QUERY, "--query", "mean", "--levels", "home")),
    ("a level twice", 2, "two numbers", (*QUERY, "--query", "mean", "--levels", "home=1,home=2")),
    (
        "no chain",
        2,
        "--chain, or --box",
        ("release", "query", *DIARY, "--query", "histogram", "-e", "1", "-o", "out.csv"),
    ),
    (
        "chain and box",
        2,
        "--chain, or --box",
        (*QUERY, "--query", "histogram", "--box", "box.json"),
    ),
    (
        "a box that is a chain",
        1,
        "chain.json is not a box",
        (
            "release",
            "query",
            *DIARY,
            "--query",
            "histogram",
            "--box",
            "chain.json",
            "-e",
            "1",
            "-o",
            "out.csv",
        ),
    ),
    (
        "a chain that is a box",
        1,
        "box.json is not a Markov chain",
        (
            "release",
            "query",
            *DIARY,
            "--query",
            "histogram",
            "--chain",
            "box.json",
            "-e",
            "1",
            "-o",
            "out.csv",
        ),
    ),
    (
        "a box without chains",
        1,
        "empty.json",
        ("plan", "--query", "histogram", "--box", "empty.json", "-e", "1", "-n", "9"),
    ),
    (
        "a box upside down",
        1,
        "crossed.json",
        ("plan", "--query", "histogram", "--box", "crossed.json", "-e", "1", "-n", "9"),
    ),
    (
        "families with different states",
        1,
        "other states",
        (*QUERY, "--query", "histogram", "--chain", "others.json"),
    ),
    ("an unknown start", 2, "--initial", (*QUERY, "--query", "histogram", "--initial", "now")),
    (
        "an unknown method",
        2,
        "no method 'mqm'",
        (*QUERY, "--query", "histogram", "--method", "mqm"),
    ),
    (
        "a query Wasserstein does not answer",
        2,
        "counts, shares and means",
        (*QUERY, "--query", "histogram", "--method", "wasserstein"),
    ),
    ("nodes", 2, "START:STOP", (*QUERY, "--query", "histogram", "--nodes", "3")),
    ("nodes beyond the series", 2, "range", (*QUERY, "--query", "histogram", "--nodes", "0:9")),
    ("epsilon", 2, "epsilon", (*QUERY, "--query", "histogram", "-e", "nan")),
    ("confidence", 2, "confidence", (*QUERY, "--query", "histogram", "--confidence", "1")),
    ("two kinds of tables", 2, "columns", (*QUERY, "--query", "histogram", "--columns", "note")),
    (
        "no time",
        2,
        "time",
        (
            "release",
            "query",
            "diary.csv",
            "--state",
            "state",
            "--chain",
            "chain.json",
            "--query",
            "histogram",
            "-e",
            "1",
            "-o",
            "out.csv",
        ),
    ),
    (
        "several series taken for one",
        1,
        "have the same 'month'",
        (
            "release",
            "query",
            "diary.csv",
            "--time",
            "month",
            "--state",
            "state",
            "--chain",
            "chain.json",
            "--query",
            "histogram",
            "-e",
            "1",
            "-o",
            "out.csv",
        ),
    ),
    ("an ending", 2, "ending", (*QUERY[:-1], "out.txt", "--query", "histogram")),
    (
        "the chain as the output",
        2,
        "model file",
        (*QUERY[:-1], "chain.json", "--query", "histogram", "--overwrite"),
    ),
    ("a plan of a query with symbols", 2, "--symbols", (*PLAN, "--symbols", "a,b")),
    (
        "a plan without chain",
        2,
        "--chain, or --box",
        ("plan", "--query", "histogram", "-n", "9", "-e", "1"),
    ),
    ("a box for words", 2, "--query", ("plan", "--symbols", "a,b", "--box", "box.json", "-e", "1")),
    (
        "two chains for words",
        2,
        "one chain",
        ("plan", "--chain", "chain.json", "--chain", "start.json", "-e", "1"),
    ),
    ("persons", 2, "persons", (*PLAN, "--persons", "0")),
    (
        "a box from a release",
        2,
        "--box",
        ("fit", "diary.csv", "--box", "--receipt", "chain.json", "-o", "new.json"),
    ),
]


@pytest.mark.parametrize(
    ("code", "place", "arguments"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_input_is_one_line_and_leaves_nothing(
    run: Run, folder: Path, code: int, place: str, arguments: tuple[str, ...]
) -> None:
    before = snapshot(folder)
    done = run(*arguments)
    assert (done.code, place in done.error) == (code, True), (done.code, done.err)
    assert snapshot(folder) == before


def test_reducible_and_periodic_chains_say_which_condition_fails(run: Run) -> None:
    for name, word in (("strict", "reducible|irreducible"), ("periodic", "period")):
        command = [*QUERY]
        command[command.index("chain.json")] = f"{name}.json"
        done = run(*command, "--query", "count=work", "--method", "approximate")
        assert done.code == 1
        assert any(part in done.error for part in word.split("|")), done.error
        plan = run("plan", "--query", "count=work", "--chain", f"{name}.json", "-n", "9", "-e", "1")
        assert plan.code == 0
        assert any(part in plan.out for part in word.split("|"))


def test_data_that_the_chain_cannot_produce_are_named_by_place(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("day,state\n1,home\n2,work\n3,sick\n", encoding="utf-8")
    done = run(*ODD, "--chain", "strict.json")
    assert done.code == 1
    assert "2" in done.error
    assert "sick" not in done.error
    assert not (folder / "out.csv").exists()
    assert run(*ODD, "--chain", "chain.json").code == 0
    (folder / "odd.csv").write_text(f"day,state\n1,{SECRET}\n", encoding="utf-8")
    done = run(*ODD, "--chain", "chain.json", "--overwrite")
    assert done.code == 1
    assert "row 0 of the column 'state'" in done.error
    assert SECRET not in done.err


def test_one_step_and_an_epsilon_too_small_for_any_quilt(run: Run) -> None:
    one = run("plan", "--query", "histogram", "--chain", "chain.json", "-n", "1", "-e", "1")
    assert one.code == 0
    small = run(*PLAN[:-4], "-n", "8", "-e", "1e-6")
    assert small.code == 0
    text = " ".join(small.out.split())
    assert "(group DP)" in text
    assert run(*QUERY, "--query", "histogram", "-e", "1e-6").code == 0


def test_labels_that_are_no_states_are_not_to_be_listed(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("day,state\n1,home\n2,play\n", encoding="utf-8")
    done = run(*ODD, "--chain", "chain.json")
    assert "give a model that has them as states beside (home, work, sick)" in done.error
    assert "list them" not in done.error
