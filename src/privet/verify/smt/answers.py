"""What the SMT engine can say, beside Holds, Violated and Undecided.

Contract. Values are re-checked before they stand here. What a solver said is unsatisfiable is not:
no proof comes with it, so its certificate names the solver, its version and the encoding and holds
the text, for another solver to be asked. `check_certificate` refuses it.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.verify.certificate import ModelCertificate
from privet.verify.outcome import NoTruthValue, Undecided, Violated
from privet.verify.smt.algebraic import Real


@dataclass(frozen=True)
class SolverCertificate:
    """Not independently checkable: `solver` of this `version` found `text` unsatisfiable.

    Where no solver was needed, `solver` is "privet", whose own exact arithmetic is to be believed.

    `encoding`: which form of the question; `length`: of the words, None for words of several;
    `text`: SMT-LIB 2.
    """

    solver: str
    version: str
    encoding: str
    length: int | None
    text: str = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Every field, and a kind that no certificate check accepts."""
        return {
            "kind": "solver-verdict",
            "checkable": False,
            "solver": self.solver,
            "version": self.version,
            "encoding": self.encoding,
            "length": self.length,
            "text": self.text,
        }

    def __str__(self) -> str:
        how = f"of the {self.encoding} encoding"
        if self.encoding == "word by word":
            how = self.encoding
        return f"{self.solver} {self.version} says so {how}; this is not independently checkable"


@dataclass(frozen=True)
class ParametersViolated(Violated):
    """The claim of the ratio `claimed` fails at `values`, which the constraints allow.

    At rational values everything is exact. At irrational ones (AlgebraicNumber) the fields bound
    what they name and still show the violation: `first_probability` from below,
    `second_probability` and `claimed` from above, and `ratio` from below.
    """

    values: dict[str, Real]
    claimed: Fraction

    @property
    def is_exact(self) -> bool:
        """Whether every value is rational."""
        return all(isinstance(value, Fraction) for value in self.values.values())


@dataclass(frozen=True)
class Found(NoTruthValue):
    """The claim holds at `values`, which satisfy the constraints.

    `certificates`: the exact engine's, one for each direction asked for; empty at irrational
    values, where every word was compared in exact algebraic arithmetic instead.
    """

    values: dict[str, Real]
    certificates: tuple[ModelCertificate, ...]


@dataclass(frozen=True)
class NotFound(NoTruthValue):
    """The claim holds at no values that the constraints allow; `words` rule them all out."""

    words: tuple[tuple[object, ...], ...]
    certificate: SolverCertificate


Search = Found | NotFound | Undecided
