"""Verification files: a hidden Markov model, laws of its first state and a claim, in JSON or TOML.

Contract. {"kind": "verification", ...} as in docs/model-files.md. A number is what is written: 0.1
is 1/10, as "0.1" is. A name ending in .toml is TOML, any other JSON. A file that cannot be read is
a FileFormatError; content that asks no question is a ModelError that names the file and the field.
A pair of laws stands for both directions unless the file says one_way. pydantic is loaded when a
file is read, and not before.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.chains import HiddenMarkovModel
from privet.chains.json_files import first_problem, read_json
from privet.errors import FileFormatError, ModelError, PrivetError
from privet.exact.number import Number
from privet.verify.certificate import ModelCertificate
from privet.verify.certificate_files import Counterexample
from privet.verify.models import (
    NODE_LIMIT,
    TIME_LIMIT,
    hidden_markov,
    ratio_bracket,
    ratio_by_length,
)
from privet.verify.outcome import (
    INTERRUPTED,
    Bracket,
    Holds,
    Outcome,
    Undecided,
    Violated,
    interrupted,
)
from privet.verify.problem import Law, Length, length_from, read_secret, read_threshold
from privet.whole_files import read_path

if TYPE_CHECKING:
    from privet.verify.symbolic_files import SymbolicVerification

KIND = "verification"


@dataclass(frozen=True)
class PairOutcome:
    """What is known of the words under the law named `first`, against `second`."""

    first: str
    second: str
    outcome: Outcome


@dataclass(frozen=True)
class PairBracket:
    """The worst ratio of the law named `first` against `second`, as far as it is known."""

    first: str
    second: str
    bracket: Bracket


@dataclass(frozen=True)
class Verification:
    """A question from a file. `pairs`: every ordered pair of names of `laws` that is compared.

    At most one of `ratio` and `epsilon` is given; `length`: one, a range, or None for all.
    """

    model: HiddenMarkovModel
    laws: Mapping[str, Law]
    pairs: tuple[tuple[str, str], ...]
    ratio: Number | None = None
    epsilon: Number | None = None
    length: Length = None

    @property
    def has_claim(self) -> bool:
        """Whether there is a ratio or an epsilon to decide."""
        return self.ratio is not None or self.epsilon is not None

    def asking(
        self,
        *,
        ratio: Number | None = None,
        epsilon: Number | None = None,
        length: "str | Length" = "",
    ) -> "Verification":
        """The same with another claim, where one is given, and another length, likewise."""
        changed = self
        if ratio is not None or epsilon is not None:
            read_threshold(ratio, epsilon)
            changed = replace(changed, ratio=ratio, epsilon=epsilon)
        if length != "":
            changed = replace(changed, length=length_from(length))
        return changed

    def decide(
        self, *, time_limit: float | None = TIME_LIMIT, node_limit: int = NODE_LIMIT
    ) -> tuple[PairOutcome, ...]:
        """`hidden_markov` for every pair; the limits are for each, an interrupt ends all.

        Errors: ParameterError.
        """
        found: list[PairOutcome] = []
        for first, second in self.pairs:
            outcome: Outcome = interrupted()
            if not (found and _is_interrupted(found[-1].outcome)):
                outcome = hidden_markov(
                    self.model,
                    self.laws[first],
                    self.laws[second],
                    ratio=self.ratio,
                    epsilon=self.epsilon,
                    length=self.length,
                    time_limit=time_limit,
                    node_limit=node_limit,
                )
            found.append(PairOutcome(first, second, outcome))
        return tuple(found)

    def worst(
        self, *, time_limit: float | None = TIME_LIMIT, node_limit: int = NODE_LIMIT
    ) -> tuple[PairBracket, ...]:
        """`ratio_bracket` for every pair; the limits are for each, an interrupt ends all."""
        found: list[PairBracket] = []
        for first, second in self.pairs:
            bracket = interrupted().bracket
            if not found or found[-1].bracket.reason != INTERRUPTED:
                bracket = ratio_bracket(
                    self.model,
                    self.laws[first],
                    self.laws[second],
                    self.length,
                    time_limit=time_limit,
                    node_limit=node_limit,
                )
            found.append(PairBracket(first, second, bracket))
        return tuple(found)

    def by_length(
        self,
        longest: int,
        *,
        time_limit: float | None = TIME_LIMIT,
        node_limit: int = NODE_LIMIT,
    ) -> dict[tuple[str, str], list[Bracket]]:
        """`ratio_by_length` for every pair; the limits are for each length."""
        return {
            (first, second): ratio_by_length(
                self.model,
                self.laws[first],
                self.laws[second],
                longest,
                time_limit=time_limit,
                node_limit=node_limit,
            )
            for first, second in self.pairs
        }


def _is_interrupted(outcome: Outcome) -> bool:
    return isinstance(outcome, Undecided) and outcome.reason == INTERRUPTED


def read_verification(path: str | os.PathLike[str]) -> "Verification | SymbolicVerification":
    """The question in a file, about numbers or, with "parameters", about expressions.

    Errors: FileFormatError, ModelError naming file and field.
    """
    place = read_path(path, "A verification file")
    content = read_content(place)
    try:
        return verification_from(content)
    except PrivetError as error:
        raise ModelError(
            f"The file {place} cannot be verified: {error.message}",
            hint=error.hint,
            **{**error.payload, "path": str(place)},
        ) from None


def read_content(path: Path) -> Any:
    """What is written in a JSON or TOML file; numbers with a point are Decimals."""
    refusal = partial(_unreadable, path)
    if path.suffix.lower() != ".toml":
        return read_json(path, refusal, Decimal)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except FileNotFoundError:
        raise FileFormatError(
            f"There is no file {path}.", hint="Check the path.", path=str(path)
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise refusal(f"it is not TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except UnicodeDecodeError:
        raise refusal("it is not text in UTF-8") from None
    except RecursionError:
        raise refusal("its arrays or tables are nested too deeply") from None
    except OSError as error:
        raise refusal(f"it cannot be read ({error.strerror})") from None
    except ValueError:  # Python reads whole numbers of thousands of digits only when told to
        raise refusal("it holds a whole number of too many digits") from None


def verification_from(content: object) -> "Verification | SymbolicVerification":
    """The question that parsed JSON or TOML asks. Errors: ModelError naming the field."""
    check_shape(content)
    if not isinstance(content, dict):
        raise AssertionError
    given: dict[str, Any] = _in_text(content)
    pairs, length = read_pairs(given), read_file_length(given)
    if given.get("parameters") is not None:
        from privet.verify.symbolic_files import symbolic_from

        return symbolic_from(given, pairs, length)
    if given.get("ask") is not None:
        raise _field_error("ask", "there are no parameters that it could be about")
    model = HiddenMarkovModel(
        given["transition"], given["emission"], given.get("states"), given.get("observations")
    )
    laws = {name: _law(model, name, value) for name, value in given["initial"].items()}
    return Verification(model, laws, pairs, *read_claim(given), length=length)


def check_shape(content: object) -> None:
    """Fields and types, by pydantic. Errors: ModelError."""
    from pydantic import ValidationError

    from privet.verify.file_schema import VerificationFile

    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise ModelError(
            "It describes no question of verification.",
            hint=f'It begins with {{"kind": "{KIND}"}}; docs/model-files.md shows one.',
            field="kind",
        )
    try:
        VerificationFile.model_validate(content)
    except ValidationError as error:
        field, problem = first_problem(error, content, "the whole file")
        raise _field_error(field, problem) from None


def read_pairs(given: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Every ordered pair to compare. Errors: ModelError."""
    laws = given["initial"]
    pairs = [(first, second) for first, second in given.get("pairs") or combinations(laws, 2)]
    for number, pair in enumerate(pairs):
        for name in pair:
            if name not in laws:
                raise _field_error(f"pairs[{number}]", f"'{name}' is no law of 'initial'")
        if pair[0] == pair[1]:
            raise _field_error(f"pairs[{number}]", "a law is compared with itself")
    if not given.get("one_way"):
        pairs = [ordered for pair in pairs for ordered in (pair, pair[::-1])]
    return tuple(dict.fromkeys(pairs))


