"""The order of a charged release: what is spent, and what is there, when something fails."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from accounts import DAY, TABLE, NoBits, account, rows_of
from privet import (
    IndependentRecords,
    Ledger,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    Words,
    WordStaircase,
    release,
)
from privet.errors import (
    BudgetExceededError,
    LedgerError,
    OutputError,
    ParameterError,
    RandomnessError,
)
from privet.ledger import Account
from privet.randomness import using_source
from privet.releasing import Receipt
from privet.testing import ReplaySource

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


def test_one_person_is_charged_for_data_of_one_person_only(ledger: Ledger) -> None:
    own = account(ledger).for_person("ada")
    one_row = pa.table({"who": [1], "vote": ["Dole"], "tv": ["work"]})
    with pytest.raises(ParameterError, match="data hold 3 rows, which may be of several"):
        release(rows_of(), TABLE, ledger=own)
    assert own.spent() == 0
    release(rows_of(), one_row, ledger=own)
    release(rows_of(), TABLE.slice(0, 2), ledger=own_of(ledger, 2), person="who", rows_per_person=2)
    diary = ledger.account("d0", IndependentRecords(unit=1), 10, unit="step").for_person("ada")
    days = WordStaircase(DAY, epsilon=1)
    one, two = (Words.from_lists(DAY, [["home", "sick"]] * n) for n in (1, 2))
    with pytest.raises(ParameterError, match="data hold 2 words"):
        release(days, two, ledger=diary)
    release(days, one, ledger=diary)
    release(days, ["home", "sick"], ledger=diary)  # a bare word is of one person
    chain = MarkovChain(["1/3"] * 3, [["1/2", "1/4", "1/4"]] * 3, DAY)
    framework = MarkovFramework(chain)
    series = ledger.account("s0", framework, 10).for_person("ada")
    noise = MarkovLaplace(framework, epsilon=1)
    with pytest.raises(ParameterError, match="data hold 2 series"):
        release(noise, two, query="histogram", ledger=series)
    release(noise, one, query="histogram", ledger=series)
    charged = [e.person for e in series.history() if e.kind == "reserve"]
    assert charged == ["ada"]


@pytest.mark.parametrize("batches", [False, True])
def test_the_person_column_says_whether_the_rows_are_of_one(
    ledger: Ledger, tmp_path: Path, batches: bool
) -> None:
    if batches:
        pytest.importorskip("duckdb")
    own = own_of(ledger, 4)
    how: Any = {"person": "who", "rows_per_person": 4, "ledger": own, "batches": batches}
    for name, rows in (("several", TABLE), ("one", TABLE.slice(0, 2))):
        pq.write_table(rows, tmp_path / f"{name}.parquet")
    out = tmp_path / "out.parquet"
    with pytest.raises(ParameterError, match="the rows are of 2 persons"):
        release(rows_of(), tmp_path / "several.parquet", output=out, **how)
    assert own.spent() == 0
    assert not out.exists()
    release(rows_of(), tmp_path / "one.parquet", output=out, **how)
    assert own.spent() > 0


def test_values_of_a_column_are_of_several_people(ledger: Ledger) -> None:
    values = ledger.account("v0", IndependentRecords(), 10, unit="value").for_person("ada")
    with pytest.raises(ParameterError, match="data hold 2 symbols"):
        release(RandomizedResponse(DAY, epsilon=1), ["home", "sick"], ledger=values)
    release(RandomizedResponse(DAY, epsilon=1), ["home"], ledger=values)


def own_of(ledger: Ledger, unit: int) -> Account:
    return ledger.account(f"a{unit}", IndependentRecords(unit), 10).for_person("ada")
