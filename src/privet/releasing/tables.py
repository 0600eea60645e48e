"""Releasing chosen columns of a table, each by randomised response.

Contract. The protected unit is one row, or all rows of a person up to a stated bound that is
checked; its epsilon and delta are the sums over columns, times the bound. Columns that are neither
released nor kept do not go out. Kept columns go out as they are and are named in the guarantee, and
so are the number and order of the rows. Types, column order and row order stay as they were.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, ParameterError
from privet.exact import read_count
from privet.mechanisms import Mechanism, RandomizedResponse
from privet.mechanisms.base import CodeArray
from privet.privacy import Guarantee
from privet.releasing.blocks import Progress
from privet.releasing.job import Drawn, Job, count_different, law_in_use
from privet.releasing.notes import revealing_columns, weak_parameters
from privet.releasing.receipt import Part
from privet.releasing.stand_ins import StandIn, check_stand_ins, stand_in
from privet.symbols import Codes

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import ArrowFrame


INDEPENDENT_ROWS = "the rows are independent of one another"
INDEPENDENT_PERSONS = "the persons are independent of one another"


def read_responses(mechanisms: Mapping[str, Mechanism]) -> dict[str, RandomizedResponse]:
    """{column: its mechanism}. Errors: ParameterError for one that does not answer row by row."""
    responses: dict[str, RandomizedResponse] = {}
    for name, mechanism in mechanisms.items():
        if not isinstance(mechanism, RandomizedResponse):
            raise ParameterError(
                f"Column '{name}' has a {type(mechanism).__name__}; the columns of a table are "
                "released by RandomizedResponse.",
                hint="The other mechanisms release sequences: give id, time and state, or columns.",
            )
        responses[name] = mechanism
    return responses


@dataclass(frozen=True)
class TableRequest:
    """What to release from a table.

    `mechanisms` by column; columns to `keep` as they are; the `person` column and the bound on the
    rows of one; stand-ins; `published` and `assumptions`: further ones, from the caller.
    """

    mechanisms: Mapping[str, RandomizedResponse]
    keep: tuple[str, ...] = ()
    person: str | None = None
    rows_per_person: int | None = None
    other: StandIn = None
    missing: StandIn = None
    published: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.mechanisms:
            raise ParameterError(
                "No column to release was named.", hint="Name at least one column."
            )
        for name in self.keep:
            if name in self.mechanisms:
                raise ParameterError(
                    f"Column '{name}' is both released and kept.",
                    hint="Keeping a column publishes it as it is: name it once.",
                )
        if self.guarantee.delta >= 1:
            raise ParameterError(
                "The deltas of all columns and rows of the unit add up to 1 or more, "
                "which promises nothing.",
                hint="Use a delta well below 1 / (number of rows).",
                parameter="delta",
            )
        if self.person in self.mechanisms:
            raise ParameterError(
                f"Column '{self.person}' names the person and cannot be released as well.",
                hint="Leave it out of the released columns.",
            )
        if (self.person is None) != (self.rows_per_person is None):
            raise ParameterError(
                "A person column and a bound on the rows of a person go together.",
                hint="Give both, or neither to protect single rows.",
                parameter="rows_per_person",
            )
        if self.rows_per_person is not None:
            count = read_count(self.rows_per_person, "rows_per_person")
            object.__setattr__(self, "rows_per_person", count)  # a plain int, as JSON knows it
        for role, given in (("other", self.other), ("missing", self.missing)):
            check_stand_ins(given, list(self.mechanisms), role)

    @property
    def columns_replaced(self) -> list[str]:
        """The columns of the data whose own values do not go out."""
        person = () if self.person is None or self.person in self.keep else (self.person,)
        return [*self.mechanisms, *person]

    @property
    def columns_going_out(self) -> list[str]:
        """The columns of the release."""
        return [*self.mechanisms, *self.keep]

    @property
    def columns_needed(self) -> list[str]:
        """Every column that must be there, each once."""
        person = () if self.person is None else (self.person,)
        return list(dict.fromkeys((*self.mechanisms, *self.keep, *person)))

    def stand_ins(self, name: str) -> dict[str, Any]:
        """{"other": symbol or None, "missing": symbol or None} of a column."""
        alphabet = self.mechanisms[name].alphabet
        given = {"other": self.other, "missing": self.missing}
        return {role: stand_in(symbol, name, alphabet, role) for role, symbol in given.items()}

    @property
    def guarantee(self) -> Guarantee:
        """The promise about the whole unit."""
        rows = self.rows_per_person or 1
        released = ", ".join(f"'{name}'" for name in self.mechanisms)
        unit = (
            f"Any one row's values of {released} (a person with several rows is protected row by "
            "row)"
        )
        if self.person is not None:
            unit = (
                f"All values of {released} of any one person (column '{self.person}', at most "
                f"{_rows(rows)})"
            )
        return Guarantee(
            rows * sum((m.guarantee.epsilon for m in self.mechanisms.values()), Fraction(0)),
            rows * sum((m.guarantee.delta for m in self.mechanisms.values()), Fraction(0)),
            unit,
            assumptions=(
                INDEPENDENT_ROWS if self.person is None else INDEPENDENT_PERSONS,
                *self.assumptions,
            ),
            published=(
                "the number and the order of the rows",
                *(f"column '{name}' as it is" for name in self.keep),
                *self.published,
            ),
        )


def prepare_table(frame: "ArrowFrame", request: TableRequest, progress: Progress) -> Job:
    """Encode the columns and check everything; nothing is drawn.

    Errors: DomainError and MissingValueError by column and row, DataError for persons with too many
    rows (how many persons, never which).
    """
    table = frame.table
    if request.person is not None and request.rows_per_person is not None:
        _check_rows_of_persons(table, request.person, request.rows_per_person)
    columns = [_encode(table, name, request, progress) for name in request.mechanisms]
    job = table_job(
        request,
        table.num_rows,
        lambda tell, measure: _draw(frame, columns, request, tell, measure),
        index=index_published(frame),
        remarks=revealing_columns(table, request.keep),
    )
    person = request.person
    return job if person is None else replace(job, persons=lambda: _persons(table, person))


def table_job(
    request: TableRequest,
    size: int,
    draw: Callable[[Progress, bool], Drawn],
    *,
    index: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
) -> Job:
    """What is promised about a table of `size` rows, all of which was checked.

    `index`: what a pandas index publishes; `remarks`: notes on its kept columns.
    """
    rows = request.rows_per_person or 1
    promise = request.guarantee
    parts = tuple(_part(name, request, size) for name in request.mechanisms)
    units = None if request.person is not None else size
    return Job(
        "table",
        promise.with_published(*index),
        rows * sum((part.spent for part in parts), Fraction(0)),
        parts,
        draw,
        shape={"rows": size, "columns": len(parts)},
        layout={
            "columns": list(request.mechanisms),
            "kept": list(request.keep),
            "person": request.person,
            "rows_per_person": request.rows_per_person,
        },
        notes=(*weak_parameters(promise.epsilon, promise.delta, units), *remarks),
    )


def index_published(frame: "ArrowFrame") -> tuple[str, ...]:
    """What a pandas index gives away, as an item of what is published."""
    names = ", ".join(f"'{name}'" for name in frame.index)
    return (f"the index {names} as it is",) if names else ()


@dataclass(frozen=True)
class _Column:
    """A column as codes into the alphabet of its mechanism."""

    name: str
    codes: CodeArray
    mechanism: RandomizedResponse


def _encode(table: "pa.Table", name: str, request: TableRequest, progress: Progress) -> _Column:
    from privet.data import encode_column

    progress(f"reading '{name}'", 0, table.num_rows)
    mechanism = request.mechanisms[name]
    codes = encode_column(
        table.column(name), mechanism.alphabet, name=name, **request.stand_ins(name)
    )
    return _Column(name, codes, mechanism)


def _part(name: str, request: TableRequest, size: int) -> Part:
    mechanism = request.mechanisms[name]
    return Part(
        name,
        mechanism.to_json(),
        size,
        size * mechanism.expected_errors(1),
        mechanism.spent(1),
        mechanism.record_loss(1).maximum,
        "row",
        law_in_use(mechanism, 1),
        **request.stand_ins(name),
    )


def _draw(
    frame: "ArrowFrame",
    columns: list[_Column],
    request: TableRequest,
    progress: Progress,
    measure: bool,
) -> Drawn:
    from privet.data import decode_column

    table = frame.table
    errors: list[int] = []
    for column in columns:
        progress(f"drawing '{column.name}'", 0, table.num_rows)
        released = column.mechanism.release(Codes(column.codes)).array
        errors += count_different(column.codes, released, measure)
        place = table.column_names.index(column.name)
        fresh = decode_column(
            released, column.mechanism.alphabet, like=table.schema.field(place).type
        )
        table = table.set_column(place, column.name, fresh)
    going_out = {*request.mechanisms, *request.keep}
    table = table.select([name for name in table.column_names if name in going_out])
    return Drawn(frame.restore(table), table, tuple(errors))


def _persons(table: "pa.Table", person: str) -> int:
    from privet.data import group_rows

    return group_rows(table.column(person), person)[1]


def _check_rows_of_persons(table: "pa.Table", person: str, bound: int) -> None:
    from privet.data import group_rows

    persons, count = group_rows(table.column(person), person)
    above = int(np.count_nonzero(np.bincount(persons, minlength=count) > bound))
    refuse_persons(above, person, bound)


def refuse_persons(above: int, person: str, bound: int) -> None:
    """Errors: DataError if there are persons with more rows than the bound (`above` of them)."""
    if above:
        raise too_many_rows(above, person, bound)


def too_many_rows(above: int, person: str, bound: int) -> DataError:
    """The error for so many persons `above` the bound on the rows of one."""
    return DataError(
        f"{'1 person' if above == 1 else f'{above} persons'} in column '{person}' "
        f"{'has' if above == 1 else 'have'} more than {_rows(bound)}.",
        hint="Raise the bound on rows of a person, or choose which of their rows to release.",
        column=person,
        parameter="rows_per_person",
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
