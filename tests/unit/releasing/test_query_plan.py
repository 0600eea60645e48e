"""Planning a query: every mechanism at one guarantee, and when quilts cannot help."""

import json
from fractions import Fraction
from typing import Any

import pytest

from privet import ChainBox, MarkovChain, datasets
from privet.errors import ParameterError
from privet.mechanisms import MarkovLaplace, MarkovQuilt
from privet.privacy import MarkovFramework
from privet.queries import count, share
from privet.releasing import plan_query, scale_curves, series_mechanism
from privet.releasing.query_plan import METHODS

TITLES = ["group DP", "MQM approximate", "MQM exact", "propagation", "best of both", "Wasserstein"]


def binary(stay: str) -> MarkovChain:
    go = 1 - Fraction(stay)
    return MarkovChain(["1/2", "1/2"], [[stay, go], [go, stay]], ["off", "on"])


def framework(stay: str, initial: Any = "stationary") -> MarkovFramework:
    return MarkovFramework(binary(stay), initial=initial)


def test_the_scales_that_are_known() -> None:
    plan = plan_query(framework("0.8"), count("on"), epsilon=1, length=100)
    assert [row.title for row in plan.rows] == TITLES
    scales = {row.title: float(row.scale or 0) for row in plan.rows}
    assert scales["group DP"] == 100
    assert scales["MQM approximate"] == pytest.approx(24.0, rel=5e-3)
    assert scales["MQM exact"] == pytest.approx(13.08, rel=1e-3)
    assert scales["propagation"] < 4
    assert scales["best of both"] <= scales["propagation"]
    assert plan.recommended.title == "best of both"
    assert plan.recommended.mechanism == MarkovLaplace(plan.framework, epsilon=1)
    assert plan.mqm_helps
    assert "3.4 times less than MQM exact and 26 times less than group DP" in plan.reason
    for row in plan.rows:
        assert row.spent is not None
        assert row.spent <= 1
    assert plan.row("MQM exact").mechanism == MarkovQuilt(plan.framework, epsilon=1)


def test_what_is_spent_at_the_published_scale_is_less() -> None:
    seattle = datasets.seattle().words()
    chain = MarkovChain.fit(seattle, pseudocount="0.5")
    weather = MarkovFramework(chain, initial="stationary")
    plan = plan_query(weather, count("rain"), epsilon=5, length=1461)
    spent = plan.row("MQM exact").spent
    assert spent is not None
    assert float(spent) == pytest.approx(2.45, rel=0.01)


def test_slow_chains_are_told_before_anything_is_spent() -> None:
    plan = plan_query(framework("0.999"), count("on"), epsilon=1, length=20)
    assert not plan.mqm_helps
    assert "The Markov Quilt Mechanism cannot help here" in plan.reason
    between = plan_query(framework("0.95"), count("on"), epsilon=1, length=60)
    assert not between.mqm_helps
    assert "propagation still needs" in between.reason
    quick = plan_query(framework("0.6"), count("on"), epsilon=1, length=60)
    assert "cannot help" not in quick.reason


def test_a_box_with_an_impossible_step_is_told_from_a_slow_chain() -> None:
    said = []
    for least in ("0", "0.4"):
        box = ChainBox([["0.4", least], ["0.4", "0.4"]], [["1", "0.6"], ["0.6", "0.6"]])
        said.append(plan_query(MarkovFramework(box), "histogram", epsilon=1, length=60).reason)
    assert "the bounds allow some step to have probability 0" in said[0]
    assert "of fewer states" in said[0]
    assert "too slow" not in said[0]
    assert "cannot help" not in said[1]


def test_a_mechanism_that_cannot_run_says_why() -> None:
    periodic = MarkovChain(["1/2", "1/2"], [[0, 1], [1, 0]], ["off", "on"])
    plan = plan_query(MarkovFramework(periodic), "histogram", epsilon=1, length=9)
    approximate, transport = plan.row("MQM approximate"), plan.row("Wasserstein")
    assert approximate.scale is None
    assert "period" in approximate.note
    assert transport.scale is None
    assert "counts, shares and means" in transport.note
    assert plan.recommended.scale is not None
    json.dumps(plan.to_json(), allow_nan=False)


def test_several_people_share_the_divisor_and_not_the_scale() -> None:
    one = plan_query(framework("0.7"), share("on"), epsilon=1, length=30)
    many = plan_query(framework("0.7"), share("on"), epsilon=1, length=30, persons=50)
    counted = plan_query(framework("0.7"), count("on"), epsilon=1, length=30, persons=50)
    for row, other, third in zip(one.rows, many.rows, counted.rows, strict=True):
        assert row.scale is not None
        assert other.scale is not None
        assert third.scale is not None
        assert row.scale == 50 * other.scale
        assert third.scale == other.scale * 30 * 50
        assert row.expected_error == pytest.approx(50 * (other.expected_error or 0))
        assert row.half_width == pytest.approx(50 * (other.half_width or 0))
        assert row.spent == other.spent


def test_wasserstein_may_need_less_and_is_not_recommended() -> None:
    plan = plan_query(framework("0.6"), count("on"), epsilon=1, length=8)
    transport, best = plan.row("Wasserstein").scale, plan.recommended.scale
    assert transport is not None
    assert best is not None
    assert not plan.row("Wasserstein").composes
    assert plan.recommended.title == "best of both"
    assert (transport < best) == ("does not add up with others" in plan.reason)


def test_an_answer_that_is_known_beforehand() -> None:
    plan = plan_query(framework("0.6"), "transitions", epsilon=1, length=1)
    assert plan.reason.startswith("No step can move this answer")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_mechanism(method: str) -> None:
    mechanism = series_mechanism(framework("0.6"), "1/2", method)
    assert mechanism.epsilon == Fraction(1, 2)
    assert getattr(mechanism, "method", method) in (method, "exact")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"length": 0}, "length"),
        ({"persons": 0}, "persons"),
        ({"nodes": (5, 40)}, "range"),
        ({"query": "median"}, "no query"),
        ({"query": "mean"}, "level for each"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {"query": "histogram", "epsilon": 1, "length": 30, **change}
    with pytest.raises(ParameterError, match=message):
        plan_query(framework("0.6"), options.pop("query"), **options)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ParameterError, match="no method 'mqm'"):
        series_mechanism(framework("0.6"), 1, "mqm")


def test_curves_go_down_with_epsilon() -> None:
    curves = scale_curves(framework("0.7"), "count", epsilons=["0.5", 1, 2], length=30)
    assert [curve.title for curve in curves] == [t for t in TITLES if t != "best of both"]
    for curve in curves:
        assert curve.epsilons == (0.5, 1.0, 2.0)
        scales = [scale for scale in curve.scales if scale is not None]
        assert scales == sorted(scales, reverse=True)
    plan = plan_query(framework("0.7"), "count", epsilon=2, length=30)
    for curve in curves:
        assert curve.scales[-1] == float(plan.row(curve.title).scale or 0)
    boxless = scale_curves(framework("0.7", "any"), "count", epsilons=[1], length=30)
    assert "Wasserstein" not in [curve.title for curve in boxless]
