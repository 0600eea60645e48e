"""What `privet plan` prints."""

from typing import Annotated, Literal

from pydantic import Field

from privet.cli.outputs.base import (
    AccountName,
    Adjacency,
    Amount,
    Budget,
    Categories,
    Count,
    Delta,
    Epsilon,
    ErrorsDoubt,
    Exact,
    ExpectedError,
    ExpectedErrors,
    ExpectedShareWrong,
    HalfWidth,
    KeepProbability,
    Nodes,
    Note,
    Output,
    Plot,
    Reason,
    Scale,
    Spent,
    StandardError,
    WhyNot,
    absent,
)
from privet.cli.outputs.documents import (
    MarkovChainFile,
    MarkovFramework,
    Mechanism,
    Query,
    TransitionsFile,
)


class ExactQuote(Output):
    """The same numbers, exactly; absent where null beside."""

    budget: Exact = absent("The budget.")
    spent_before: Exact = absent("Spent by earlier releases.")
    cost: Exact = absent("What the release would add.")
    spent_after: Exact = absent("Spent if it is made.")


class Quote(Output):
    """What a release would cost an account on top of what was released before."""

    account: AccountName
    budget: Budget | None = Field(description="Null if it is not known.")
    spent_before: Amount | None = Field(description="Spent by earlier releases, rounded up.")
    cost: Amount | None = Field(description="What the release would add; null where it cannot.")
    spent_after: Amount | None = Field(description="Spent if it is made; null where it cannot be.")
    allowed: bool = Field(description="Whether the budget allows it.")
    why_not: WhyNot
    exact: ExactQuote


class ExactRow(Output):
    """The same numbers, exactly."""

    epsilon: Exact
    spent: Exact


class PlanRow(Output):
    """One mechanism at the guarantee asked for, on one word."""

    title: str
    epsilon: Epsilon
    spent: Spent
    expected_errors: ExpectedErrors
    expected_share_wrong: ExpectedShareWrong
    expected_errors_standard_error: ErrorsDoubt
    always_possible: bool = Field(description="Whether it releases words that can happen only.")
    decode_method: Literal["viterbi", "marginals", "sample"] | None = Field(
        description="How what it releases is decoded; null if it is not."
    )
    error_bounds: Annotated[list[float], Field(min_length=2, max_length=2)] = Field(
        description="Published lower and upper bound of the expected errors."
    )
    keep_probability: KeepProbability | None = Field(
        description="Null where symbols are not released one by one."
    )
    can_estimate: bool = Field(description="Whether privet estimate reads such a release.")
    note: Note
    ledger: Quote | None = Field(description="Null if no account was named.")
    exact: ExactRow
    mechanism: Mechanism
    standard_error: StandardError | None = Field(
        default=None,
        description="Of a share, from so many rows (words); null where shares cannot be estimated, "
        "absent without --rows.",
    )


class ExactPlan(Output):
    """The same numbers, exactly."""

    epsilon: Exact
    delta: Exact


class WordPlan(Output):
    """Every applicable mechanism at one guarantee."""

    categories: Categories
    length: Count = Field(description="Symbols of a word.")
    adjacency: Adjacency
    epsilon: Epsilon
    delta: Delta
    exact: ExactPlan
    mechanisms: Annotated[list[PlanRow], Field(min_length=1)]
    recommended: str = Field(description="Title of the mechanism with the fewest errors.")
    recommended_for_estimates: str = Field(
        description="Title of the best one that can be estimated from."
    )
    reason: Reason
    rows: Count = absent("How many rows (words) standard errors are of; absent without --rows.")
    averaged_over: str = absent("The words that errors are averaged over, with a model.")
    language: TransitionsFile = absent("The words that can happen, with a model.")
    chain: MarkovChainFile | None = Field(
        default=None, description="The chain for decoding; null if there is none."
    )


class ExactQueryRow(Output):
    """The same numbers, exactly."""

    scale: Exact | None = Field(description="Null as beside.")
    spent: Exact | None = Field(description="Null as beside.")


class QueryRow(Output):
    """One mechanism that may answer the query; its numbers are null if it cannot."""

    title: str
    method: str = Field(description="What --method calls it.")
    scale: Scale | None
    expected_error: ExpectedError | None
    half_width: HalfWidth | None
    spent: Spent | None
    composes: bool = Field(description="Whether such releases add up.")
    note: Note
    ledger: Quote | None = Field(description="Null if no account was named.")
    exact: ExactQueryRow


class ExactQueryPlan(Output):
    """The same number, exactly."""

    epsilon: Exact


class QueryPlan(Output):
    """Every mechanism that may answer a query about series."""

    query: Query
    epsilon: Epsilon
    exact: ExactQueryPlan
    length: Count = Field(description="Steps of a series.")
    nodes: Nodes | None = Field(description="Null if all steps are read.")
    persons: Annotated[int, Field(ge=1, description="How many series are asked about together.")]
    framework: MarkovFramework
    mechanisms: Annotated[list[QueryRow], Field(min_length=1)]
    recommended: str = Field(description="Title of the mechanism with the least noise.")
    recommended_method: str = Field(description="What --method calls it.")
    mqm_helps: bool = Field(description="Whether the Markov Quilt Mechanism beats group privacy.")
    reason: Reason


class ColumnPlan(Output):
    """One column of a table, released by randomised response."""

    column: str = Field(description="Its name.")
    categories: Categories
    epsilon: Epsilon
    delta: Delta
    expected_share_wrong: ExpectedShareWrong
    standard_error: StandardError | None = Field(
        description="The largest of its shares; null where the number of rows is not known."
    )
    exact: ExactPlan
    mechanism: Mechanism


class TablePlan(Output):
    """The columns of a table at one guarantee."""

    epsilon: Epsilon
    delta: Delta
    exact: ExactPlan
    rows_per_person: Annotated[int, Field(ge=1, description="Rows that one person has at most.")]
    rows: Count | None = Field(description="Rows of the table; null if that is not known.")
    columns: Annotated[list[ColumnPlan], Field(min_length=1)]
    joint_cells: Annotated[
        int, Field(ge=1, description="Cells of the table of all columns together.")
    ]
    joint_standard_error: StandardError | None = Field(
        description="The largest of the shares of all columns together; null as above."
    )
    ledger: Quote | None = Field(description="Null if no account was named.")
    warnings: list[str] = Field(description="What is weak about it, in sentences.")


class Plans(Output):
    """A plan for each epsilon: all of words, with --query of queries, with columns of tables."""

    plans: Annotated[list[WordPlan] | list[QueryPlan] | list[TablePlan], Field(min_length=1)]
    plot: Plot
