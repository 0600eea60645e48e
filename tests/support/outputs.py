"""Runs of the command line with --json: every command, in the modes in which it says other things.

Contract. The runs of `RUNS` are made in order, in one folder: a later one reads what an earlier one
wrote. Each has the name of the schema its output must satisfy, and the exit code it must have.
"""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import privet
from privet.cli import main

DATASETS = Path(privet.__file__).parent / "datasets"
VOTERS, INCOME, QUINTILES, INFECTION, GEOMETRIC, SPENDS = (
    str(DATASETS / name)
    for name in (
        "voters.csv",
        "income.csv",
        "quintiles.json",
        "infection.toml",
        "geometric.csv",
        "spends.json",
    )
)

_SYMBOLIC = """
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
_FREE = """
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
_FILES = {
    "wide.csv": "who,m1,m2,m3\na,home,work,sick\nb,work,work,home\nc,home,home,\n",
    "marked.csv": "vote,age,weight\nyes,1,2\nno,,1\nperhaps,2,1.5\nyes,2,3\n",
    "week.csv": "day,state\n3,sick\n1,home\n2,work\n4,home\n",
    "symbolic.toml": _SYMBOLIC,
    "free.toml": _FREE,
    "revealing.csv": "1,0\n0,1\n",
    "steps.json": json.dumps(
        {
            "kind": "language",
            "alphabet": ["home", "work", "sick"],
            "allowed": [[1, 1, 1], [1, 1, 1], [1, 0, 1]],
        }
    ),
    "states.json": json.dumps(
        {
            "kind": "markov-chain",
            "states": ["home", "work", "sick"],
            "initial": ["1/3", "1/3", "1/3"],
            "transition": [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/2", "0", "1/2"]],
        }
    ),
    "unit.json": json.dumps(
        {
            "framework": {"unit": 2},
            "releases": [
                {"name": "a", "length": 10, "loss": "0.1", "times": 2},
                {"name": "b", "values": [0.1, "1/3"], "person": "ann"},
            ],
        }
    ),
    "nothing.json": json.dumps({"framework": {"unit": 1}, "budget": 1, "releases": []}),
}


@dataclass(frozen=True)
class Run:
    """One run: the schema of what it prints, its arguments but for --json, its exit code."""

    schema: str
    arguments: tuple[str, ...]
    code: int = 0

    def __str__(self) -> str:
        shown = (argument.removeprefix(f"{DATASETS}/") for argument in self.arguments)
        return " ".join(shown)


@dataclass(frozen=True)
class Done:
    """What a run did."""

    code: int
    out: str
    err: str

    @property
    def content(self) -> Any:
        """The one JSON value on its standard output."""
        return json.loads(self.out)


def _run(schema: str, arguments: str, code: int = 0) -> Run:
    names = {
        "VOTERS": VOTERS,
        "INCOME": f"{INCOME} --id state --time year --state quintile",
        "QUINTILES": QUINTILES,
        "INFECTION": INFECTION,
        "GEOMETRIC": GEOMETRIC,
        "SPENDS": SPENDS,
        "WEEK": "week.csv --time day --state state",
        "WIDE": "wide.csv --columns m1,m2,m3",
        "ACCOUNT": "--ledger spend.db --account voters",
    }
    words = " ".join(names.get(word, word) for word in arguments.split(" "))
    return Run(schema, tuple(words.split(" ")), code)


RUNS = (
    _run("demo", "demo"),
    # Plans, of words and of queries.
    _run("plan", "plan --symbols a,b,c -e 1/2,2 -n 4 -b 2"),
    _run("plan", "plan --alphabet-size 2 -e 1 --delta 1e-6 --rows 944 --plot errors.svg"),
    _run("plan", "plan --column vote=yes,no --column age=1,2,3 -e 1,2 --rows 900 --plot table.svg"),
    _run("plan", "plan --column vote=yes,no -e 1 --rows-per-person 3"),
    _run("plan", "plan --chain QUINTILES -n 5 -e 3"),
    _run("plan", "plan --language steps.json --chain states.json -n 3 -e 3"),
    _run(
        "plan",
        "plan --query histogram --chain states.json --initial any --length 9 -e 1,5 --persons 2",
    ),
    _run("plan", "plan --query share=work --chain states.json -n 6 -e 1 --nodes 0:3 --plot q.svg"),
    # Releases without a ledger.
    _run(
        "release-table", "release table VOTERS -c vote=Clinton,Dole -c tv_news=0..7 -e 2 -o t.csv"
    ),
    _run(
        "release-table",
        "release table marked.csv -c vote=yes,no --other vote=else -c age=1,2 --missing age=none "
        "--delta 1e-6 --keep weight -e 3 -o m.csv",
    ),
    _run("release-words", "release words INCOME --symbols 1..5 -e 6 -b 2 -o w.csv"),
    _run(
        "release-words",
        "release words INCOME --symbols 1..5 -e 6 --mechanism staircase -o stairs.csv",
    ),
    _run(
        "release-words",
        "release words INCOME --symbols 1..5 -e 6 --mechanism permute-and-flip -o flip.csv",
    ),
    _run(
        "release-words",
        "release words INCOME --symbols 1..5 -e 6 --mechanism exponential -o exp.csv",
    ),
    _run("release-words", "release words INCOME -e 6 --decode QUINTILES -o d.csv"),
    _run(
        "release-words",
        "release words WIDE --ragged --missing sick --language steps.json -e 3 -o wide-out.csv",
    ),
    _run("release-words", "release words WIDE --ragged --symbols home,work,sick -e 3 -o rag.csv"),
    _run(
        "release-query",
        "release query WEEK --query histogram --chain states.json --initial any -e 1 -o h.csv",
    ),
    _run(
        "release-query",
        "release query WEEK --query share=work,sick --chain states.json -e 1 --nodes 0:3 -o s.json",
    ),
    _run(
        "release-query",
        "release query WEEK --query mean --levels "
        "home=0,work=1,sick=2.5 --chain states.json -e 1 --method published -o mean.csv",
    ),
    _run(
        "release-query",
        "release query WEEK --query count=work --chain "
        "states.json -e 1 --method wasserstein -o count.csv",
    ),
    _run(
        "release-query",
        "release query WEEK --query transitions --chain states.json -e 1 -o moves.csv",
    ),
    _run(
        "release-query",
        "release query WEEK --query run-lengths=3 --chain "
        "states.json -e 1 --method group -o runs.csv",
    ),
    # What is made of releases.
    _run("estimate", "estimate t.csv --plot shares.svg"),
    _run("estimate", "estimate t.csv -c vote,tv_news --confidence 0.9 --variance sampling"),
    _run("estimate", "estimate m.csv -c vote --weights weight"),
    _run("estimate", "estimate w.csv"),
    _run("decode", "decode w.csv --chain QUINTILES -o decoded.csv"),
    _run("decode", "decode w.csv --chain QUINTILES --method marginals -o marginals.csv"),
    _run("fit", "fit INCOME --symbols 1..5 --pseudocount 1 -o chain.json"),
    _run("fit", "fit w.csv --receipt w.csv.receipt.json -o learnt.json"),
    _run("fit", "fit INCOME --symbols 1..5 --box -o box.json"),
    _run("release-words", "release words INCOME -e 6 --decode learnt.json -o twice.csv"),
    _run("plan", "plan --query count=1 --box box.json -n 9 -e 1"),
    # What releases cost.
    _run("account", "account --spec SPENDS"),
    _run("account", "account --spec SPENDS --budget 0.1", 1),
    _run("account", "account --spec unit.json --delta 1e-6"),
    _run("account", "account --spec nothing.json"),
    _run("account", "account t.csv.receipt.json t.csv.receipt.json --delta 1e-6"),
    _run("account", "account h.csv.receipt.json --budget 5"),
    _run("ledger-init", "ledger init ACCOUNT --budget 3"),
    _run(
        "ledger-init",
        "ledger init --ledger spend.db --account years --budget 3 --chain states.json "
        "--initial any",
    ),
    _run("ledger-budget", "ledger budget ACCOUNT --budget 4"),
    _run("plan", "plan --alphabet-size 2 -e 1,9 ACCOUNT"),
    _run(
        "plan",
        "plan --query histogram --chain states.json --initial any -n 4 -e 1 --ledger spend.db "
        "--account years",
    ),
    _run("release-table", "release table VOTERS -c vote=Clinton,Dole -e 1 -o paid.csv ACCOUNT"),
    _run(
        "release-query",
        "release query WEEK --query histogram --chain states.json --initial any -e 1 -o paid-h.csv "
        "--ledger spend.db --account years",
    ),
    _run("ledger-void", "ledger void RESERVED --ledger spend.db --reason nothing-left"),
    _run("ledger-show", "ledger show --ledger spend.db"),
    _run("ledger-show", "ledger show ACCOUNT --plot spent.svg"),
    _run("ledger-show", "ledger show --ledger spend.db --account years"),
    _run("ledger-verify", "ledger verify --ledger spend.db"),
    _run("ledger-export", "ledger export --ledger spend.db"),
    _run("ledger-export", "ledger export --ledger spend.db -o rows.json"),
    _run("report", "report spend.db -o ledger.html"),
    _run("report", "report t.csv.receipt.json -o release.html"),
    # Proofs and counterexamples.
    _run("verify-model", "verify model INFECTION --save-certificate proof.json"),
    _run("verify-model", "verify model INFECTION --ratio 4 --save-certificate word.json", 1),
    _run("verify-model", "verify model INFECTION -e 3 -n 1..3 --pictures drawn"),
    _run(
        "verify-model", "verify model INFECTION -n 40 --ratio 13.0868179 --time-limit 0.000001", 3
    ),
    _run("verify-model", "verify model symbolic.toml"),
    _run("verify-model", "verify model symbolic.toml --ratio 1.9", 1),
    _run("verify-model", "verify model free.toml --save-certificate found.json"),
    _run("verify-model", "verify model free.toml --ratio 1", 1),
    _run("verify-certificate", "verify certificate proof.json"),
    _run("verify-certificate", "verify --certificate word.json"),
    _run("verify-certificate", "verify certificate wide-out.csv.receipt.json"),
    _run("verify-certificate", "verify certificate CHANGED", 1),
    _run("verify-mechanism", "verify mechanism GEOMETRIC"),
    _run("verify-mechanism", "verify mechanism GEOMETRIC --ratio 2 --neighbours adjacent"),
    _run("verify-mechanism", "verify mechanism GEOMETRIC -e 0.1 --delta 1e-9 --plot p.svg", 1),
    _run("verify-mechanism", "verify mechanism revealing.csv --ratio 2", 1),
    _run("verify-library", "verify library"),
    _run("verify-library", "verify library report-noisy-max moved=one"),
    _run("verify-library", "verify library report-noisy-max moved=one --ratio 2 --save max.json"),
    _run("verify-model", "verify model max.json"),
    # What goes wrong: usage, refusals, no answer.
    _run("error", "", 2),
    _run("error", "plan", 2),
    _run("error", "verify", 2),
    _run("error", "nothing", 2),
    _run("error", "plan --symbols a,b -e -1", 2),
    _run("error", "release table VOTERS -c vote=Clinton -c tv_news=0..7 -e 1 -o no.csv", 2),
    _run("error", "release table VOTERS -c vote=Clinton,Nobody -e 1 -o no.csv", 1),
    _run("error", "release table VOTERS -c vote=Clinton,Dole -e 9 -o no.csv ACCOUNT", 1),
    _run("error", "release table none.csv -c vote=a,b -e 1 -o no.csv", 1),
    _run("error", "verify certificate none.json", 2),
    _run("error", "verify model none.toml", 2),
    _run("error", "ledger show", 2),
)


def prepare(folder: Path) -> None:
    """The files that runs read and none wrote."""
    for name, text in _FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def perform(run: Run) -> Done:
    """Make a run in the current folder, in this process."""
    out, err = io.StringIO(), io.StringIO()
    arguments = [_DERIVED[each]() if each in _DERIVED else each for each in run.arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*arguments, "--json"])
    return Done(code, out.getvalue(), err.getvalue())


def _changed() -> str:
    """The path of a proof of which one number was changed."""
    text = Path("proof.json").read_text(encoding="utf-8")
    Path("changed.json").write_text(text.replace('"14"', '"13"'), encoding="utf-8")
    return "changed.json"


def _reserved() -> str:
    """A new entry of the ledger of which nothing was given out."""
    with privet.Ledger.open("spend.db") as ledger:
        loss = privet.RecordLoss.constant(944, "1/2")
        return str(ledger.account("voters").reserve(loss, note="a process that died").id)


_DERIVED = {"CHANGED": _changed, "RESERVED": _reserved}
"""Arguments that are made of what earlier runs wrote."""
