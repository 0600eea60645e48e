"""One claim about a model with parameters, read.

Contract. A word's weight is the sum of the weights of its continuations, so what holds of the
longest words asked about holds of shorter ones: one length decides. Whether all rows are laws is
for `privet.verify.smt.admission`. Errors: ModelError, ParameterError.
"""

from dataclasses import dataclass

from privet.chains import HiddenMarkovModel
from privet.errors import ParameterError
from privet.verify.problem import Length, Secret, read_length
from privet.verify.smt.expressions import Expression
from privet.verify.smt.symbols import (
    Entry,
    Row,
    SymbolicModel,
    read_symbolic_ratio,
    read_symbolic_secret,
    symbolic,
)


@dataclass(frozen=True)
class Claim:
    """No word of `length` symbols is more than `ratio` times as likely under `first`."""

    model: SymbolicModel
    first: Row
    second: Row
    ratio: Expression
    length: int

    @property
    def is_numeric(self) -> bool:
        """Whether no parameter occurs."""
        return not self.model.parameters.names


def read_claim(
    model: SymbolicModel | HiddenMarkovModel,
    first: Secret,
    second: Secret,
    ratio: Entry,
    length: Length,
) -> Claim:
    """The question, read. Errors: ModelError, ParameterError."""
    known = symbolic(model)
    return Claim(
        known,
        read_symbolic_secret(known, first, "first"),
        read_symbolic_secret(known, second, "second"),
        read_symbolic_ratio(known, ratio),
        longest(length),
    )


def longest(length: Length) -> int:
    """The one length that decides. Errors: ParameterError for words of every length."""
    found = read_length(length).longest
    if found is None:
        raise ParameterError(
            "A solver decides one length or a range, not every length.",
            hint="Give length=10, say; for models of numbers engine='exact' proves every length.",
            parameter="length",
        )
    return found


def laws(claim: Claim) -> "list[tuple[str, Row]]":
    """Every row that must be a law, with its name."""
    return [
        *claim.model.laws(),
        ("The law 'first'", claim.first),
        ("The law 'second'", claim.second),
    ]
