"""A proof that no word of some lengths has a ratio above a bound, in a form anyone can re-check.

Contract. A certificate is data: the problem in integers, the bound, the lengths, how deep the
suffix sets go, and a tree of prefixes in preorder. A node is

- "split": every symbol that the control allows is a child, in order of the symbols;
- "cut": no suffix of the lengths that remain makes the vector of this prefix positive, which its
  products with the suffix sets show;
- ["below", i, "p/q"]: p/q times the vector of split node i (number i in preorder, same control
  state, every suffix length that remains here remains there too) is at least this vector on every
  suffix set, so a violation behind this prefix would be one behind that.

Why a valid tree proves the bound: take the violating suffix, behind any split node, of least
length. It is not empty, for the vector of a split node is not positive on the final weights. Its
first symbol leads to a cut child, which excludes it; or to a split child, behind which it is
shorter; or below a split node that has the same shorter suffix. Each is a contradiction.

The JSON form holds all integers as text, so no reader rounds them, and is sealed (`seal`).
`privet.weighted.check` re-checks it and imports nothing of the search.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz

from privet.exact import float_up
from privet.weighted.problem import RatioProblem
from privet.weighted.seal import sealed

KIND = "weighted-ratio-certificate"
VERSION = 2

Step = str | tuple[int, Fraction]
"""SPLIT, CUT, or (i, factor): below split node i."""

SPLIT = "split"
CUT = "cut"


@dataclass(frozen=True)
class Certificate:
    """No word of `shortest`..`longest` symbols (None: any number) has a ratio above `ratio`.

    `reach`, `depth`: exact suffix sets up to `reach` symbols, the cone of all suffixes of `depth`
    or more; `tree`: the nodes in preorder.
    """

    problem: RatioProblem
    ratio: Fraction
    shortest: int
    longest: int | None
    reach: int
    depth: int
    tree: tuple[Step, ...]

    def to_json(self) -> dict[str, Any]:
        """Lists, text, small integers and null only; the inverse is `privet.weighted.check`'s."""
        return sealed(
            {
                "kind": KIND,
                "version": VERSION,
                "problem": problem_to_json(self.problem),
                "ratio": fraction_text(self.ratio),
                "shortest": self.shortest,
                "longest": self.longest,
                "reach": self.reach,
                "depth": self.depth,
                "tree": [
                    step if isinstance(step, str) else ["below", step[0], fraction_text(step[1])]
                    for step in self.tree
                ],
            }
        )

    def __repr__(self) -> str:
        longest = "any" if self.longest is None else self.longest
        return (
            f"Certificate(ratio <= {float_up(self.ratio):.6g}, lengths {self.shortest}..{longest}, "
            f"{len(self.tree)} nodes)"
        )


def problem_to_json(problem: RatioProblem) -> dict[str, Any]:
    """The problem with its integers as text; a missing move has -1 and a null matrix."""
    return {
        "moves": [[*row] for row in problem.moves],
        "steps": [
            [None if m is None else [[integer_text(e) for e in row] for row in m] for m in matrices]
            for matrices in problem.steps
        ],
        "finals": [[integer_text(e) for e in final] for final in problem.finals],
        "initial": problem.initial,
        "first": [integer_text(e) for e in problem.first],
        "second": [integer_text(e) for e in problem.second],
    }


def integer_text(value: int) -> str:
    """The decimal digits; str() itself refuses to write more than some thousand."""
    return str(fmpz(value).str())


def fraction_text(value: Fraction) -> str:
    """As in "3/2", or "3" for a whole number."""
    over = integer_text(value.numerator)
    return over if value.denominator == 1 else f"{over}/{integer_text(value.denominator)}"
