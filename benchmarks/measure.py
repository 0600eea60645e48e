"""What every measured process shares: the data, the clock, the memory meter, the way to report.

Contract. Imports the standard library and numpy only, since the peers' interpreter runs it too. The
data are the same everywhere: eight categories, drawn once from a fixed stream that has nothing to
do with a release. Time is CPU time of the whole process, all threads added up: a second core gains
nothing, and what else the machine does costs little.
"""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = 8
EPSILON = 1.0
LABELS = (
    "married",
    "widowed",
    "divorced",
    "separated",
    "never married",
    "partnered",
    "other",
    "not stated",
)
KEEP = math.exp(EPSILON) / (math.exp(EPSILON) + SIZE - 1)
"""P(a value is released as it is) in randomised response at this epsilon, whoever does it."""

_DEVIATIONS = 5.0
"""A right sampler strays further from its law once in about two million measurements."""


def public_codes(rows: int, size: int = SIZE) -> NDArray[Any]:
    """(rows,) codes below `size`, of the narrowest unsigned type; the same at every call."""
    dtype = np.min_scalar_type(size - 1)
    return np.random.default_rng(1965).integers(0, size, rows, dtype=dtype)


def rooms(side: int) -> NDArray[np.float64]:
    """Steps between the rooms of a square grid: stay with probability 0.8, else go next door.

    (side^2, side^2) transition matrix; a room has 2 to 4 doors.
    """
    size = side * side
    row, column = np.divmod(np.arange(size), side)
    far = abs(row[:, None] - row) + abs(column[:, None] - column)
    doors = (far == 1).astype(float)
    stay = 0.8 * np.eye(size)
    return np.asarray(0.2 * doors / doors.sum(axis=1, keepdims=True) + stay)


def cpu_seconds(call: Callable[[], object], repeats: int) -> tuple[list[float], Any]:
    """CPU seconds of each of `repeats` calls, and what the last one gave back."""
    seconds, result = [], None
    for _ in range(repeats):
        result = None  # the result before is gone before the next is made, as in a program
        start = time.process_time()
        result = call()
        seconds.append(time.process_time() - start)
    return seconds, result


def kept_as_the_law_says(kept: float, rows: int, law: float = KEEP) -> bool:
    """Whether the share of values kept is what that many independent answers give."""
    return abs(kept - law) <= _DEVIATIONS * math.sqrt(law * (1 - law) / rows)


def resident_bytes(field: str) -> int:
    """`VmRSS` (now) or `VmHWM` (at the peak) of this process. Errors: OSError outside Linux.

    getrusage would not do: its peak starts at the parent's.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def emit(**figures: object) -> None:
    """Hand the figures to the parent process: one JSON object, on the last line."""
    print(json.dumps(figures))
