"""Memory, SQLite and PostgreSQL give the same answers and the same refusals, and the right ones."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import text

from privet import IndependentRecords, Ledger, MarkovChain, MarkovFramework, PrivetError, RecordLoss
from privet.errors import BudgetExceededError
from privet.ledger import Reservation
from privet.ledger.sql import SqlStore
from privet.privacy import Framework
from privet.testing.postgres import PostgresServer

CHAIN = MarkovChain(["1/2", "1/2"], [["3/4", "1/4"], ["1/3", "2/3"]])
FRAMEWORKS: dict[str, Framework] = {
    "rows": IndependentRecords(1),
    "pairs": IndependentRecords(2),
    "whole": IndependentRecords("all"),
    "series": MarkovFramework(CHAIN, initial="stationary"),
}
NAMES = st.sampled_from(sorted(FRAMEWORKS))
AMOUNTS = st.sampled_from(["0", "1/7", "0.25", "1", "3/2"])
LOSSES = st.lists(AMOUNTS, min_size=1, max_size=4).map(RecordLoss.from_values)
PERSONS = st.sampled_from([None, "ada", "bob"])


def padded(loss: RecordLoss, length: int) -> list[Fraction]:
    values = [value for start, stop, value in loss.pieces for _ in range(start, stop)]
    return values + [Fraction(0)] * (length - len(values))


class Model:
    """The account as one writes it on paper: every charge that is not void, added up each time."""

    def __init__(self, name: str, budget: Fraction) -> None:
        self.framework = FRAMEWORKS[name]
        self.budget = budget
        self.charges: dict[int, tuple[str | None, RecordLoss]] = {}

    def epsilon(self, *more: tuple[str | None, RecordLoss]) -> Fraction:
        charges = [*self.charges.values(), *more]
        length = max((len(loss) for _, loss in charges), default=0)
        return max(
            self.framework.epsilon(
                RecordLoss.from_values(
                    [
                        sum((padded(loss, length)[t] for whose, loss in charges
                             if whose in (None, person)), Fraction(0))
                        for t in range(length)
                    ]
                )
            )
            for person in (None, "ada", "bob")
        )  # fmt: skip


def emptied(url: str) -> Ledger:
    """The ledger in the one database, as if it had just been made."""
    ledger = Ledger.open(url, create=True)
    store = ledger._store
    assert isinstance(store, SqlStore)
    with store.engine.begin() as connection:
        tables = "privet_entries, privet_receipts, privet_checkpoints"
        connection.execute(text(f"TRUNCATE {tables}"))
        connection.execute(text(f"UPDATE privet_head SET count = 0, hash = '{'0' * 64}'"))
    return ledger


class Stores(RuleBasedStateMachine):
    """Every rule is done in all ledgers; `together` compares what came out."""

    postgres_url = ""
    made = Bundle("made")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.file = str(Path(self.folder.name) / "spend.db")
        self.ledgers = {
            "memory": Ledger.open("memory:"),
            "sqlite": Ledger.open(self.file, create=True),
            "postgresql": emptied(self.postgres_url),
        }
        self.hasten()
        self.models: dict[str, Model] = {}
        self.reservations: list[dict[str, Reservation]] = []
        self.states: list[str] = []

    def hasten(self) -> None:
        for ledger in self.ledgers.values():
            ledger._books._every = 1  # running totals are closed as often as can be

    def teardown(self) -> None:
        for ledger in self.ledgers.values():
            ledger.close()
        self.folder.cleanup()

    def together(self, act: Callable[[Ledger, str], Any]) -> dict[str, Any]:
        """What `act` gives in each ledger, after checking that the outcomes are the same."""
        results, outcomes = {}, []
        for kind, ledger in self.ledgers.items():
            try:
                results[kind] = act(ledger, kind)
                outcomes.append(comparable(results[kind]))
            except PrivetError as error:
                results[kind] = error
                payload = {k: v for k, v in error.payload.items() if k != "reservation"}
                outcomes.append((type(error), error.hint, payload))
        assert outcomes[0] == outcomes[1] == outcomes[2]
        return results

    @initialize()
    def empty(self) -> None:
        assert self.together(lambda ledger, _: ledger.accounts())["memory"] == []

    @rule(name=NAMES, budget=st.sampled_from(["1", "3/2", "4"]), again=st.booleans())
    def account(self, name: str, budget: str, again: bool) -> None:
        framework = FRAMEWORKS[name] if again or name not in self.models else None
        results = self.together(lambda ledger, _: ledger.account(name, framework, budget).budget)
        model = self.models.setdefault(name, Model(name, Fraction(budget)))
        wrong = model.budget != Fraction(budget)
        assert isinstance(results["memory"], PrivetError) == wrong

    @rule(name=NAMES)
    def unknown(self, name: str) -> None:
        results = self.together(lambda ledger, _: ledger.account(name).name)
        assert isinstance(results["memory"], PrivetError) == (name not in self.models)

    @precondition(lambda self: self.models)
    @rule(target=made, data=st.data(), loss=LOSSES, person=PERSONS, seeded=st.booleans())
    def reserve(
        self, data: st.DataObject, loss: RecordLoss, person: str | None, seeded: bool
    ) -> Any:
        name = data.draw(st.sampled_from(sorted(self.models)))
        model = self.models[name]
        expected = model.epsilon((person, loss))
        costs = self.together(lambda ledger, _: ledger.account(name).cost(loss, person=person))
        assert costs["memory"] == expected
        results = self.together(
            lambda ledger, _: ledger.account(name).reserve(
                loss, person=person, seeded=seeded, who="tester"
            )
        )
        if expected > model.budget:
            assert isinstance(results["memory"], BudgetExceededError)
            return multiple()
        assert results["memory"].spent_before == model.epsilon()
        assert results["memory"].spent_after == expected
        number = len(self.reservations)
        model.charges[number] = (person, loss)
        self.reservations.append(results)
        self.states.append("reserved")
        return number

    @rule(number=made, receipt=st.sampled_from([None, {"kind": "words", "spent": 0.5}]))
    def commit(self, number: int, receipt: dict[str, Any] | None) -> None:
        reservation = self.reservations[number]
        results = self.together(lambda _, kind: reservation[kind].commit(receipt, who="tester"))
        assert (results["memory"] is None) == (self.states[number] == "reserved")
        if self.states[number] == "reserved":
            self.states[number] = "committed"
            kept = self.together(
                lambda ledger, kind: ledger.account(reservation[kind].account).receipt(
                    reservation[kind].id
                )
            )
            assert kept["memory"] == receipt

    @rule(number=made)
    def void(self, number: int) -> None:
        reservation = self.reservations[number]
        results = self.together(lambda _, kind: reservation[kind].void("not drawn", who="tester"))
        assert (results["memory"] is None) == (self.states[number] == "reserved")
        if self.states[number] == "reserved":
            self.states[number] = "void"
            del self.models[reservation["memory"].account].charges[number]

    @precondition(lambda self: self.models)
    @rule(data=st.data(), budget=st.sampled_from(["1/2", "1", "2", "5"]))
    def set_budget(self, data: st.DataObject, budget: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.models)))
        model = self.models[name]
        results = self.together(
            lambda ledger, _: ledger.account(name).set_budget(budget, who="tester")
        )
        allowed = model.epsilon() <= Fraction(budget)
        assert (results["memory"] is None) == allowed
        if allowed:
            model.budget = Fraction(budget)

    @rule()
    def reopen(self) -> None:
        """Another process: nothing is known but what was stored."""
        for kind, place in (("sqlite", self.file), ("postgresql", self.postgres_url)):
            self.ledgers[kind].close()
            self.ledgers[kind] = Ledger.open(place)
        self.hasten()
        for results in self.reservations:
            for kind, ledger in self.ledgers.items():
                results[kind] = ledger.reservation(results[kind].id)

    @rule()
    def forget(self) -> None:
        for ledger in self.ledgers.values():
            ledger._books.forget()

    @invariant()
    def same_history(self) -> None:
        for name, model in self.models.items():
            self.compare_account(name, model)

    def compare_account(self, name: str, model: Model) -> None:
        spent = self.together(lambda ledger, _: ledger.account(name).spent())
        assert spent["memory"] == model.epsilon() <= model.budget
        self.together(lambda ledger, _: ledger.account(name).history())

    @invariant()
    def whole(self) -> None:
        found = self.together(lambda ledger, _: ledger.verify().fault)
        assert found["memory"] is None
        for number, state in enumerate(self.states):
            self.compare_state(self.reservations[number], state)

    def compare_state(self, reservation: dict[str, Reservation], state: str) -> None:
        found = self.together(lambda _, kind: reservation[kind].state)
        assert found["memory"] == state


def comparable(value: Any) -> Any:
    """Without what must differ: random ids and times."""
    if isinstance(value, Reservation):
        return value.number, value.account, value.spent_before, value.spent_after
    if isinstance(value, list):
        return [
            (
                each
                if isinstance(each, str)
                else (each.number, each.kind, each.who, each.spent, each.budget, each.person,
                      each.loss, each.seeded, each.state, each.reason)
            )
            for each in value
        ]  # fmt: skip
    return value


@contextmanager
def machine(postgres: PostgresServer) -> Iterator[type[Stores]]:
    Stores.postgres_url = postgres.create("agreement")
    yield Stores


@pytest.mark.usefixtures("postgres")
def test_three_stores_and_the_sum_on_paper_agree(postgres: PostgresServer) -> None:
    with machine(postgres) as stores:
        run_state_machine_as_test(
            stores, settings=settings(max_examples=12, stateful_step_count=20, deadline=None)
        )
