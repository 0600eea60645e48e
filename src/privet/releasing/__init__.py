"""Planning a release, making it, and accounting for it."""

from privet.releasing.answers import Answer
from privet.releasing.budget import table_mechanisms
from privet.releasing.decoded import decode_release
from privet.releasing.decoding import METHODS, Decoding
from privet.releasing.estimating import estimate_release
from privet.releasing.feasible import FeasiblePlan
from privet.releasing.finishing import Release
from privet.releasing.plan import Curve, Plan, PlanRow, can_estimate, plan, plan_curve
from privet.releasing.query_plan import (
    QueryPlan,
    QueryRow,
    ScaleCurve,
    plan_query,
    scale_curves,
    series_mechanism,
)
from privet.releasing.receipt import Part, Receipt
from privet.releasing.run import release
from privet.releasing.table_plan import ColumnPlan, TablePlan, plan_table, table_curves
from privet.releasing.table_words import words_from_table

__all__ = [
    "METHODS",
    "Answer",
    "ColumnPlan",
    "Curve",
    "Decoding",
    "FeasiblePlan",
    "Part",
    "Plan",
    "PlanRow",
    "QueryPlan",
    "QueryRow",
    "Receipt",
    "Release",
    "ScaleCurve",
    "TablePlan",
    "can_estimate",
    "decode_release",
    "estimate_release",
    "plan",
    "plan_curve",
    "plan_query",
    "plan_table",
    "release",
    "scale_curves",
    "series_mechanism",
    "table_curves",
    "table_mechanisms",
    "words_from_table",
]
