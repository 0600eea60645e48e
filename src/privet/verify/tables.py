"""A finite mechanism in a CSV file: one row of output probabilities for each input.

Contract. Cells are exact numbers in text ("1/3", "0.1"). The first line is a header if one of its
cells is no number; the first column holds the names of the inputs if one of its cells below is no
number. Blank lines are skipped. Errors: FileFormatError naming the line; ModelError for rows that
are no laws.
"""

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from privet.chains.stochastic import read_stochastic
from privet.errors import FileFormatError, ParameterError
from privet.exact import exact_number


@dataclass(frozen=True)
class MechanismTable:
    """`rows`: (inputs, outputs); the names are 0, 1, ... in text where the file has none."""

    rows: tuple[tuple[Fraction, ...], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def read_mechanism_table(path: str | Path) -> MechanismTable:
    """The mechanism in a CSV file."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            lines = [line for line in csv.reader(stream, strict=True) if any(map(str.strip, line))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileFormatError(
            f"The file cannot be read as CSV ({type(error).__name__}).", path=str(path)
        ) from None
    if not lines:
        raise FileFormatError("The file holds no rows.", path=str(path))
    has_labels = not all(_is_number(line[0]) for line in lines[1:])
    skip = 1 if has_labels else 0
    header = lines.pop(0) if not all(map(_is_number, lines[0][skip:])) else None
    inputs = [line[0] if has_labels else str(number) for number, line in enumerate(lines)]
    for number, line in enumerate(lines):
        if not all(map(_is_number, line[skip:])):
            raise FileFormatError(
                f"Row {number} of the file has a cell that is no number.", path=str(path)
            )
    rows = read_stochastic([line[skip:] for line in lines], "the mechanism", inputs).exact
    width = len(rows[0])
    outputs = header[-width:] if header else [str(number) for number in range(width)]
    return MechanismTable(rows, tuple(inputs), tuple(outputs))


def _is_number(cell: str) -> bool:
    try:
        exact_number(cell.strip(), "cell")
    except ParameterError:
        return False
    return True
