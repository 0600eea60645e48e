"""Facts of batches add up to those of the whole table, wherever it is cut."""

import pickle
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Alphabet, RandomizedResponse
from privet.data import compacted
from privet.errors import DomainError, MissingValueError
from privet.releasing.in_batches.facts import Facts, Trouble
from privet.releasing.in_batches.job import job_of
from privet.releasing.in_batches.rows import checked, drawn, settled
from privet.releasing.job import Drawn
from privet.releasing.sequences import WordRequest
from privet.releasing.tables import TableRequest

VOTE = RandomizedResponse(Alphabet(["yes", "no"]), epsilon=1)
TABLE_REQUEST = TableRequest({"a": VOTE, "b": VOTE}, keep=("k", "kind"), missing={"b": "no"})
WIDE_REQUEST = WordRequest(VOTE, columns=("a", "b"), ragged=True, keep=("k", "kind"))
LABELS = st.sampled_from(["yes", "no", "no", "maybe", None])


def nothing_drawn(_tell: object, _measure: bool) -> Drawn:
    raise AssertionError("nothing is drawn here")


def table_of(first: list[Any], second: list[Any]) -> pa.Table:
    rows = min(len(first), len(second))
    plain = pa.table(
        {
            "a": pa.array(first[:rows], pa.string()),
            "k": pa.array(np.arange(rows) % 3),
            "b": pa.array(second[:rows], pa.string()),
            "kind": pa.array(["u", "v", "w"] * rows, pa.string())[:rows].dictionary_encode(),
        }
    )
    return compacted(plain, untouched=["a", "b"])


def said(facts: Facts) -> Any:
    categories = {name: sorted(values.to_pylist()) for name, values in facts.categories.items()}
    return facts.rows, facts.lengths, facts.troubles, facts.distinct, categories


@pytest.mark.parametrize("request_", [TABLE_REQUEST, WIDE_REQUEST])
@given(first=st.lists(LABELS, max_size=9), second=st.lists(LABELS, max_size=9), data=st.data())
def test_parts_add_up(request_: Any, first: list[Any], second: list[Any], data: Any) -> None:
    table = table_of(first, second)
    cut = data.draw(st.integers(0, table.num_rows))
    again = data.draw(st.integers(0, cut))
    cuts = [(0, again), (again, cut), (cut, table.num_rows)]
    parts = [checked(compacted(table.slice(i, j - i)), request_, i) for i, j in cuts]
    whole = checked(table, request_)
    one, two, three = parts
    assert said((one + two) + three) == said(one + (two + three)) == said(whole)
    assert said(Facts() + whole) == said(whole + Facts()) == said(whole)
    assert said(pickle.loads(pickle.dumps(whole))) == said(whole)


def test_troubles_keep_the_first_place() -> None:
    assert Trouble(5, 2, "b") + Trouble(3, 1, "a") == Trouble(3, 3, "a")


def test_errors_count_over_all_batches() -> None:
    request = TableRequest({"a": VOTE})
    tables = [pa.table({"a": values}) for values in (["yes"], ["no", "?", "?"], ["?"])]
    facts = Facts()
    for table in tables:
        facts += checked(table, request)
    with pytest.raises(DomainError, match=r"row 2 of the column 'a'.*3 rows have") as caught:
        job_of(request, facts, nothing_drawn)
    assert vars(caught.value)["position"] == 2
    facts = checked(tables[0], request) + checked(pa.table({"a": pa.array([None], "str")}), request)
    with pytest.raises(MissingValueError, match="Row 1 has no value in the column 'a'; 1 row"):
        job_of(request, facts, nothing_drawn)


def test_a_batch_that_was_checked_is_drawn_in_its_types() -> None:
    table = table_of(["yes", "no", "no"], ["no", "yes", "no"])
    facts = checked(table, TABLE_REQUEST)
    job = job_of(TABLE_REQUEST, facts, nothing_drawn)
    assert job.shape == {"rows": 3, "columns": 2}
    released = drawn(table, TABLE_REQUEST, settled(facts, table.schema))
    assert released.schema == table.schema
    for name in ("k", "kind"):
        assert released.column(name).to_pylist() == table.column(name).to_pylist()
    assert {*released.column("a").to_pylist()} <= {"yes", "no"}


def test_kept_categories_are_those_of_all_batches() -> None:
    table = table_of(["yes", "no", "no"], ["no", "yes", "no"])
    parts = [compacted(table.slice(2 - i, 1)) for i in range(3)]
    facts = Facts()
    for part in parts:
        facts += checked(part, TABLE_REQUEST)
    found = settled(facts, table.schema)
    for part in parts:
        column: Any = drawn(part, TABLE_REQUEST, found).column("kind").chunk(0)
        assert column.dictionary.to_pylist() == ["u", "v", "w"]
        assert column.to_pylist() == part.column("kind").to_pylist()
