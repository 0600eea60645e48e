"""Model files: a chain, a hidden Markov model or a language, as JSON.

Contract. {"kind": "markov-chain" | "hidden-markov-model" | "language", ...}. A file that is not
there or not JSON is a FileFormatError; content that is not a model is a ModelError that names the
file and the row or field. A name that occurs twice in one object is refused: readers would silently
take the last. pydantic is loaded when the first file is read, and not before.
"""

import json
from pathlib import Path
from typing import Any

from privet.chains.hidden import HiddenMarkovModel
from privet.chains.markov import MarkovChain
from privet.errors import FileFormatError, ModelError, PrivetError
from privet.languages import Language

Model = MarkovChain | HiddenMarkovModel | Language

KINDS: dict[str, type[MarkovChain] | type[HiddenMarkovModel] | type[Language]] = {
    MarkovChain.kind: MarkovChain,
    HiddenMarkovModel.kind: HiddenMarkovModel,
    "language": Language,
}


def read_model(path: str | Path) -> Model:
    """The model in a file. Errors: FileFormatError, ModelError naming file and place."""
    place = Path(path)
    try:
        content = json.loads(place.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise _unreadable(place, f"line {error.lineno} is not JSON ({error.msg})") from None
    except (UnicodeDecodeError, RecursionError):
        raise _unreadable(place, "it is not JSON text in UTF-8") from None
    except _TwiceError as error:
        raise _unreadable(place, f"the name '{error}' is there twice") from None
    except OSError as error:
        raise _unreadable(place, f"it cannot be read ({error.strerror})") from None
    try:
        return model_from_json(content)
    except PrivetError as error:
        raise ModelError(
            f"The model {place} cannot be used: {error.message}",
            hint=error.hint,
            **{**error.payload, "path": str(place)},
        ) from None


def model_from_json(content: object) -> Model:
    """The model that parsed JSON describes. Errors: ModelError naming the row or the field."""
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(kind, str) or kind not in KINDS:
        raise ModelError(
            "The description names no kind of model.",
            hint=f'It begins with {{"kind": ...}}, one of {", ".join(KINDS)}.',
            field="kind",
        )
    _check_shape(kind, content)
    return KINDS[kind].from_json(content)


def _check_shape(kind: str, content: dict[str, Any]) -> None:
    """Fields and types, by pydantic, where the kind has a schema."""
    from pydantic import ValidationError

    from privet.chains.schema import FILES

    if kind not in FILES:
        return
    try:
        FILES[kind].model_validate(content)
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_input=False, include_context=False)
        field = _place(first["loc"])
        problem = f"{first['msg'][:1].lower()}{first['msg'][1:]}"
        if any(_place(other["loc"]) == field for other in others):
            problem = "neither text nor a number"  # one error for each type that was tried
        raise ModelError(
            f"{field}: {problem}.",
            hint=f"The form of a {kind} file is in docs/schemas/{kind}.json.",
            field=field,
        ) from None


class _TwiceError(Exception):
    """A name that occurs twice in one JSON object."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return content


def _place(location: tuple[int | str, ...]) -> str:
    """transition[2][0], without the names of the types that were tried."""
    text = ""
    for step in location:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step not in ("str", "int", "float", "bool"):
            text += f".{step}" if text else step
    return text or "the whole description"


def _unreadable(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(
        f"The model {path} cannot be read: {problem}.",
        hint='A model is JSON such as {"kind": "markov-chain", "initial": [...], ...}.',
        path=str(path),
    )
