"""The exponential mechanism of McSherry and Talwar on a finite set of outputs.

Contract. P(y | x) is proportional to exp(rate * score(x, y)) with the exact rational rate
epsilon / (2 sensitivity) [mcsherry-talwar-2007]. The law is this real law, drawn exactly; scores
may differ by millions without any probability vanishing. Where all inputs are known, the stated
sensitivity is checked and what is really spent is certified.
"""

import math
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from flint import ctx

from privet.errors import ParameterError
from privet.exact import exact_number, read_count, read_epsilon
from privet.exact.enclosure import endpoints
from privet.exact.number import Number
from privet.mechanisms.base import Mechanism
from privet.mechanisms.exponential.law import GibbsLaw
from privet.mechanisms.exponential.scores import (
    Neighbours,
    Scores,
    ScoreTable,
    read_row,
    read_table,
)
from privet.privacy import Guarantee, RecordLoss, on_loss_grid
from privet.privacy.guarantee import decimal_up
from privet.randomness import current_source
from privet.symbols import Alphabet


class Exponential(Mechanism):
    """The exponential mechanism for one input and a finite public set of outputs.

    `outputs`: an Alphabet, or two or more distinct symbols. `scores`: higher is better; a function
    of (input, output), a mapping from inputs to scores (by output, or in the order of the outputs),
    or a table with a row for each of `inputs` (for each output, if square and `inputs` is not
    given). `sensitivity` > 0: the most by which the score of one output differs between
    neighbouring inputs. `neighbours`: "all" pairs of the inputs, or a list of pairs.

    A function without `inputs` is called on whatever `release` is given; its sensitivity is
    believed, and neighbours are any inputs between which no score moves by more than it. `rate`:
    the factor of the score in the exponent, exactly. Errors: ParameterError, ParameterTypeError,
    DataError.
    """

    name: ClassVar[str] = "exponential"
    title: ClassVar[str] = "exponential mechanism"

    def __init__(
        self,
        outputs: Alphabet | Iterable[Hashable],
        *,
        scores: Scores,
        sensitivity: Number,
        epsilon: Number,
        inputs: Alphabet | Iterable[Hashable] | None = None,
        neighbours: Neighbours = "all",
    ) -> None:
        self.outputs = outputs if isinstance(outputs, Alphabet) else Alphabet(outputs)
        self.epsilon = read_epsilon(epsilon)
        self.sensitivity = _read_sensitivity(sensitivity)
        self._most = on_loss_grid(self.epsilon)
        self.rate = self._most / (2 * self.sensitivity)
        self.table = read_table(self.outputs, scores, inputs, neighbours)
        self._scores = scores
        if self.table is not None:
            _check_sensitivity(self.table, self.sensitivity)
            self._laws = [self._law_of_row(row) for row in self.table.rows]
            self._losses: dict[bool, Fraction] = {}

    @property
    def guarantee(self) -> Guarantee:
        """Pure differential privacy of the input."""
        if self.table is None:
            unit = (
                "Any change of the input that moves no score by more than "
                f"{decimal_up(self.sensitivity, 6)}"
            )
        elif self.table.pairs is None:
            unit = f"Any one input of the {len(self.table.inputs)} listed"
        else:
            unit = f"Any one input against a neighbour ({len(self.table.pairs)} pairs are named)"
        return Guarantee(self.epsilon, Fraction(0), unit)

    def release(self, x: Any) -> Any:
        """One output, a symbol of `outputs`, for the one input `x`.

        Errors: DomainError (without the value) if the inputs are listed and `x` is not among them.
        """
        return self.outputs.symbols[int(self._law(x).draw(current_source(), 1)[0])]

    def release_many(self, inputs: Iterable[Any]) -> list[Any]:
        """An independent output for each input; the guarantee holds for each by itself.

        Errors: DomainError by position.
        """
        if self.table is None:
            return [self.release(x) for x in inputs]
        codes = self.table.inputs.encode(inputs)
        drawn = np.empty(codes.size, np.int64)
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            drawn[rows] = self._laws[code].draw(current_source(), rows.size)
        return [self.outputs.symbols[code] for code in drawn.tolist()]

    def probabilities(self, x: Any) -> npt.NDArray[np.float64]:
        """(K,) float64: entry j = P(output j | x). Private for a private `x`."""
        return self._law(x).probabilities()

    @property
    def response_matrix(self) -> npt.NDArray[np.float64]:
        """(inputs, K) float64: row i = P(output | input i). Errors: ParameterError if unlisted."""
        self._listed("The response matrix")
        return np.array([law.probabilities() for law in self._laws])

    def expected_shortfall(self, x: Any) -> float:
        """The expected amount by which the score of the output is below the best for `x`."""
        law = self._law(x)
        shortfalls = np.array([float(energy / self.rate) for energy in law.energies])
        return float(law.probabilities() @ shortfalls)

    @property
    def shortfall_bound(self) -> float:
        """log(K) / rate, an upper bound of `expected_shortfall` for every input (PROOF.md)."""
        return math.log(len(self.outputs)) / float(self.rate)

    def spent(self, length: int = 1) -> Fraction:
        """An upper bound of the epsilon really spent over all neighbouring inputs.

        Certified from the exact law where the inputs are listed, and epsilon otherwise. `length`:
        the number of inputs released for, each a unit of its own, so it only matters whether it is
        0.
        """
        if read_count(length, "length", minimum=0) == 0:
            return Fraction(0)
        return self._largest_loss(neighbours_only=True)

    def record_loss(self, length: int = 1) -> RecordLoss:
        """The loss of each of `length` records, for all pairs of inputs.

        Listed inputs: every record is one input (`release_many`) and loses what any two of ALL
        inputs can be told apart by, neighbours or not. A function of unlisted inputs: the input is
        made of `length` records, any values of which can occur together, and changing one moves no
        score by more than the sensitivity; each loses epsilon.
        """
        return RecordLoss.constant(length, self._largest_loss(neighbours_only=False))

    def parameters(self) -> dict[str, Any]:
        """Scores, sensitivity and epsilon as exact text, inputs, neighbours (as input numbers).

        Errors: ParameterError for a function of unlisted inputs, which has no text.
        """
        table = self._listed("A description")
        return {
            "epsilon": str(self.epsilon),
            "sensitivity": str(self.sensitivity),
            "inputs": table.inputs.to_json(),
            "scores": [[str(score) for score in row] for row in table.rows],
            "neighbours": "all" if table.pairs is None else [list(pair) for pair in table.pairs],
        }

    def to_json(self) -> dict[str, Any]:
        """{"mechanism": "exponential", "outputs": [...], parameters...}.

        Errors: as `parameters`.
        """
        return {
            "mechanism": self.name,
            "outputs": self.outputs.to_json(),
            **self.parameters(),
        }

    def __repr__(self) -> str:
        return (
            f"Exponential({self.outputs!r}, sensitivity={str(self.sensitivity)!r}, "
            f"epsilon={str(self.epsilon)!r})"
        )

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "Exponential":
        inputs, neighbours = Alphabet(data["inputs"]), data["neighbours"]
        if neighbours != "all":
            neighbours = [(inputs.symbols[i], inputs.symbols[j]) for i, j in neighbours]
        return cls(
            data["outputs"],
            scores=data["scores"],
            sensitivity=data["sensitivity"],
            epsilon=data["epsilon"],
            inputs=inputs,
            neighbours=neighbours,
        )

    def _listed(self, what: str) -> ScoreTable:
        if self.table is None:
            raise ParameterError(
                f"{what} needs all inputs, and the scores are a function of inputs not listed.",
                hint="Give inputs=[...] as well.",
                parameter="inputs",
            )
        return self.table

    def _law(self, x: Any) -> GibbsLaw:
        if self.table is not None:
            return self._laws[self.table.inputs.index(x)]
        assert callable(self._scores)
        return self._law_of_row(
            read_row(self.outputs, [self._scores(x, y) for y in self.outputs.symbols])
        )

    def _law_of_row(self, row: tuple[Fraction, ...]) -> GibbsLaw:
        best = max(row)
        return GibbsLaw([self.rate * (best - score) for score in row])

    def _largest_loss(self, neighbours_only: bool) -> Fraction:
        """An upper bound of log P(y|x) - log P(y|x') over y and pairs of inputs.

        Any two inputs are epsilon * (largest difference of scores) / sensitivity apart at most,
        epsilon rounded down to the grid of record losses.
        """
        if self.table is None:
            return self._most
        if neighbours_only not in self._losses:
            pairs = self.table.pairs if neighbours_only else None
            self._losses[neighbours_only] = _certified_loss(self._laws, pairs)
        loss = self._losses[neighbours_only]
        every_pair_is_covered = neighbours_only or self.table.pairs is None
        return min(self._most, loss) if every_pair_is_covered else loss


