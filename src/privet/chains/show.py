"""A chain as a table for people: in Python's print and on the command line alike.

Contract. A row for the first symbol, then one for each state; numbers are rounded for reading.
"""

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from privet.chains.markov import MarkovChain

LARGEST_TABLE = 12
"""A chain of more states is not printed as a table."""


def step_rows(
    chain: "MarkovChain", errors: npt.NDArray[np.float64] | None = None
) -> tuple[list[str], list[list[str]]]:
    """(header, rows): the probability of the next symbol after each, with its standard error.

    `errors`: (k + 1, k), those of the first symbol above those of the steps; infinite where the
    release does not tell, 0 where nothing was learnt.
    """
    names = [str(symbol) for symbol in chain.states]
    table = np.vstack([chain.initial, chain.transition])
    rows = []
    for number, (name, row) in enumerate(zip(["(start)", *names], table.tolist(), strict=True)):
        own = None if errors is None else errors[number].tolist()
        rows.append([name, *(_cell(p, None if own is None else own[j]) for j, p in enumerate(row))])
    return ["after", *names], rows


def _cell(probability: float, error: float | None) -> str:
    if error is None:
        return f"{probability:.4f}"
    if math.isinf(error):
        return f"{probability:.3f} unknown"
    return f"{probability:.3f} +- {error:.3f}" if error else f"{probability:.3f}"
