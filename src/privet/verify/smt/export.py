"""The question as an SMT-LIB 2 file, for any solver.

Contract. "unsat" means that no word of the length is above the ratio; for a symbolic model also
that, whatever the values of the parameters, it is one: a row that is no law, a division by zero or
a ratio that is not positive makes the text satisfiable as well, so that a wrong model is never
taken for a private one. That the constraints have values at all is for the reader to see.
"""

from privet.chains import HiddenMarkovModel
from privet.verify.problem import Length, Secret
from privet.verify.smt.admission import faults
from privet.verify.smt.claims import Claim, read_claim
from privet.verify.smt.encodings import any_of, domain, encoded, logic
from privet.verify.smt.symbols import Entry, SymbolicModel

_HEADER = """\
; Is some word of {length} symbols more than the claimed ratio times as likely under the first law
; of a hidden Markov model as under the second? unsat: no. sat: yes, and word.t is the code of its
; symbol t, in the order of the {symbols} observations.{parameters}
; Encoding: {encoding}."""


def export(claim: Claim, encoding: str) -> str:
    """The text of one question, `(check-sat)` included."""
    lines, goal = encoded(claim, encoding)
    wrong = [fault.condition for fault in faults(claim)]
    header = _HEADER.format(
        length=claim.length,
        symbols=len(claim.model.observations),
        encoding=encoding,
        parameters="\n; sat also if some values allowed make it no model at all." if wrong else "",
    )
    return "\n".join(
        [
            header,
            f"(set-logic {logic(claim, encoding)})",
            *domain(claim.model.parameters),
            *lines,
            f"(assert {any_of([goal, *wrong])})",
            "(check-sat)",
            "",
        ]
    )


def smt_lib(
    model: SymbolicModel | HiddenMarkovModel,
    first: Secret,
    second: Secret,
    *,
    ratio: Entry,
    length: Length,
    encoding: str = "linear",
) -> str:
    """Whether a word is above the ratio, as SMT-LIB 2 text for any solver; needs no solver itself.

    Arguments as for `for_all_parameters`. "unsat" means that the claim holds. Errors: ModelError,
    ParameterError.
    """
    return export(read_claim(model, first, second, ratio, length), encoding)
