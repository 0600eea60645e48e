"""What `release` is given besides the mechanism and the data: names, phrases, and what may not be.

Contract. Names of columns and phrases for the guarantee are public text. What a release has no use
for is refused, never ignored.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from privet.errors import ParameterError, ParameterTypeError, PrivetError
from privet.mechanisms import Mechanism, SeriesMechanism
from privet.mechanisms.base import HammingMechanism
from privet.releasing.spark import is_spark_frame
from privet.symbols import Codes, Words

Mechanisms = Mechanism | Mapping[str, Mechanism]
Names = str | Sequence[str]


def refuse(given: object, parameter: str, reason: str) -> None:
    """Errors: ParameterError if the parameter was given though it does not apply."""
    if given:
        raise ParameterError(
            f"{parameter} does not apply to this release: {reason}.",
            hint=f"Leave {parameter} out.",
            parameter=parameter,
        )


def is_bare(data: object) -> bool:
    """Whether the data have no columns."""
    return isinstance(data, Words | Codes | list | tuple | np.ndarray)


def names_present(mechanism: Mechanisms, data: Any) -> list[str]:
    """The names of the columns of a table or file; none for what has no columns, or is not there.

    What is wrong with a file is said when it is read, after the request itself was checked.
    """
    reads_tables = isinstance(mechanism, Mapping | HammingMechanism | SeriesMechanism)
    if is_bare(data) or not reads_tables:
        return []
    if is_spark_frame(data):
        return list(data.columns)
    from privet.data import names_in_file, names_in_frame

    if not isinstance(data, str | os.PathLike):
        return names_in_frame(data) or []
    try:
        return names_in_file(os.fspath(data))
    except PrivetError:
        return []


def expanded(names: tuple[str, ...], present: Sequence[str]) -> tuple[str, ...]:
    """Names for patterns and ranges, where the columns are known."""
    if not present or set(names) <= set(present):
        return names
    from privet.data import expand_columns

    return tuple(expand_columns(present, names))


def phrases(given: str | Sequence[str], parameter: str) -> tuple[str, ...]:
    """One phrase or several. Errors: ParameterTypeError for what is no text."""
    read = given if isinstance(given, list | tuple) else (given,)
    if not all(isinstance(phrase, str) for phrase in read):
        raise ParameterTypeError(
            f"{parameter} must be text, or a list of texts.",
            hint="Give sentences or phrases as text.",
            parameter=parameter,
        )
    return tuple(read)


def names_of(given: Names | None, parameter: str) -> tuple[str, ...]:
    """Column names, each once. Errors: ParameterError, ParameterTypeError."""
    if given is None:
        return ()
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise ParameterTypeError(
            f"{parameter} must be column names.", hint="Column names are text.", parameter=parameter
        )
    if len(set(names)) != len(names):
        raise ParameterError(f"{parameter} names a column twice.", hint="Name each column once.")
    return names
