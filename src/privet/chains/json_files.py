"""JSON that people write: read with its place kept for errors, its shape checked by pydantic.

Contract. A name that occurs twice in one object is refused: readers would silently take the last.
Of what is wrong the first thing is named, by its line or by its place, transition[2][0]. What is
raised is up to the caller, who knows what the file is for: a `Refusal` makes the error. pydantic is
not loaded here; whoever has a shape to check has loaded it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import FileFormatError, PrivetError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Refusal = Callable[[str], PrivetError]
"""Makes the error from the problem, a phrase such as "line 3 is not JSON"."""


def read_json(path: Path, refusal: Refusal, parse_float: Callable[[str], object] = float) -> Any:
    """What the file holds; `parse_float`: what a number with a point or an exponent becomes.

    Errors: those of `refusal`; FileFormatError if there is no file.
    """
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_once, parse_float=parse_float)
    except FileNotFoundError:
        raise FileFormatError(
            f"There is no file {path}.", hint="Check the path.", path=str(path)
        ) from None
    except json.JSONDecodeError as error:
        raise refusal(f"line {error.lineno} is not JSON ({error.msg})") from None
    except UnicodeDecodeError:
        raise refusal("it is not JSON text in UTF-8") from None
    except RecursionError:
        raise refusal("its lists or objects are nested too deeply") from None
    except ValueError:  # Python reads whole numbers of thousands of digits only when told to
        raise refusal("it holds a whole number of too many digits") from None
    except _TwiceError as error:
        raise refusal(f"the name '{error}' is there twice") from None
    except OSError as error:
        raise refusal(f"it cannot be read ({error.strerror})") from None


def first_problem(error: "ValidationError", content: object, whole: str) -> tuple[str, str]:
    """(place, problem) of the first thing that pydantic found wrong with `content`.

    `whole`: what the place is called if it is all of the content.
    """
    found = error.errors(include_url=False, include_input=False, include_context=False)
    place = _place(found[0], content)
    # One error for each type that was tried there.
    tried = list(dict.fromkeys(each["msg"] for each in found if _place(each, content) == place))
    first, *others = (f"{message[:1].lower()}{message[1:]}" for message in tried)
    rest = (message.removeprefix("input should be ") for message in others)
    return place or whole, " or ".join([first, *rest])


class _TwiceError(Exception):
    """A name that occurs twice in one JSON object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return content


def _place(error: "ErrorDetails", content: Any) -> str:
    """transition[2][0]: the steps that lead somewhere; the others name types that were tried."""
    text, here = "", content
    for step in error["loc"]:
        if isinstance(here, list) and isinstance(step, int) and step < len(here):
            text, here = f"{text}[{step}]", here[step]
        elif isinstance(here, dict) and step in here:
            text, here = f"{text}.{step}", here[step]
        elif error["type"] == "missing" and step == error["loc"][-1]:
            text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")
