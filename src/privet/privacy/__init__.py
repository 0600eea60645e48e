"""What is promised: a guarantee in a sentence, the loss of each record, and the way between."""

from privet.privacy.framework import (
    Framework,
    IndependentRecords,
    MarkovBound,
    MarkovFramework,
)
from privet.privacy.guarantee import Guarantee
from privet.privacy.loss import RecordLoss

__all__ = [
    "Framework",
    "Guarantee",
    "IndependentRecords",
    "MarkovBound",
    "MarkovFramework",
    "RecordLoss",
]
