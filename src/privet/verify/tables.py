"""A finite mechanism in a CSV file: one row of output probabilities for each input.

Contract. Cells are exact numbers in text ("1/3", "0.1"). The first column holds the names of the
inputs if one of its cells below the first line is no number. The first line is a header if none of
its other cells is a number, or if the cell above the names is empty; a line of numbers with
something else among them is a mistake in a law, and never a header. Blank lines are skipped, and
names of inputs are distinct. Errors: FileFormatError naming the line; ModelError for rows that are
no laws.
"""

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from privet.chains.stochastic import read_stochastic
from privet.errors import FileFormatError, ParameterError
from privet.exact import exact_number

_FORM = (
    "A mechanism has a row for each input, of probabilities such as 1/3 or 0.1 with commas between "
    "them, so no decimal commas, semicolons or percent signs."
)


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
    except OSError as error:
        raise FileFormatError(
            f"{path} cannot be read: {error.strerror or 'input/output error'}.",
            hint="Check the path.",
            path=str(path),
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise FileFormatError(
            f"{path} cannot be read as CSV in UTF-8.", hint=_FORM, path=str(path)
        ) from None
    if not lines:
        raise FileFormatError(f"{path} holds no rows.", hint=_FORM, path=str(path))
    if max(map(len, lines)) == 1:
        raise FileFormatError(
            f"{path} has one column, and a mechanism at least two outputs.",
            hint=_FORM,
            path=str(path),
        )
    has_labels = not all(_is_number(line[0]) for line in lines[1:])
    skip = 1 if has_labels else 0
    header = lines.pop(0) if _is_header(lines[0], skip) else None
    inputs = [line[0] if has_labels else str(number) for number, line in enumerate(lines)]
    _check_distinct(inputs, path)
    for number, line in enumerate(lines):
        if not all(map(_is_number, line[skip:])):
            raise FileFormatError(
                f"Row {number} of {path} has a cell that is no number.",
                hint=f"{_FORM} Only a first line without any number names the outputs: "
                "'says 0', not 0.",
                path=str(path),
            )
    rows = read_stochastic([line[skip:] for line in lines], "the mechanism", inputs).exact
    width = len(rows[0])
    if header and len(header) not in (width, width + skip):
        raise FileFormatError(
            f"The first line of the file has {len(header)} names, and there are {width} outputs.",
            path=str(path),
        )
    outputs = header[-width:] if header else [str(number) for number in range(width)]
    return MechanismTable(rows, tuple(inputs), tuple(outputs))


def _check_distinct(inputs: list[str], path: str | Path) -> None:
    """Pairs of neighbours are given by name. Errors: FileFormatError."""
    first: dict[str, int] = {}
    for number, name in enumerate(map(str.strip, inputs)):
        if first.setdefault(name, number) != number:
            raise FileFormatError(
                f"Rows {first[name]} and {number} of the file have the same name.",
                hint="Give every input a name of its own.",
                path=str(path),
            )


def _is_header(line: list[str], skip: int) -> bool:
    """Whether the first line holds names of outputs; `skip`: cells above the names of inputs."""
    if skip and not line[0].strip():
        return True
    return not any(map(_is_number, line[skip:]))


def _is_number(cell: str) -> bool:
    try:
        exact_number(cell.strip(), "cell")
    except ParameterError:
        return False
    return True
