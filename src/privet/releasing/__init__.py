"""Planning a release, making it, and accounting for it."""

from privet.releasing.budget import table_mechanisms
from privet.releasing.decoded import decode_release
from privet.releasing.decoding import METHODS, Decoding
from privet.releasing.feasible import FeasiblePlan
from privet.releasing.plan import Curve, Plan, PlanRow, can_estimate, plan, plan_curve
from privet.releasing.receipt import Part, Receipt
from privet.releasing.run import Release, release
from privet.releasing.table_words import words_from_table

__all__ = [
    "METHODS",
    "Curve",
    "Decoding",
    "FeasiblePlan",
    "Part",
    "Plan",
    "PlanRow",
    "Receipt",
    "Release",
    "can_estimate",
    "decode_release",
    "plan",
    "plan_curve",
    "release",
    "table_mechanisms",
    "words_from_table",
]
