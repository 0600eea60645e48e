"""Scores of outputs for inputs, read exactly.

Contract. A score is an exact rational (a float means its shortest decimal); NaN, infinities and
booleans are refused by input and output number, without the values. A table knows all its inputs,
so its sensitivity is computed and a smaller one that was stated is refused.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.exact import exact_number
from privet.exact.number import Number
from privet.symbols import Alphabet

ScoreFunction = Callable[[Any, Any], Number]
Scores = (
    ScoreFunction
    | Mapping[Any, Mapping[Any, Number] | Sequence[Number]]
    | Sequence[Sequence[Number]]
    | npt.NDArray[Any]
)
Neighbours = Literal["all"] | Iterable[tuple[Hashable, Hashable]]


@dataclass(frozen=True)
class ScoreTable:
    """`rows[i][j]`: the score of output j for input i; `pairs`: neighbours i < j, None for all."""

    inputs: Alphabet
    rows: tuple[tuple[Fraction, ...], ...]
    pairs: tuple[tuple[int, int], ...] | None

    @property
    def sensitivity(self) -> Fraction:
        """The most by which the score of one output differs between two neighbouring inputs."""
        if self.pairs is None:
            columns = list(zip(*self.rows, strict=True))
            return max((max(column) - min(column) for column in columns), default=Fraction(0))
        differences = (
            abs(a - b)
            for i, j in self.pairs
            for a, b in zip(self.rows[i], self.rows[j], strict=True)
        )
        return max(differences, default=Fraction(0))


def read_table(
    outputs: Alphabet,
    scores: Scores,
    inputs: Alphabet | Iterable[Hashable] | None,
    neighbours: Neighbours,
) -> ScoreTable | None:
    """The table of scores, or None for a function whose inputs are not listed.

    Errors: ParameterError, ParameterTypeError, DataError for a table of the wrong shape.
    """
    if callable(scores) and inputs is None:
        if neighbours != "all":
            raise ParameterError(
                "Neighbours can only be named among listed inputs.",
                hint="Give inputs=[...] as well.",
                parameter="neighbours",
            )
        return None
    known = _read_inputs(outputs, scores, inputs)
    if callable(scores):
        rows: Iterable[Any] = [[scores(x, y) for y in outputs.symbols] for x in known.symbols]
    elif isinstance(scores, Mapping):
        rows = [_row_of(scores, x, number) for number, x in enumerate(known.symbols)]
    else:
        rows = scores
        if len(scores) != len(known):
            raise DataError(f"There are {len(scores)} rows of scores for {len(known)} inputs.")
    table = tuple(read_row(outputs, row, number) for number, row in enumerate(rows))
    return ScoreTable(known, table, _read_neighbours(known, neighbours))


def read_row(outputs: Alphabet, row: object, number: int | None = None) -> tuple[Fraction, ...]:
    """The scores of all outputs for one input. Errors: DataError, ParameterError by position."""
    place = "" if number is None else f" for input {number}"
    if isinstance(row, Mapping):
        missing = [j for j, symbol in enumerate(outputs.symbols) if symbol not in row]
        if missing or len(row) != len(outputs):
            raise DataError(
                f"The scores{place} are not one for each output.",
                hint=f"{len(outputs)} outputs need a score each, and nothing else has one.",
            )
        row = [row[symbol] for symbol in outputs.symbols]
    if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
        raise ParameterTypeError(f"The scores{place} are neither a sequence nor a mapping.")
    if len(row) != len(outputs):
        raise DataError(f"There are {len(row)} scores{place}, but {len(outputs)} outputs.")
    return tuple(
        exact_number(score, f"The score of output {j}{place}") for j, score in enumerate(row)
    )


def _read_inputs(
    outputs: Alphabet, scores: Scores, inputs: Alphabet | Iterable[Hashable] | None
) -> Alphabet:
    if inputs is not None:
        return inputs if isinstance(inputs, Alphabet) else Alphabet(inputs)
    if isinstance(scores, Mapping):
        return Alphabet(scores)
    if isinstance(scores, str | bytes) or not isinstance(scores, Sequence | np.ndarray):
        raise ParameterTypeError(
            f"Scores cannot be read from a {type(scores).__name__}.",
            hint="Give a function of (input, output), a mapping, or a table with a row an input.",
            parameter="scores",
        )
    if len(scores) == len(outputs):
        return outputs
    raise ParameterError(
        f"The table of scores has {len(scores)} rows, and the inputs they belong to are not named.",
        hint="Give inputs=[...], one a row.",
        parameter="inputs",
    )


def _row_of(scores: Mapping[Any, Any], symbol: Hashable, number: int) -> Any:
    if symbol not in scores:
        raise DataError(f"There are no scores for input {number}.")
    return scores[symbol]


def _read_neighbours(
    inputs: Alphabet, neighbours: Neighbours
) -> tuple[tuple[int, int], ...] | None:
    if isinstance(neighbours, str):
        if neighbours != "all":
            raise ParameterError(
                "neighbours is neither 'all' nor a list of pairs of inputs.",
                parameter="neighbours",
            )
        return None
    found = set()
    for number, pair in enumerate(neighbours):
        if isinstance(pair, str | bytes) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterError(
                f"Entry {number} of neighbours is not a pair of inputs.", parameter="neighbours"
            )
        first, second = sorted(inputs.index(symbol) for symbol in pair)
        if first != second:
            found.add((first, second))
    if not found:
        raise ParameterError(
            "No two inputs are neighbours, so nothing would be protected.",
            hint="Name pairs of inputs, or use neighbours='all'.",
            parameter="neighbours",
        )
    return tuple(sorted(found))
