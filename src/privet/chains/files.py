"""Model files: a chain, a box of chains, a hidden Markov model or a language, as JSON.

Contract. {"kind": "markov-chain" | "chain-box" | "hidden-markov-model" | "language", ...}; a
language comes in one of the forms of `languages.documents`, and docs/model-files.md shows them all.
A file that is not there or not JSON is a FileFormatError; content that is not a model is a
ModelError that names the file and the row or field. pydantic is loaded when the first file is read,
and not before.
"""

import os
from functools import partial
from pathlib import Path
from typing import Any

from privet.chains.box import ChainBox
from privet.chains.hidden import HiddenMarkovModel
from privet.chains.json_files import first_problem, read_json
from privet.chains.markov import MarkovChain
from privet.errors import FileFormatError, ModelError, ParameterTypeError, PrivetError
from privet.languages import Language
from privet.languages.documents import form_of
from privet.whole_files import read_path, write_json

Model = MarkovChain | HiddenMarkovModel | Language | ChainBox

KINDS: dict[str, type[Model]] = {
    MarkovChain.kind: MarkovChain,
    HiddenMarkovModel.kind: HiddenMarkovModel,
    "language": Language,
    ChainBox.kind: ChainBox,
}


def read_model(path: str | os.PathLike[str]) -> Model:
    """The model in a file. Errors: FileFormatError, ModelError naming file and place.

    ParameterTypeError for what is no path.
    """
    place = read_path(path, "A model")
    content = read_json(place, partial(_unreadable, place))
    try:
        return model_from_json(content)
    except PrivetError as error:
        raise ModelError(
            f"The model {place} cannot be used: {error.message}",
            hint=error.hint,
            **{**error.payload, "path": str(place)},
        ) from None


def save_model(model: Model, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write the file that `read_model` reads, whole or not at all; checked by reading it back.

    Errors: OutputError for a place that cannot be written to, or a file that exists, unless
    `overwrite`; ParameterTypeError for what is no model, or has symbols without a JSON form.
    """
    if not isinstance(model, Model):
        raise ParameterTypeError(
            f"A {type(model).__name__} is not a model.",
            hint="Give a MarkovChain, a ChainBox, a HiddenMarkovModel or a Language.",
            parameter="model",
        )
    write_json(path, model.to_json(), overwrite=overwrite)


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
    """Fields and types, by pydantic. Errors: ModelError."""
    from pydantic import ValidationError

    from privet.chains.schema import FILES, LANGUAGES

    # A language is checked as the form that it is in: errors need not speak of the other forms.
    shape = LANGUAGES[form_of(content)] if kind == "language" else FILES[kind]
    try:
        shape.model_validate(content)
    except ValidationError as error:
        field, problem = first_problem(error, content, "the whole description")
        raise ModelError(
            f"{field}: {problem}.",
            hint=f"The form of a {kind} file is in docs/schemas/{kind}.json.",
            field=field,
        ) from None


def _unreadable(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(
        f"The model {path} cannot be read: {problem}.",
        hint='A model is JSON such as {"kind": "markov-chain", "initial": [...], ...}.',
        path=str(path),
    )
