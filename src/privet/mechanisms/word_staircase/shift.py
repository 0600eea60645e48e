"""The shift of the staircase with the fewest expected errors, for one word length.

Contract. Floats, in logarithms: the answer is the best shift but for ties within rounding, and any
answer in 0..b-1 is private. All b candidates cost one pass over the levels.

How. Write l = c + j b with 1 <= c <= b for a level l >= 1. The staircase with shift r gives it
Q^j if c <= r and Q^(j+1) if c > r. So with G_c = sum over j of M_l Q^j and H_c = sum of l M_l Q^j,
M_l the number of words at level l, the expected errors are (sum of H_c, c <= r, + Q sum of H_c,
c > r) / (1 + the same in G), and running sums over c give every r.
"""

import numpy as np
import numpy.typing as npt

from privet.mechanisms.levels import log_level_weights, staircase_step_logs

FloatArray = npt.NDArray[np.float64]


def best_shift(length: int, size: int, log_factor: float, period: int) -> int:
    """r in 0..min(period, length)-1, for words of `length` >= 1 symbols over `size`."""
    candidates = min(period, length)
    if candidates == 1:
        return 0
    return int(np.argmin(_log_expected_errors(length, size, log_factor, period)[:candidates]))


def _log_expected_errors(length: int, size: int, log_factor: float, period: int) -> FloatArray:
    """(classes,) float64: entry r = the logarithm of the expected errors with shift r."""
    # The law with shift 0 has log(M_l Q^(j+1) / Z) for l >= 1: the classes stepped down.
    steps = staircase_step_logs(length, log_factor, period)
    stepped = log_level_weights(length, size, steps)
    stepped_mass = _by_class(stepped[1:], period)
    stepped_errors = _by_class(stepped[1:] + np.log(np.arange(1, length + 1)), period)
    mass = _below_and_above(stepped_mass, log_factor)
    errors = _below_and_above(stepped_errors, log_factor)
    return np.asarray(errors - np.logaddexp(stepped[0], mass), np.float64)


def _by_class(logs: FloatArray, period: int) -> FloatArray:
    """Log-sums over each residue class: entry c - 1 sums the levels c, c + b, c + 2b, ..."""
    classes = min(period, logs.size)
    rows = -(-logs.size // classes)
    padded = np.full(rows * classes, -np.inf)
    padded[: logs.size] = logs
    return np.asarray(np.logaddexp.reduce(padded.reshape(rows, classes), axis=0), np.float64)


def _below_and_above(stepped: FloatArray, log_factor: float) -> FloatArray:
    """Entry r: log(sum of the classes c <= r without the step, and c > r with it)."""
    below = np.logaddexp.accumulate(stepped - log_factor)[:-1]
    above = np.logaddexp.accumulate(stepped[::-1])[::-1]
    return np.asarray(np.logaddexp(np.concatenate([[-np.inf], below]), above), np.float64)
