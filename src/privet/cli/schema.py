"""The schema file: the public alphabets of a table, written by a person as JSON.

Contract. {"columns": {"vote": ["Clinton", "Dole"], "age": [1, 2, 3]}, "missing": "no answer",
"other": {"vote": "someone else"}}. Symbols are text or whole numbers; "missing" and "other" are one
symbol for all columns, or by column, and are added to the alphabets that lack them. Anything else
in the file, or a name twice, is refused with its place.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError

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
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once)
        return Schema.model_validate(content)
    except json.JSONDecodeError as error:
        raise _refusal(path, f"line {error.lineno} is not JSON ({error.msg})") from None
    except (UnicodeDecodeError, RecursionError):
        raise _refusal(path, "it is not JSON text in UTF-8") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = _place(first["loc"])
        raise _refusal(path, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
    except _TwiceError as error:
        raise _refusal(path, f"the name '{error}' is there twice") from None
    except OSError as error:
        raise _refusal(path, f"it cannot be read ({error.strerror})") from None


class _TwiceError(Exception):
    """A name that occurs twice in one JSON object; JSON readers would silently take the last."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return content


def _place(location: tuple[int | str, ...]) -> str:
    """columns.vote[2], without the names of the types that were tried."""
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step not in ("str", "int", "dict[str,union[str,int]]") and "[" not in step:
            text += f".{step}" if text else step
    return text or "the whole file"


def _refusal(path: Path, problem: str) -> ParameterError:
    return ParameterError(
        f"The schema {path} cannot be used: {problem}.",
        hint='It looks like {"columns": {"vote": ["Clinton", "Dole"]}, "missing": "no answer"}.',
        path=str(path),
    )
