"""What is typed on the command line, read into columns, alphabets and stand-ins.

Contract. Symbols are separated by commas, blanks around them do not count, and 0..6 stands for the
whole numbers from 0 to 6; symbols that hold a comma go into a schema file. An alphabet comes from
the command line, a schema, or (said so, with a warning) the data; in that order. The symbols that
stand for missing and unknown values are added to the alphabets that lack them.
"""

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.cli.output import listed
from privet.errors import ParameterError
from privet.symbols import Alphabet

if TYPE_CHECKING:
    from privet.cli.schema import Schema

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_LONGEST_RANGE = 1_000_000

StandIns = dict[str, Hashable]


def read_symbol_list(text: str, name: str) -> list[str]:
    """The symbols in "a,b,c" or "0..6". Errors: ParameterError naming the option or column."""
    symbols: list[str] = []
    for item in text.split(","):
        stripped = item.strip()
        if not stripped:
            raise ParameterError(
                f"One of the symbols of {name} is empty.",
                hint="Write them like low,middle,high or 0..6.",
            )
        if bounds := _RANGE.fullmatch(stripped):
            symbols += _whole_numbers(int(bounds[1]), int(bounds[2]), name)
        else:
            symbols.append(stripped)
    return symbols


def _whole_numbers(first: int, last: int, name: str) -> list[str]:
    if not 0 < last - first < _LONGEST_RANGE:
        raise ParameterError(
            f"The range {first}..{last} of {name} must rise and hold at most a million numbers.",
            hint="Write it like 0..6.",
        )
    return [str(number) for number in range(first, last + 1)]


def read_names(texts: Sequence[str]) -> list[str]:
    """Names from options that may be repeated and may hold several, separated by commas."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def read_columns(texts: Sequence[str]) -> dict[str, list[str] | None]:
    """{column: its symbols, or None} from NAME or NAME=a,b,c. Errors: ParameterError."""
    columns: dict[str, list[str] | None] = {}
    for text in texts:
        name, equals, symbols = text.partition("=")
        name = name.strip()
        if not name:
            raise ParameterError("A column has no name.", hint="Write --column NAME or NAME=a,b,c.")
        if name in columns:
            raise ParameterError(f"Column '{name}' is named twice.", hint="Name each column once.")
        columns[name] = read_symbol_list(symbols, f"column '{name}'") if equals else None
    return columns


def read_split(texts: Sequence[str]) -> dict[str, str] | None:
    """{column: share as text} from NAME=SHARE. Errors: ParameterError."""
    split: dict[str, str] = {}
    for text in texts:
        name, equals, share = text.partition("=")
        if not equals or not name.strip():
            raise ParameterError(
                "A share of the budget is written NAME=SHARE.", hint="For example --split vote=2."
            )
        if name.strip() in split:
            raise ParameterError(
                f"Column '{name.strip()}' has two shares of the budget.", hint="Give it one."
            )
        split[name.strip()] = share.strip()
    return split or None


def read_stand_ins(
    texts: Sequence[str], columns: Sequence[str], option: str, symbols: Collection[str] = ()
) -> StandIns:
    """{column: symbol} from SYMBOL (for every column) or COLUMN=SYMBOL. Errors: ParameterError.

    `symbols`: of the alphabets that were listed. A symbol with "=" in it has to be one of them, or
    a misspelt column would become a symbol of every column.
    """
    found: StandIns = {}
    for text in texts:
        name, equals, symbol = text.partition("=")
        if equals and name not in columns and text.strip() not in symbols:
            raise ParameterError(
                f"{option} {text}: there is no column '{name}' among those that are released.",
                hint=f"They are {listed(columns)}. A symbol with '=' in it must be listed in an "
                "alphabet.",
            )
        targets = [name] if equals and name in columns else list(columns)
        value = (symbol if targets == [name] and equals else text).strip()
        if not value:
            raise ParameterError(f"{option} needs a symbol.", hint=f"For example {option} unknown.")
        for column in targets:
            if column in found:
                raise ParameterError(
                    f"{option} gives column '{column}' two symbols.", hint="Give it one."
                )
            found[column] = value
    return found


@dataclass(frozen=True)
class Domain:
    """The public alphabets of the columns and the symbols that stand in, by column."""

    alphabets: dict[str, Alphabet]
    missing: StandIns
    other: StandIns
    from_data: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """Which symbols --missing and --other added to which alphabet, a sentence a column."""


def settle_domain(
    columns: Mapping[str, Sequence[Hashable] | None],
    schema: "Schema | None",
    *,
    missing: Sequence[str],
    other: Sequence[str],
    from_data: Callable[[str], Alphabet] | None,
    all_columns: bool = False,
) -> Domain:
    """The alphabet of every column. Errors: ParameterError naming the column without one.

    `all_columns`: the one name stands for all columns of a word, and is called that.
    """
    names = list(columns)
    known = _listed_symbols(columns, schema)
    absent = read_stand_ins(missing, names, "--missing", known) or _from_schema(
        None if schema is None else schema.missing, names
    )
    unknown = read_stand_ins(other, names, "--other", known) or _from_schema(
        None if schema is None else schema.other, names
    )
    alphabets: dict[str, Alphabet] = {}
    taken: list[str] = []
    added: list[str] = []
    for name, typed in columns.items():
        symbols: list[Hashable] = []
        if typed is not None:
            symbols = [*typed]
        elif schema is not None and name in schema.columns:
            symbols = [*schema.columns[name]]
        elif from_data is not None:
            symbols = [*from_data(name).symbols]
            taken.append(name)
        else:
            raise ParameterError(
                f"Column '{name}' has no alphabet.",
                hint=f"List its categories, --column '{name}=a,b,c', or give a --schema file.",
            )
        extra = [stand_ins[name] for stand_ins in (absent, unknown) if name in stand_ins]
        fresh = [symbol for symbol in dict.fromkeys(extra) if symbol not in symbols]
        symbols += fresh
        alphabets[name] = _alphabet(symbols, name)
        if fresh:
            verb = "was" if len(fresh) == 1 else "were"
            where = "all columns" if all_columns else f"'{name}'"
            added.append(
                f"{listed([str(symbol) for symbol in fresh])} {verb} added to {where}: "
                f"{len(symbols)} categories"
            )
    return Domain(alphabets, absent, unknown, tuple(taken), tuple(added))


def _listed_symbols(
    columns: Mapping[str, Sequence[Hashable] | None], schema: "Schema | None"
) -> set[str]:
    """The symbols of all alphabets that were written down, as text."""
    written = [symbols for symbols in columns.values() if symbols is not None]
    if schema is not None:
        written += schema.columns.values()
    return {str(symbol) for symbols in written for symbol in symbols}


def _from_schema(
    given: str | int | Mapping[str, str | int] | None, names: Sequence[str]
) -> StandIns:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    return {name: given[name] for name in names if name in given}


def _alphabet(symbols: Sequence[Hashable], column: str) -> Alphabet:
    try:
        return Alphabet(symbols)
    except ParameterError as error:
        raise type(error)(f"Column '{column}': {error.message}", hint=error.hint) from None
