"""Planning a release, making it, and accounting for it."""

from privet.releasing.budget import table_mechanisms
from privet.releasing.decoding import METHODS, Decoding
from privet.releasing.feasible import FeasiblePlan
from privet.releasing.plan import Curve, Plan, PlanRow, can_estimate, plan, plan_curve
from privet.releasing.receipt import Part, Receipt
from privet.releasing.run import Release, release

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
    "plan",
    "plan_curve",
    "release",
    "table_mechanisms",
]
