"""What `privet account` and the commands of `privet ledger` print."""

from typing import Annotated, Literal

from pydantic import Field, RootModel

from privet.cli.outputs.base import (
    AccountName,
    Amount,
    Budget,
    Count,
    Delta,
    Epsilon,
    Exact,
    Note,
    Output,
    Plot,
    Remaining,
    Sha256,
    Spent,
    Symbol,
    Time,
    WhyNot,
    WrittenTo,
    absent,
)
from privet.cli.outputs.documents import Framework, RecordLoss

Person = Annotated[
    str | int | None, Field(description="Whom it is about; null for everybody alike.")
]


class Contribution(Output):
    """What equal releases lose at the worst record; exact text."""

    name: str
    times: Annotated[int, Field(ge=1, description="How many releases.")]
    at_node: Exact = Field(description="What they lose there.")
    nearby: Exact | None = Field(
        description="What they lose at the records that a quilt counts as near; null for others."
    )


class ExactOlder(Output):
    """The same number, exactly."""

    epsilon: Exact | None = Field(description="Null as beside.")


class Older(Output):
    """What an older theorem would have charged."""

    theorem: str
    epsilon: Epsilon | None = Field(description="Null where the theorem does not apply.")
    why_not: WhyNot
    covers: str = Field(description="Whose secrets it covers.")
    exact: ExactOlder


class Detail(Output):
    """The numbers of the bound; a field is absent where the bound has no such thing."""

    unit: Annotated[int, Field(ge=1)] | Literal["all"] = absent(
        "Independent records: how many records may change at once."
    )
    chain: int = absent("Which chain is worst, counted from 0, where there are several.")
    left: float | None = Field(
        default=None,
        description="Quilt: its distance before the record, null if it has no such side. "
        "Propagation: what the records before add.",
    )
    right: float | None = Field(default=None, description="As left, after the record.")
    influence: Amount = absent("Quilt: what it tells about the record.")
    nearby_loss: Exact = absent("Quilt: what the records nearer by lose.")
    states: list[Symbol] = absent("Propagation: the two states that are hardest to hide.")
    loss: Exact = absent("Propagation: what the record loses itself.")


class ExactExplanation(Output):
    """The same number, exactly."""

    epsilon: Exact


class Explanation(Output):
    """Why the releases cost so much together."""

    framework_in_words: str = Field(description="What is assumed.")
    epsilon: Epsilon
    exact: ExactExplanation
    person: Person
    node: Count | None = Field(description="The worst record, from 0; null if nothing was lost.")
    bound: Literal["quilt", "propagation", "group", "steps", "largest", "largest few", "sum"]
    detail: Detail
    contributions: list[Contribution]
    older: list[Older] = Field(description="What older theorems would have charged.")


class ExactSum(Output):
    """The same numbers, exactly."""

    epsilon: Exact
    delta: Exact
    budget: Exact | None = Field(description="Null as beside.")
    remaining: Exact | None = Field(description="Null as beside.")


class Accounted(Output):
    """What several releases cost together."""

    epsilon: Epsilon
    delta: Delta
    budget: Budget | None = Field(description="Null if none was given.")
    remaining: Remaining | None = Field(description="Null without a budget.")
    within_budget: bool | None = Field(description="Null without a budget.")
    releases: Count = Field(description="How many releases.")
    exact: ExactSum
    warnings: list[str] = Field(description="What may make the sum mean something else.")
    explanation: Explanation


class ExactAccount(Output):
    """The same numbers, exactly."""

    budget: Exact
    spent: Exact
    remaining: Exact


class Account(Output):
    """An account of a ledger."""

    account: AccountName
    records: Literal["row", "step", "value", "choice"] = Field(description="What one record is.")
    protected: str = Field(description="What is protected, in words.")
    budget: Budget
    spent: Spent
    remaining: Remaining
    exact: ExactAccount
    framework: Framework


