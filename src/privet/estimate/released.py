"""What was released, taken out of the object that `privet.release` gave.

Contract. Whatever is no such object comes back as it is. A table is not read here: which of its
columns make up a word is for `privet.words_from_table`, and the refusal says so.
"""

from dataclasses import fields, is_dataclass
from typing import Any

from privet.errors import DataError, ParameterTypeError


def bare(released: Any) -> Any:
    """The words or symbols in a `privet.Release`; anything else as it is.

    Errors: ParameterTypeError for the release of a table, DataError for decoded words.
    """
    if not _is_release(released):
        return released
    if "decoded" in released.receipt.layout:
        raise DataError(
            "These words were decoded: the noise left in them is not the mechanism's.",
            hint="Give the release that they were decoded from.",
        )
    if hasattr(type(released.data), "columns"):
        raise ParameterTypeError(
            "This is the release of a table, of which one column or its words are needed.",
            hint="Give release.data['name'] for a column, or privet.words_from_table(release) for "
            "words; privet.decode_release(release, chain) decodes it whole.",
        )
    return released.data


def _is_release(x: object) -> bool:
    """Known by its fields: the class itself is in a room above this one."""
    return is_dataclass(type(x)) and {"data", "receipt"} <= {each.name for each in fields(type(x))}  # type: ignore[arg-type]  # is_dataclass has just said so
