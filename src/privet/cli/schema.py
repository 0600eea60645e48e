"""The schema file: the public alphabets of a table, written by a person as JSON.

Contract. {"columns": {"vote": ["Clinton", "Dole"], "age": [1, 2, 3]}, "missing": "no answer",
"other": {"vote": "someone else"}}. Symbols are text or whole numbers; "missing" and "other" are one
symbol for all columns, or by column, and are added to the alphabets that lack them. Anything else
in the file, or a name twice, is refused with its place.
"""

from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

from privet.chains.json_files import first_problem, read_json
from privet.errors import ParameterError

Symbol = StrictStr | StrictInt


class Schema(BaseModel):
    """The content of a schema file."""

    model_config = ConfigDict(extra="forbid")

    columns: dict[str, list[Symbol]]
    missing: Symbol | dict[str, Symbol] | None = None
    other: Symbol | dict[str, Symbol] | None = None


def read_schema(path: Path) -> Schema:
    """The schema in a file. Errors: ParameterError naming the file and the place in it."""
    content = read_json(path, partial(_refusal, path))
    try:
        return Schema.model_validate(content)
    except ValidationError as error:
        place, problem = first_problem(error, content, "the whole file")
        raise _refusal(path, f"{place}: {problem}") from None


def _refusal(path: Path, problem: str) -> ParameterError:
    return ParameterError(
        f"The schema {path} cannot be used: {problem}.",
        hint='It looks like {"columns": {"vote": ["Clinton", "Dole"]}, "missing": "no answer"}.',
        path=str(path),
    )
