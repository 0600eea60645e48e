"""`privet decode`, and chains that say which release they were learnt from."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privet import Language, MarkovChain, read_model
from privet.data import read_table
from privet.releasing import Receipt

Run = Callable[..., Any]

ROLES = ("--id", "who", "--time", "month", "--state", "state")
WORDS = ("release", "words", "diary.csv", *ROLES, "-e", "2", "-o", "out.csv")
DECODE = ("decode", "out.csv", "--chain", "chain.json", "-o", "decoded.csv")
STATES = ["home", "work", "sick"]
CHAIN = {
    "kind": "markov-chain",
    "states": STATES,
    "initial": ["1/2", "1/2", 0],
    "transition": [["1/2", "1/2", 0], ["1/4", "1/2", "1/4"], ["1/2", 0, "1/2"]],
}


@pytest.fixture(autouse=True)
def chain(folder: Path) -> None:
    (folder / "chain.json").write_text(json.dumps(CHAIN), encoding="utf-8")


@pytest.mark.parametrize("method", ["viterbi", "marginals", "sample"])
def test_a_release_is_decoded_later(run: Run, folder: Path, method: str) -> None:
    assert run(*WORDS, "--symbols", "home,work,sick", "--keep", "note").code == 0
    made = Receipt.read(folder / "out.csv.receipt.json")
    done = run(*DECODE, "--method", method)
    assert done.code == 0, done.err
    assert "randomised response, decoded" in done.out
    assert "nothing was spent" in done.err
    known = Receipt.read(folder / "decoded.csv.receipt.json")
    assert known.guarantee.epsilon == made.guarantee.epsilon == 2
    assert known.spent == made.spent
    assert known.layout["decoded"]["method"] == method
    assert known.layout["decoded_from"]["name"] == "out.csv"
    before, after = read_table(folder / "out.csv"), read_table(folder / "decoded.csv")
    assert after.drop_columns("state").equals(before.drop_columns("state"))
    if method != "marginals":
        rows = sorted(after.to_pylist(), key=lambda row: (row["who"], row["month"]))
        language = Language.from_chain(MarkovChain.from_json(CHAIN))
        for who in ("a", "b"):
            assert language.contains([row["state"] for row in rows if row["who"] == who])
    for refused in (
        run("estimate", "decoded.csv"),
        run("decode", "decoded.csv", "--chain", "chain.json", "-o", "twice.csv"),
    ):
        assert (refused.code, "decoded" in refused.error) == (1, True)
    again = run(*DECODE)
    assert (again.code, "exists" in again.error) == (1, True)
    shown = json.loads(run(*DECODE, "--overwrite", "--json").out)
    assert shown["receipt"]["layout"]["decoded"]["method"] == "viterbi"


@pytest.mark.parametrize(
    ("code", "place", "options"),
    [
        (1, "no file none.csv", ("none.csv", "--chain", "chain.json", "-o", "d.csv")),
        (1, "no file room.json. Check", ("out.csv", "--chain", "room.json", "-o", "d.csv")),
        (1, "receipt", ("diary.csv", "--chain", "chain.json", "-o", "d.csv")),
        (2, "no decoding 'best'", ("out.csv", "--chain", "chain.json", "-o", "d.csv", "best")),
        (2, "never overwritten", ("out.csv", "--chain", "chain.json", "-o", "out.csv")),
        (2, "never overwritten", ("out.csv", "--chain", "chain.json", "-o", "chain.json")),
    ],
)
def test_what_is_not_decoded(
    run: Run, folder: Path, code: int, place: str, options: tuple[str, ...]
) -> None:
    assert run(*WORDS, "--symbols", "home,work,sick").code == 0
    given = (*options[:-1], "--method", "best") if options[-1] == "best" else options
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = run("decode", *given, "--overwrite")
    assert (done.code, place in done.error) == (code, True), done.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_learnt_chain_names_its_release(run: Run, folder: Path) -> None:
    assert run(*WORDS, "--symbols", "home,work,sick").code == 0
    learn = ("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "learnt.json")
    fitted = run(*learn, "--pseudocount", "1")
    assert fitted.code == 0, fitted.err
    assert "the epsilons of the two add up" in fitted.err
    model = read_model(folder / "learnt.json")
    made = Receipt.read(folder / "out.csv.receipt.json")
    assert isinstance(model, MarkovChain)
    assert model.learnt_from == {
        "file": "out.csv",
        "sha256": (made.output or {})["sha256"],
        "epsilon": "2",
    }
    own = run("decode", "out.csv", "--chain", "learnt.json", "-o", "decoded.csv")
    assert "this very release, which costs nothing" in own.err
    assert Receipt.read(folder / "decoded.csv.receipt.json").guarantee == made.guarantee
    second = ("release", "words", "diary.csv", *ROLES, "-e", "1", "-o", "second.csv")
    for option in ("--decode", "--language"):
        warned = run(*second, option, "learnt.json", "--outside", "refuse", "--overwrite")
        assert warned.code == 0, warned.err
        assert "learnt from the release out.csv of epsilon 2" in warned.err
        assert "the two add up" in warned.err
    public = run(*second, "--decode", "chain.json", "--overwrite")
    assert "add up" not in public.err
    assert "or learnt from a release that is accounted for separately" in public.out
