"""The spec file of `privet account`: a framework, releases with their losses, and a budget.

Contract. JSON or TOML (by its ending), written by a person. {"framework": {"unit": 1}, "budget": 2,
"releases": [{"length": 100, "loss": "0.1", "times": 10}]}. A release has one of: `length` and
`loss`, for `start` to `stop` only if given (stop left out, from 0); `values`, one loss a record;
`receipt`, a file. It may have `times`, `name` and `person`. The framework is {"unit": 1 or more or
"all"}, {"chain": FILE or several, "initial": ...}, {"box": FILE}, or the name of a file that holds
one. Files are looked for beside the spec. Anything else in the file is refused with its place.
"""

import tomllib
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, StrictFloat, StrictInt, StrictStr, ValidationError

from privet.chains.json_files import first_problem, read_json
from privet.errors import FileFormatError, ParameterError
from privet.privacy import RecordLoss

Amount = StrictStr | StrictInt | StrictFloat


class FrameworkSpec(BaseModel):
    """What the records are assumed to be."""

    model_config = ConfigDict(extra="forbid")

    unit: StrictInt | Literal["all"] | None = None
    chain: StrictStr | list[StrictStr] | None = None
    box: StrictStr | None = None
    initial: Literal["given", "stationary", "any"] | None = None


class ReleaseSpec(BaseModel):
    """One release, or `times` equal ones."""

    model_config = ConfigDict(extra="forbid")

    length: StrictInt | None = None
    loss: Amount | None = None
    start: StrictInt | None = None
    stop: StrictInt | None = None
    values: list[Amount] | None = None
    receipt: StrictStr | None = None
    times: StrictInt = 1
    name: StrictStr | None = None
    person: StrictStr | StrictInt | None = None

    def record_loss(self) -> RecordLoss | None:
        """The loss that stands here; None for a receipt. Errors: ParameterError."""
        described = [self.loss is not None, self.values is not None, self.receipt is not None]
        ranged = self.start is not None or self.stop is not None
        if sum(described) != 1 or (self.length is not None or ranged) != (self.loss is not None):
            raise ParameterError(
                "it has none, or several, of a length with a loss, values, and a receipt",
                hint='For example {"length": 100, "loss": "0.1"}.',
            )
        if self.values is not None:
            return RecordLoss.from_values(self.values)
        if self.loss is None:
            return None
        if self.length is None:
            raise ParameterError("its length is missing", hint="Add how many records there are.")
        start = 0 if self.start is None else self.start
        stop = self.length if self.stop is None else self.stop
        return RecordLoss.segment(self.length, start, stop, self.loss)


class Spec(BaseModel):
    """The content of a spec file."""

    model_config = ConfigDict(extra="forbid")

    framework: FrameworkSpec | StrictStr | None = None
    releases: list[ReleaseSpec] = []
    budget: Amount | None = None
    delta: Amount | None = None


def read_spec(path: Path) -> Spec:
    """The spec in a file. Errors: ParameterError naming the file and the place in it."""
    content = _toml(path) if path.suffix == ".toml" else read_json(path, partial(_refusal, path))
    try:
        return Spec.model_validate(content)
    except ValidationError as error:
        place, problem = first_problem(error, content, "the whole file")
        raise _refusal(path, f"{place}: {problem}") from None


def loss_in(path: Path, number: int, release: ReleaseSpec) -> RecordLoss | None:
    """The loss of a release of the file; None for a receipt. Errors: ParameterError by place."""
    try:
        return release.record_loss()
    except ParameterError as error:
        problem = error.message.rstrip(".")
        raise ParameterError(
            f"The spec {path} cannot be used: releases[{number}]: {problem}.",
            hint=error.hint,
            path=str(path),
        ) from None


def _toml(path: Path) -> object:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileFormatError(
            f"There is no file {path}.", hint="Check the path.", path=str(path)
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise _refusal(path, f"it is not TOML ({error})") from None
    except (UnicodeDecodeError, RecursionError, ValueError):
        raise _refusal(path, "it is not TOML text in UTF-8") from None
    except OSError as error:
        raise _refusal(path, f"it cannot be read ({error.strerror})") from None


def _refusal(path: Path, problem: str) -> ParameterError:
    return ParameterError(
        f"The spec {path} cannot be used: {problem}.",
        hint='It looks like {"framework": {"unit": 1}, "budget": 2, "releases": [{"length": 100, '
        '"loss": "0.1", "times": 10}]}.',
        path=str(path),
    )
