"""Why releases cost what they cost together: the worst record, the bound that won, its parts.

Contract. An explanation states public things only: the framework, losses and names of releases. Its
numbers are rounded up. It also says what older theorems would have charged; III.5 and III.6 need
tables of outputs and are in `privet.accounting.rules` only.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.accounting.charge import Spends
from privet.accounting.older import OlderCharge, older_charges
from privet.exact import float_up
from privet.plain_text import text_table
from privet.privacy import Framework, IndependentRecords, MarkovBound, MarkovFramework, RecordLoss
from privet.privacy.guarantee import decimal_up

MOST_LINES = 20
"""Releases with a line of their own; the others are added up in one."""


@dataclass(frozen=True)
class Contribution:
    """`times` releases of that name and loss: what they lose `at_node` and `nearby`, together.

    `nearby`: the records that the winning quilt counts as near; None for other bounds.
    """

    name: str
    times: int
    at_node: Fraction
    nearby: Fraction | None

    def to_json(self) -> dict[str, Any]:
        """Exact text."""
        return {
            "name": self.name,
            "times": self.times,
            "at_node": str(self.at_node),
            "nearby": None if self.nearby is None else str(self.nearby),
        }


@dataclass(frozen=True)
class Explanation:
    """The epsilon, and why.

    `framework`: in words; `person`: the worst, None if nobody has releases of their own that
    matter; `node`: the worst record; `bound`: "quilt", "propagation" or "group" (the sum of all
    losses) on chains, or "steps" (an earlier bound and the losses since) if that alone shows that a
    budget was kept; "largest", "largest few" or "sum" under independent records; `detail`: the
    numbers of that bound by name (quilt: left, right, influence, nearby_loss; propagation: left,
    right, states); `contributions`: what the releases lose there; `older`: other theorems.
    """

    framework: str
    epsilon: Fraction
    person: Hashable | None
    node: int | None
    bound: str
    detail: dict[str, Any]
    contributions: tuple[Contribution, ...]
    older: tuple[OlderCharge, ...]

    def to_json(self) -> dict[str, Any]:
        """Epsilon as a decimal rounded up and exactly; the rest as it is."""
        return {
            "framework_in_words": self.framework,
            "epsilon": float_up(self.epsilon),
            "exact": {"epsilon": str(self.epsilon)},
            "person": self.person
            if isinstance(self.person, str | int | None)
            else str(self.person),
            "node": self.node,
            "bound": self.bound,
            "detail": {key: _plain(value) for key, value in self.detail.items()},
            "contributions": [each.to_json() for each in self.contributions],
            "older": [each.to_json() for each in self.older],
        }

    def __str__(self) -> str:
        paragraphs = [f"Epsilon {decimal_up(self.epsilon, 6)} in all: {self._why()}"]
        if self.contributions:
            paragraphs.append(self._releases())
        if self.older:
            paragraphs.append(self._older())
        return "\n\n".join([*paragraphs, f"This assumes: {self.framework}."])

    def _why(self) -> str:
        whose = "" if self.person is None else f" of person {self.person}"
        if self.node is None:
            return "nothing was lost."
        place = f"record {self.node} (counted from 0){whose} is worst"
        return f"{place}. {_sentence(self.bound, self.detail)}"

    def _releases(self) -> str:
        with_nearby = any(each.nearby is not None for each in self.contributions)
        columns = ["releases", "times", "loss there", *(["loss nearby"] if with_nearby else [])]
        rows = []
        for each in self.contributions:
            row = [each.name, str(each.times), decimal_up(each.at_node, 5)]
            rows.append([*row, *([] if each.nearby is None else [decimal_up(each.nearby, 5)])])
        return text_table(columns, rows)

    def _older(self) -> str:
        rows = [
            [
                each.theorem,
                each.covers,
                "-" if each.epsilon is None else decimal_up(each.epsilon, 5),
            ]
            for each in self.older
        ]
        theorems: dict[str, list[str]] = {}
        for each in self.older:
            if each.why_not:
                theorems.setdefault(each.why_not, []).append(each.theorem)
        reasons = [f"{', '.join(names)}: {why}." for why, names in theorems.items()]
        table = text_table(["older theorem", "for", "epsilon"], rows, text_columns=2)
        note = "III.5 and III.6 need tables of outputs: privet.accounting.rules.from_output_tables."
        return "\n".join([table, *reasons, note])


def explain(
    framework: Framework, total: RecordLoss, spends: Spends, person: Hashable | None
) -> Explanation:
    """The explanation of the summed loss `total` of those releases, for one person."""
    names = {key: key[0] or f"release {number}" for number, key in enumerate(spends, start=1)}
    losses = [(names[key], key[1].record_loss, times) for key, times in spends.items()]
    older = older_charges(framework, losses) if losses else ()
    if isinstance(framework, MarkovFramework):
        found = (
            framework.bound(total) if total.length else MarkovBound(Fraction(0), "group", 0, None)
        )
        node, detail, near = _on_chains(framework, found, total)
        words, epsilon, bound = "; ".join(framework.assumptions()), found.epsilon, str(found.method)
    else:
        node, near, detail = _largest(total), None, {"unit": framework.unit}
        epsilon, bound = framework.epsilon(total), _kind(framework)
        words = _in_words(framework)
    lines = [] if node is None else _contributions(losses, node, near)
    return Explanation(words, epsilon, person, node, bound, detail, tuple(lines), older)


def _on_chains(
    framework: MarkovFramework, found: MarkovBound, total: RecordLoss
) -> tuple[int | None, dict[str, Any], range | None]:
    from privet.chains import QuiltBound

    why = found.detail
    chain = {"chain": found.chain} if len(_chains(framework)) > 1 else {}
    if why is None:
        return _largest(total), chain, None
    if isinstance(why, QuiltBound):
        start = 0 if why.left is None else max(0, why.node - why.left + 1)
        stop = total.length if why.right is None else why.node + why.right
        numbers: dict[str, Any] = {
            "left": why.left,
            "right": why.right,
            "influence": why.influence,
            "nearby_loss": why.nearby_loss,
        }
        return why.node, {**numbers, **chain}, range(start, stop)
    states = [framework.alphabet.symbols[state] for state in why.pair]
    numbers = {"left": why.left, "right": why.right, "states": states}
    return why.node, {**numbers, "loss": total.at(why.node), **chain}, None


def _chains(framework: MarkovFramework) -> tuple[Any, ...]:
    return framework.chains if isinstance(framework.chains, tuple) else (framework.chains,)


def _largest(total: RecordLoss) -> int | None:
    """The first record with the largest loss."""
    most, start = total.maximum, 0
    if not most:
        return None
    for first, _, loss in total.pieces:
        if loss == most:
            start = first
            break
    return start


def _contributions(
    losses: list[tuple[str, RecordLoss, int]], node: int, near: range | None
) -> list[Contribution]:
    lines = [
        Contribution(
            name, times, times * loss.at(node), None if near is None else times * loss.within(near)
        )
        for name, loss, times in losses
    ]
    lines.sort(key=lambda each: (each.nearby or each.at_node, each.at_node), reverse=True)
    if len(lines) <= MOST_LINES:
        return lines
    shown, rest = lines[: MOST_LINES - 1], lines[MOST_LINES - 1 :]
    others = Contribution(
        f"{len(rest)} others",
        sum(each.times for each in rest),
        sum((each.at_node for each in rest), Fraction(0)),
        None if near is None else sum((each.nearby or Fraction(0) for each in rest), Fraction(0)),
    )
    return [*shown, others]


def _kind(framework: IndependentRecords) -> str:
    if framework.unit == "all":
        return "sum"
    return "largest" if framework.unit == 1 else "largest few"


def _in_words(framework: IndependentRecords) -> str:
    if framework.unit == "all":
        return "all records of a person may change at once"
    if framework.unit == 1:
        return "any one record may change, whatever the others are"
    return f"any {framework.unit} records may change, whatever the others are"


def _sentence(bound: str, detail: Mapping[str, Any]) -> str:
    if bound == "quilt":
        sides = [
            f"{detail[side]} to the {side}"
            for side in ("left", "right")
            if detail[side] is not None
        ]
        return (
            f"A quilt gives the bound, with parts {' and '.join(sides)}: they tell at most "
            f"{detail['influence']:.5g} about it, and the records nearer by lose "
            f"{decimal_up(detail['nearby_loss'], 5)}."
        )
    if bound == "propagation":
        first, second = detail["states"]
        return (
            f"Propagation gives the bound, for telling {first!r} from {second!r}: it loses "
            f"{decimal_up(detail['loss'], 5)} itself, the records before it add "
            f"{detail['left']:.5g} and those after it {detail['right']:.5g}."
        )
    return {
        "group": "No bound is smaller than the sum of all losses.",
        "steps": "The epsilon of earlier releases and the losses added since bound it.",
        "sum": "The losses of all records add up.",
        "largest": "Its losses add up, and no other record loses more.",
        "largest few": "It and the records that lose most besides it add up.",
    }[bound]


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value