def read_claim(given: Mapping[str, Any]) -> tuple[Fraction | None, Fraction | None]:
    """(ratio, epsilon), at most one of them. Errors: ParameterError, ModelError."""
    ratio, epsilon = given.get("ratio"), given.get("epsilon")
    if ratio is None and epsilon is None:
        return None, None
    if ratio is not None and epsilon is not None:
        raise _field_error("epsilon", "there is a ratio too: give one of the two")
    from privet.exact import exact_number

    read_threshold(ratio, epsilon)
    if epsilon is not None:
        return None, exact_number(epsilon, "epsilon")
    return exact_number(ratio or 0, "ratio"), None


def read_file_length(given: Mapping[str, Any]) -> Length:
    """The lengths of the words. Errors: ParameterError, ModelError."""
    return length_from(given.get("length", "all"))


def _law(model: HiddenMarkovModel, name: str, value: Any) -> Law:
    """The law of the first state that is called `name`. Errors: ModelError."""
    by_text = {str(state): state for state in model.states}
    if isinstance(value, dict):
        if len(by_text) < len(model.states):
            raise _field_error(f"initial.{name}", "two states are one name in text: give a row")
        for state in value:
            if state not in by_text:
                raise _field_error(f"initial.{name}", f"'{state}' is no state of the model")
        value = {by_text[state]: share for state, share in value.items()}
    try:
        return read_secret(model, value, "the law")
    except PrivetError as error:
        told = error.message.rstrip(".")
        raise _field_error(f"initial.{name}", f"{told[:1].lower()}{told[1:]}") from None


def _in_text(content: Any) -> Any:
    """The same with decimals as they were written, which exact numbers are read from."""
    if isinstance(content, dict):
        return {name: _in_text(value) for name, value in content.items()}
    if isinstance(content, list):
        return [_in_text(value) for value in content]
    return str(content) if isinstance(content, Decimal) else content


def _field_error(field: str, problem: str) -> ModelError:
    return ModelError(
        f"{field}: {problem}.",
        hint="The form of the file is in docs/schemas/verification.json.",
        field=field,
    )


def _unreadable(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(
        f"The file {path} cannot be read: {problem}.",
        hint='It is JSON such as {"kind": "verification", ...}, or TOML; see docs/model-files.md.',
        path=str(path),
    )


def certificates_of(
    question: Verification, found: Sequence[object]
) -> list[ModelCertificate | Counterexample]:
    """What of `question.decide()` anyone can check again: proofs, and words above the ratio."""
    shown: list[ModelCertificate | Counterexample] = []
    for each in found:
        if not isinstance(each, PairOutcome):
            continue
        if isinstance(each.outcome, Violated):
            ratio = read_threshold(question.ratio, question.epsilon).high
            first, second = question.laws[each.first], question.laws[each.second]
            word = tuple(each.outcome.word)
            shown.append(Counterexample(question.model, first, second, ratio, word))
        elif isinstance(each.outcome, Holds):
            certificate = each.outcome.certificate
            if isinstance(certificate, ModelCertificate):
                shown.append(certificate)
    return shown