def _certified_loss(laws: list[GibbsLaw], pairs: tuple[tuple[int, int], ...] | None) -> Fraction:
    """The largest |log P_i(y) - log P_j(y)| over y and the pairs, rounded up."""
    largest = max(energy for law in laws for energy in law.energies)
    # The difference of two logarithms is small; they themselves may be as large as the energies.
    precision = 192 + (largest.numerator // largest.denominator).bit_length()
    logs = [law.log_probabilities(precision) for law in laws]
    with ctx.workprec(precision):
        if pairs is None:
            ends = [[endpoints(value) for value in column] for column in zip(*logs, strict=True)]
            return max(max(high for _, high in c) - min(low for low, _ in c) for c in ends)
        return max(
            endpoints(abs(a - b))[1]
            for i, j in pairs
            for a, b in zip(logs[i], logs[j], strict=True)
        )


def _read_sensitivity(value: Number) -> Fraction:
    sensitivity = exact_number(value, "sensitivity")
    if sensitivity <= 0:
        raise ParameterError(
            "sensitivity must be greater than 0.",
            hint="It is the most by which one record moves the score of one output.",
            parameter="sensitivity",
        )
    return sensitivity


def _check_sensitivity(table: ScoreTable, stated: Fraction) -> None:
    if stated < table.sensitivity:
        raise ParameterError(
            f"The stated sensitivity {stated} is below that of the scores, {table.sensitivity}.",
            hint="State at least the largest difference of a score between neighbouring inputs.",
            parameter="sensitivity",
        )
