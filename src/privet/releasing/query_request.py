"""What is asked of which series, and where the series are: read and checked.

Contract. A table is one series an id, one series in all, or one series a row; other data are one
series, or Words. Nothing is drawn here. Refusals name rows, columns and positions, never states.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, ParameterError
from privet.exact import exact_number
from privet.exact.number import Number
from privet.mechanisms import Mechanism, SeriesMechanism
from privet.mechanisms.series import AnyQuery
from privet.queries import Nodes, Own, Query, read_query
from privet.queries.pieces import read_range
from privet.releasing.arguments import is_bare, refuse
from privet.releasing.stand_ins import StandIn, check_stand_ins, stand_in
from privet.symbols import Words, read_words

if TYPE_CHECKING:
    from privet.data import ArrowFrame

Asked = tuple[AnyQuery | None, Nodes, Number, bool]
"""What `release` was given of a query: query, nodes, confidence, chains_from_data."""


@dataclass(frozen=True)
class QueryRequest:
    """What to ask of which series.

    A table is read as one series an id (`id`, `time`, `state`), one series in all (`time`,
    `state`), or one series a row (`columns`); other data have none of these. `nodes`: (start,
    stop) of the steps read of each, None for all; `confidence`: of the intervals;
    `chains_from_data`: whether the chains were fitted to the data.
    """

    mechanism: SeriesMechanism
    query: Query
    nodes: Nodes = None
    confidence: Fraction = Fraction(95, 100)
    id: str | None = None
    time: str | None = None
    state: str | None = None
    columns: tuple[str, ...] = ()
    ragged: bool = False
    other: StandIn = None
    missing: StandIn = None
    published: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    chains_from_data: bool = False

    @classmethod
    def read(
        cls,
        mechanism: SeriesMechanism,
        given: Asked,
        *,
        sequence: tuple[str | None, str | None, str | None],
        **options: Any,
    ) -> "QueryRequest":
        """A request from what the caller gave; `sequence`: the columns of id, time and state.

        Errors: ParameterError, ParameterTypeError.
        """
        query, nodes, confidence, from_data = given
        if query is None:
            raise ParameterError(
                f"{type(mechanism).__name__} answers a query, and none was given.",
                hint="Write query='histogram', or one of privet.queries.",
                parameter="query",
            )
        level = exact_number(confidence, "confidence")
        if not 0 < level < 1:
            raise ParameterError(
                "confidence must lie between 0 and 1.", hint="0.95, say.", parameter="confidence"
            )
        asked = read_query(query)
        if not isinstance(asked, Own):  # whose constant may depend on the number of steps
            asked.constants(mechanism.alphabet, 1)
        within = None if nodes is None else read_range(nodes)
        return cls(
            mechanism, asked, within, level, *sequence, chains_from_data=from_data, **options
        )

    def __post_init__(self) -> None:
        named = [name for name in (self.id, self.time, self.state) if name is not None]
        if named and (self.columns or self.time is None or self.state is None):
            raise ParameterError(
                "A table of series needs either a time and a state column (and an id where there "
                "are several series), or the columns of a series.",
                hint="A long table has one row a step; a wide table has one row a series.",
            )
        if len(set(named)) != len(named):
            raise ParameterError("A column is named twice.", hint="Name it once.")
        refuse(self.ragged and not self.columns, "ragged", "only a wide table ends rows early")
        for role, given in (("other", self.other), ("missing", self.missing)):
            check_stand_ins(given, self._state_columns, role)
            # The columns of a wide table are one series: a receipt names one symbol for it.
            if (
                isinstance(given, Mapping)
                and self.columns
                and (len(given) < len(self.columns) or len(set(given.values())) > 1)
            ):
                raise ParameterError(
                    f"A '{role}' symbol is given for some columns of a wide table, or several are.",
                    hint=f"The columns are the steps of one series: give one symbol for all, as in "
                    f"{role}='unknown'.",
                    parameter=role,
                )

    @property
    def _state_columns(self) -> list[str]:
        return [self.state] if self.state is not None else list(self.columns)

    @property
    def has_columns(self) -> bool:
        """Whether the series are in a table."""
        return bool(self._state_columns)

    @property
    def is_long(self) -> bool:
        """Whether a row is one step of one of several series."""
        return self.id is not None

    @property
    def is_one_series(self) -> bool:
        """Whether all rows of a table are steps of one series."""
        return self.time is not None and self.id is None

    @property
    def stand_ins(self) -> dict[str, Any]:
        """{"other": symbol or None, "missing": symbol or None}, of a table."""
        place, alphabet = self._state_columns[0], self.mechanism.alphabet
        given = {"other": self.other, "missing": self.missing}
        return {role: stand_in(symbol, place, alphabet, role) for role, symbol in given.items()}

    @property
    def columns_needed(self) -> list[str]:
        """Every column that must be there."""
        return [name for name in (self.id, self.time) if name is not None] + self._state_columns

    @property
    def columns_replaced(self) -> list[str]:
        """The columns whose values do not go out: all."""
        return self.columns_needed


def no_query(mechanism: Mechanism, asked: Asked) -> None:
    """Refuse (query, nodes, confidence, chains_from_data) where no query is answered.

    Errors: ParameterError.
    """
    query, nodes, _, from_data = asked
    if query is not None:
        raise ParameterError(
            f"{type(mechanism).__name__} does not answer queries.",
            hint="Use MarkovLaplace, or another mechanism on series.",
            parameter="query",
        )
    refuse(nodes is not None, "nodes", "it says which steps a query reads")
    refuse(from_data, "chains_from_data", "it is about the chains behind a query")


def read_series(
    request: QueryRequest, data: Any, frame: Callable[[], "ArrowFrame"]
) -> tuple[Words, dict[str, Any]]:
    """The series, and the symbols that stood in for unknown and missing states, by role.

    `frame()` reads the table, where there is one. Errors: DomainError, MissingValueError, DataError
    by place; ParameterError.
    """
    alphabet = request.mechanism.alphabet
    if not request.has_columns:
        return _bare_series(request, data)
    if is_bare(data):
        raise DataError(
            f"A {type(data).__name__} has no columns.",
            hint="Give a frame or a file, or leave id, time, state and columns out.",
        )
    from privet.data import words_from_long, words_from_series, words_from_wide

    stand_ins = request.stand_ins
    table = frame().table
    if request.time is None or request.state is None:
        columns = list(request.columns)
        wide = words_from_wide(table, alphabet, columns, ragged=request.ragged, **stand_ins)
        return wide.words, stand_ins
    roles = {"time": request.time, "state": request.state}
    if request.id is None:
        return words_from_series(table, alphabet, **roles, **stand_ins), stand_ins
    return words_from_long(table, alphabet, id=request.id, **roles, **stand_ins).words, stand_ins


def _bare_series(request: QueryRequest, data: Any) -> tuple[Words, dict[str, Any]]:
    alphabet = request.mechanism.alphabet
    stand_ins = {"other": request.other, "missing": request.missing}
    if is_bare(data):
        for role, given in stand_ins.items():
            refuse(given is not None, role, "use Alphabet.encode or Words.from_lists with it")
        encoded = read_words(alphabet, data)
        return Words(alphabet, encoded.codes, encoded.offsets), {}
    from privet.data import encode_column, names_in_frame, series_to_arrow

    is_file = isinstance(data, str | os.PathLike)
    series = None if is_file else series_to_arrow(data)
    if series is None:
        is_table = is_file or names_in_frame(data) is not None
        raise ParameterError(
            "A table needs its columns named."
            if is_table
            else f"A {type(data).__name__} is no series.",
            hint="Give time and state (and id for several series), or columns; a bare series is a "
            "list, an array, Codes or Words.",
            parameter="columns",
        )
    name = series.table.column_names[0]
    found = {role: stand_in(given, name, alphabet, role) for role, given in stand_ins.items()}
    codes = encode_column(series.table.column(0), alphabet, name=name, **found)
    return Words(alphabet, codes, np.array([0, codes.size], np.int64)), found