class ExactEvent(Output):
    """The same numbers, exactly."""

    spent: Exact
    budget: Exact


class Event(Output):
    """A row of the history of an account."""

    number: Annotated[int, Field(ge=1, description="Which row of the ledger.")]
    kind: Literal["account", "budget", "reserve", "commit", "void", "checkpoint"]
    time: Time
    who: str
    entry: str | None = Field(
        description="The entry of the ledger that the release is; null for other rows."
    )
    state: Literal["reserved", "committed", "void"] | None = Field(
        description="What became of the release; null but for a reservation."
    )
    person: Person
    note: Note
    seeded: bool = Field(description="Whether the bits were seeded and so not private.")
    reason: str = Field(description="Why it was made void; empty for other rows.")
    spent: Spent
    budget: Amount = Field(description="The budget from this row on.")
    exact: ExactEvent
    record_loss: RecordLoss | None = Field(description="Null but for a reservation.")


class AccountShown(Account):
    """One account, with its history."""

    history: list[Event]
    plot: Plot


class AccountsShown(Output):
    """All accounts of a ledger."""

    accounts: list[Account]


LedgerShown = AccountsShown | AccountShown


class Fault(Output):
    """What does not fit."""

    row: Annotated[int, Field(ge=0)] | None = Field(description="Which row; null for the ledger.")
    what: str


class ExactRestated(Output):
    """The same numbers, exactly."""

    stated: Exact
    now: Exact


class Restated(Output):
    """An account that this version of Privet puts at more than is stated."""

    account: AccountName
    stated: Amount = Field(description="The epsilon that its last row states, rounded up.")
    now: Amount = Field(description="The epsilon it is put at now, rounded up.")
    exact: ExactRestated


class Verified(Output):
    """Whether the rows of a ledger hold together."""

    ok: bool
    rows: Count = Field(description="How many rows fit together.")
    head: str = Field(pattern=r"^[0-9]+:[0-9a-f]{64}$", description="To be kept elsewhere.")
    fault: Fault | None = Field(description="The first fault; null if there is none.")
    restated: list[Restated]


class LedgerRow(Output):
    """A row of a ledger, as its hash is computed from; `body` depends on the kind."""

    number: Annotated[int, Field(ge=1, description="Which row of the ledger.")]
    account: AccountName
    kind: Literal["account", "budget", "reserve", "commit", "void", "checkpoint"]
    reservation: str | None = Field(
        description="The entry of the ledger that the release is; null for other rows."
    )
    time: Time
    who: str
    body: "Body" = Field(description="What it says.")
    previous: Sha256
    hash: Sha256


class Body(Output):
    """What a row says; a field is absent where its kind has no such thing. Numbers are exact."""

    n: Annotated[int, Field(ge=1, description="Which row of the account.")]
    spent: Exact = Field(description="What is spent from this row on.")
    budget: Exact = Field(description="The budget from this row on.")
    framework: Framework = absent("account: what is assumed of the records.")
    unit: Literal["row", "step", "value", "choice"] = absent("account: what one record is.")
    was: Exact = absent("budget: the budget before.")
    before: Exact = absent("reserve: what was spent before.")
    loss: RecordLoss = absent("reserve: what each record loses.")
    person: str | None = Field(default=None, description="reserve: whom it is about.")
    note: str = absent("reserve: a remark.")
    seeded: bool = absent("reserve: whether the bits were seeded and so not private.")
    receipt: Sha256 | None = Field(
        default=None, description="commit: SHA-256 of the receipt that is kept; null if none is."
    )
    reason: str = absent("void: why it was made void.")
    digest: Sha256 = absent("checkpoint: SHA-256 of the running totals.")


class LedgerRows(RootModel[list[LedgerRow]]):
    """Every row of a ledger, in order."""


class ExportedTo(Output):
    """Where the rows of a ledger were written, with --output."""

    output: WrittenTo
    rows: Count = Field(description="How many rows were written.")


Exported = LedgerRows | ExportedTo
