"""Verification files whose probabilities are expressions in parameters.

Contract. As `privet.verify.files`, for files with "parameters": entries, laws and the ratio may be
text such as "1 - p". Asked for "all" values, every pair is decided in both directions unless the
file says one_way; asked to "find" values, there is one pair, and they hold in both directions at
once. Errors: ModelError naming the field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from privet.errors import ModelError, ParameterError
from privet.exact.number import Number
from privet.verify.certificate import ModelCertificate
from privet.verify.certificate_files import Counterexample
from privet.verify.models import TIME_LIMIT
from privet.verify.outcome import Outcome
from privet.verify.problem import Length, length_from
from privet.verify.smt.answers import Found, ParametersViolated, Search
from privet.verify.smt.decide import for_all_parameters
from privet.verify.smt.expressions import value_of
from privet.verify.smt.find import find_parameters
from privet.verify.smt.symbols import (
    Parameters,
    Row,
    SymbolicModel,
    read_symbolic_ratio,
    read_symbolic_secret,
)

Ask = Literal["all", "find"]


@dataclass(frozen=True)
class SymbolicOutcome:
    """What is known of the words under the law named `first`, against `second`.

    `outcome`: of all values of the parameters, or the search for some.
    """

    first: str
    second: str
    outcome: Outcome | Search


@dataclass(frozen=True)
class SymbolicVerification:
    """A question about a model with parameters, from a file; `pairs` as in `Verification`."""

    model: SymbolicModel
    laws: Mapping[str, Row]
    pairs: tuple[tuple[str, str], ...]
    ratio: Number
    length: Length
    ask: Ask = "all"
    both_ways: bool = True

    def asking(
        self,
        *,
        ratio: Number | None = None,
        epsilon: Number | None = None,
        length: "str | Length" = "",
    ) -> "SymbolicVerification":
        """As `Verification.asking`. Errors: ParameterError for an epsilon too."""
        if epsilon is not None:
            raise ParameterError(
                "A model with parameters needs a ratio, not an epsilon.",
                hint="A ratio of 2 claims epsilon = ln 2 exactly.",
                parameter="ratio",
            )
        changed = self if ratio is None else replace(self, ratio=ratio)
        read_symbolic_ratio(self.model, changed.ratio)
        return changed if length == "" else replace(changed, length=length_from(length))

    def decide(self, *, time_limit: float | None = TIME_LIMIT) -> tuple[SymbolicOutcome, ...]:
        """The answers, one a pair; the limit is for each. Errors: ModelError, MissingExtraError."""
        if self.ask == "find":
            return (self._find(*self.pairs[0], time_limit),)
        return tuple(
            SymbolicOutcome(
                first,
                second,
                for_all_parameters(
                    self.model,
                    self.laws[first],
                    self.laws[second],
                    ratio=self.ratio,
                    length=self.length,
                    time_limit=time_limit,
                ),
            )
            for first, second in self.pairs
        )

    def _find(self, first: str, second: str, time_limit: float | None) -> SymbolicOutcome:
        found = find_parameters(
            self.model,
            self.laws[first],
            self.laws[second],
            ratio=self.ratio,
            length=self.length,
            both_ways=self.both_ways,
            time_limit=time_limit,
        )
        return SymbolicOutcome(first, second, found)

    def certificates(
        self, found: tuple[SymbolicOutcome, ...]
    ) -> list[ModelCertificate | Counterexample]:
        """What of the answers anyone can check again: not a solver's word."""
        shown: list[ModelCertificate | Counterexample] = []
        for each in found:
            if isinstance(each.outcome, Found):
                shown += each.outcome.certificates
            elif isinstance(each.outcome, ParametersViolated):
                shown += self._counterexample(each)
        return shown

    def _counterexample(self, each: SymbolicOutcome) -> list[Counterexample]:
        outcome = each.outcome
        if not isinstance(outcome, ParametersViolated):
            return []
        values = {name: v for name, v in outcome.values.items() if isinstance(v, Fraction)}
        if len(values) < len(outcome.values):
            return []
        laws = [
            tuple(value_of(entry, values) for entry in self.laws[name])
            for name in (each.first, each.second)
        ]
        model = self.model.at_exact(values)
        return [Counterexample(model, laws[0], laws[1], outcome.claimed, tuple(outcome.word))]


def symbolic_from(
    given: Mapping[str, Any], pairs: tuple[tuple[str, str], ...], length: Length
) -> SymbolicVerification:
    """The question of a file whose shape has been checked. Errors: ModelError."""
    model = SymbolicModel(
        given["transition"],
        given["emission"],
        Parameters(*given["parameters"]),
        given.get("states"),
        given.get("observations"),
    )
    if given.get("epsilon") is not None or given.get("ratio") is None:
        raise ModelError(
            "ratio: a model with parameters needs one, and no epsilon.",
            hint="A ratio of 2 claims epsilon = ln 2 exactly.",
            field="ratio",
        )
    ask: Ask = given.get("ask") or "all"
    both_ways = not given.get("one_way")
    if ask == "find" and len(pairs) > 1 + both_ways:
        raise ModelError(
            "pairs: values are found for one pair of laws, and there are several.",
            hint='Name one pair, or leave "ask" out.',
            field="pairs",
        )
    laws = {name: _law(model, name, value) for name, value in given["initial"].items()}
    read_symbolic_ratio(model, given["ratio"])
    return SymbolicVerification(model, laws, pairs, given["ratio"], length, ask, both_ways)


def _law(model: SymbolicModel, name: str, value: Any) -> Row:
    by_text = {str(state): state for state in model.states}
    if isinstance(value, dict):
        if len(by_text) < len(model.states):
            raise ModelError(
                f"initial.{name}: two states are one name in text: give a row.",
                field=f"initial.{name}",
            )
        for state in value:
            if state not in by_text:
                raise ModelError(
                    f"initial.{name}: '{state}' is no state of the model.", field=f"initial.{name}"
                )
        value = {by_text[state]: share for state, share in value.items()}
    return read_symbolic_secret(model, value, f"initial.{name}")
