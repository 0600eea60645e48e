"""What the data were like, estimated from their release: shares, likely words, the chain behind."""

from privet.estimate import decode
from privet.estimate.columns import columns
from privet.estimate.counting import Tally
from privet.estimate.frequencies import (
    FrequencyEstimate,
    frequencies,
    frequencies_by_position,
    frequencies_from_counts,
    tally,
)
from privet.estimate.joint import (
    JointEstimate,
    joint_frequencies,
    joint_frequencies_from_counts,
    joint_tally,
)
from privet.estimate.projection import project_to_simplex
from privet.estimate.transitions import TransitionEstimate, transitions
from privet.estimate.word_tally import WordTally

__all__ = [
    "FrequencyEstimate",
    "JointEstimate",
    "Tally",
    "TransitionEstimate",
    "WordTally",
    "columns",
    "decode",
    "frequencies",
    "frequencies_by_position",
    "frequencies_from_counts",
    "joint_frequencies",
    "joint_frequencies_from_counts",
    "joint_tally",
    "project_to_simplex",
    "tally",
    "transitions",
]
