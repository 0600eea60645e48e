"""The order of a charged release: what is spent, and what is there, when something fails."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from numpy.typing import NDArray

from privet import (
    Alphabet,
    IndependentRecords,
    Ledger,
    RandomizedResponse,
    release,
)
from privet.errors import (
    BudgetExceededError,
    LedgerError,
    OutputError,
    RandomnessError,
)
from privet.ledger import Account
from privet.randomness import RandomSource, using_source
from privet.releasing import Receipt
from privet.testing import ReplaySource

DAY = Alphabet(["home", "work", "sick"])
VOTE = Alphabet(["Clinton", "Dole"])
TABLE = pa.table(
    {"who": [1, 1, 2], "vote": ["Clinton", "Dole", "Dole"], "tv": ["home", "sick", "work"]}
)


class NoBits(RandomSource):
    """Whoever draws from it is found out."""

    def fill(self, out: NDArray[Any]) -> None:
        raise RandomnessError(f"There are no {out.nbytes} bytes.")


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger.open("memory:") as opened:
        yield opened


def account(ledger: Ledger, budget: int = 10) -> Account:
    return ledger.account("a0", IndependentRecords(), budget)


def rows_of(epsilon: Any = 1) -> dict[str, RandomizedResponse]:
    return {
        "vote": RandomizedResponse(VOTE, epsilon=epsilon),
        "tv": RandomizedResponse(DAY, epsilon=epsilon),
    }


# ------------------------------------------------------------------------------ order and failures


def test_a_release_above_the_budget_draws_nothing(ledger: Ledger, tmp_path: Path) -> None:
    survey = account(ledger, budget=3)
    release(rows_of(), TABLE, ledger=survey)
    with using_source(NoBits()), pytest.raises(BudgetExceededError) as caught:
        release(rows_of(), TABLE, ledger=survey, output=tmp_path / "out.csv")
    assert caught.value.payload["budget"] == 3
    assert list(tmp_path.iterdir()) == []
    assert len(survey.history()) == 3


def test_a_draw_that_fails_stays_charged(ledger: Ledger) -> None:
    survey = account(ledger)
    with using_source(NoBits()), pytest.raises(RandomnessError, match="stays charged") as caught:
        release(rows_of(), TABLE, ledger=survey)
    entry = survey.history()[-1]
    assert (entry.state, entry.spent) == ("reserved", survey.spent())
    assert str(entry.reservation) in caught.value.hint
    assert survey.spent() > 0


def test_an_interrupt_in_the_draw_stays_charged_and_says_so(ledger: Ledger) -> None:
    def stop(stage: str, _done: int, _total: int) -> None:
        if stage.startswith("drawing"):
            raise KeyboardInterrupt

    survey = account(ledger)
    with pytest.raises(KeyboardInterrupt) as caught:
        release(rows_of(), TABLE, ledger=survey, progress=stop)
    assert [note[:24] for note in caught.value.__notes__] == ["The release stays charge"]
    assert survey.spent() > 0


def test_what_fails_between_reserving_and_drawing_is_given_back(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing real fails there; an interrupt may come."""
    from privet.releasing import paying

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(paying, "_facts", interrupt)
    survey = account(ledger)
    with using_source(NoBits()), pytest.raises(KeyboardInterrupt):
        release(rows_of(), TABLE, ledger=survey)
    assert [entry.kind for entry in survey.history()] == ["account", "reserve", "void"]
    assert survey.spent() == 0


def test_a_release_that_the_ledger_does_not_commit_does_not_leave(
    ledger: Ledger, tmp_path: Path
) -> None:
    """An operator makes it void while it is being drawn."""
    survey = account(ledger)

    def meddle(stage: str, _done: int, _total: int) -> None:
        entry = survey.history()[-1]
        if stage.startswith("drawing") and entry.kind == "reserve":
            ledger.reservation(str(entry.reservation)).void("the machine seemed dead")

    with pytest.raises(LedgerError, match="cannot be committed"):
        release(rows_of(), TABLE, ledger=survey, output=tmp_path / "out.csv", progress=meddle)
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_written_stay_charged(ledger: Ledger, tmp_path: Path) -> None:
    survey, output = account(ledger), tmp_path / "out.csv"

    def take_the_name(stage: str, _done: int, _total: int) -> None:
        if stage.startswith("writing"):
            output.write_text("mine", encoding="utf-8")

    with pytest.raises(OutputError, match="stays charged to account 'a0'"):
        release(rows_of(), TABLE, ledger=survey, output=output, progress=take_the_name)
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]
    assert output.read_text(encoding="utf-8") == "mine"
    assert survey.history()[1].state == "committed"


def test_the_row_is_committed_before_the_first_byte_is_written(
    ledger: Ledger, tmp_path: Path
) -> None:
    survey, seen = account(ledger), []

    def look(stage: str, _done: int, _total: int) -> None:
        states = [entry.state for entry in survey.history() if entry.kind == "reserve"]
        seen.append((stage.split()[0], states, len(list(tmp_path.iterdir()))))

    done = release(rows_of(), TABLE, ledger=survey, output=tmp_path / "out.csv", progress=look)
    assert ("reading", [], 0) in seen
    assert ("drawing", ["reserved"], 0) in seen
    assert ("writing", ["committed"], 0) in seen
    kept = survey.receipt(str(survey.history()[1].reservation))
    written = Receipt.read(tmp_path / "out.csv.receipt.json")
    assert written == done.receipt
    assert Receipt.from_json(kept) == replace(written, output=None)


def test_a_seeded_release_is_marked(ledger: Ledger) -> None:
    survey = account(ledger)
    with using_source(ReplaySource(1)):
        release(rows_of(), TABLE, ledger=survey)
    release(rows_of(), TABLE, ledger=survey)
    charged = [entry.seeded for entry in survey.history() if entry.kind == "reserve"]
    assert charged == [True, False]
