"""Subsampling: the mechanism sees a person's record only with some chance.

Contract. Row i of a table is the law of the output if the record is i, and one row that if it is
absent. With chance q the record is kept, otherwise the absent row answers: row i becomes
q P_i + (1 - q) P_absent. If P_i <= c P_absent and P_absent <= c P_i for every output, then the
sampled rows have at most the ratio 1 + q (c - 1), which is epsilon' = ln(1 + q (e^epsilon - 1))
[balle-barthe-gaboardi-2018], and exactly that if P_i = c P_absent for some output; delta becomes
q delta at that epsilon'.
"""

from privet.chains.stochastic import Rows, read_stochastic
from privet.errors import ParameterError
from privet.exact import read_count
from privet.exact.number import Number
from privet.verify.library.models import FiniteModel, read_chance


def subsampled(rows: Rows, *, share: Number, absent: int = 0) -> FiniteModel:
    """The table of the mechanism `rows` on a record that is kept with chance `share`.

    `absent`: the row that answers without the record; every other row is its neighbour. Errors:
    ModelError, ParameterError.
    """
    table = read_stochastic(rows, "the mechanism").exact
    kept, place = read_chance(share, "share"), read_count(absent, "absent", minimum=0)
    if kept == 0:
        raise ParameterError(
            "share is 0: no record is ever looked at.", hint="'1/10', say.", parameter="share"
        )
    if len(table) < 2 or place >= len(table):
        raise ParameterError(
            f"absent is not one of the {len(table)} rows, of which there must be two at least.",
            parameter="absent",
        )
    without = table[place]
    mixed = tuple(
        tuple(kept * p + (1 - kept) * q for p, q in zip(row, without, strict=True)) for row in table
    )
    names, outputs = tuple(range(len(table))), tuple(range(len(without)))
    pairs = tuple((place, i) for i in names if i != place)
    return FiniteModel(mixed, names, outputs, pairs)
