"""Numbers on which privacy depends: exact at the door, with a named direction on the way out."""

from privet.exact.enclosure import (
    down,
    exp_down,
    exp_up,
    float_down,
    float_up,
    log_down,
    log_up,
    ratio_up,
    up,
)
from privet.exact.number import exact_number, read_count, read_delta, read_epsilon

__all__ = [
    "down",
    "exact_number",
    "exp_down",
    "exp_up",
    "float_down",
    "float_up",
    "log_down",
    "log_up",
    "ratio_up",
    "read_count",
    "read_delta",
    "read_epsilon",
    "up",
]
