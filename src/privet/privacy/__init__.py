"""What is promised: a guarantee in a sentence, the loss of each record, and the way between."""

from privet.privacy.framework import (
    Framework,
    IndependentRecords,
    MarkovFramework,
)
from privet.privacy.frameworks import framework_from_json, framework_to_json
from privet.privacy.guarantee import Guarantee
from privet.privacy.loss import LossSum, RecordLoss, on_loss_grid
from privet.privacy.meter import MarkovBound, MarkovMeter
from privet.privacy.response import Response

__all__ = [
    "Framework",
    "Guarantee",
    "IndependentRecords",
    "LossSum",
    "MarkovBound",
    "MarkovFramework",
    "MarkovMeter",
    "RecordLoss",
    "Response",
    "framework_from_json",
    "framework_to_json",
    "on_loss_grid",
]
