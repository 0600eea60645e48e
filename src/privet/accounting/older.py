"""What the older theorems would have charged for the same releases, or which condition fails.

Contract. The epsilon that a release has by itself is found the way its theorem's authors found it:
under independent records from its losses; on chains from quilts alone, exact or (for III.3)
approximate ones. A theorem that does not apply has no epsilon and says why not. III.1 and III.3
cover the nodes of the two parts only. III.5 and III.6 need output tables and are in
`privet.accounting.rules` alone.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.accounting import rules
from privet.accounting.rules.conditions import Part, failed
from privet.chains import ChainBox
from privet.chains.approximate import approximate_sides
from privet.chains.quilt.loads import Loads
from privet.chains.quilt.objectives import LossObjective
from privet.chains.quilt.worst import worst_node
from privet.errors import ModelError, ParameterError
from privet.exact import float_up, read_count
from privet.privacy import Framework, IndependentRecords, MarkovFramework, RecordLoss

MOST_LOSSES = 200
"""Different losses beyond which the older theorems are not worked out."""

Spends = Counter[RecordLoss]
"""{loss: how many times}."""

Known = dict[RecordLoss, Fraction]
"""The epsilons of releases by themselves, as far as they were worked out."""


@dataclass(frozen=True)
class OlderCharge:
    """`epsilon` by `theorem`, for the secrets it `covers`; or None, and `why_not`."""

    theorem: str
    epsilon: Fraction | None
    why_not: str
    covers: str

    def to_json(self) -> dict[str, Any]:
        """The epsilon as a decimal rounded up, and exactly as text."""
        known = self.epsilon
        return {
            "theorem": self.theorem,
            "epsilon": None if known is None else float_up(known),
            "why_not": self.why_not,
            "covers": self.covers,
            "exact": {"epsilon": None if known is None else str(known)},
        }


def older_charges(
    framework: Framework, losses: Sequence[tuple[str, RecordLoss, int]]
) -> tuple[OlderCharge, ...]:
    """One charge a theorem, for releases (name, loss, how many times) about the same records.

    A shorter loss is 0 beyond its end.
    """
    spends: Spends = Counter()
    length = max((loss.length for _, loss, _ in losses), default=0)
    for _, loss, times in losses:
        if read_count(times, "times", 0):
            spends[loss.extended(length)] += times
    known: Known = {}
    charges = []
    for theorem, (covers, charge) in _THEOREMS.items():
        try:
            _check_size(theorem, spends)
            charges.append(OlderCharge(theorem, charge(framework, spends, known), "", covers))
        except ParameterError as error:
            why = str(error.payload.get("condition", error.message))
            charges.append(OlderCharge(theorem, None, why, covers))
    return tuple(charges)


def _check_size(theorem: str, spends: Spends) -> None:
    if not spends:
        raise failed(theorem, "there are no releases", "Add one.")
    if len(spends) > MOST_LOSSES:
        raise failed(
            theorem,
            f"it is worked out for up to {MOST_LOSSES} different losses",
            "Call the rule with the epsilons of the releases.",
        )


def _alone(framework: Framework, loss: RecordLoss, known: Known) -> Fraction:
    """The epsilon of one release by itself; on chains, that of its quilts."""
    if loss not in known:
        known[loss] = (
            framework.epsilon(loss)
            if isinstance(framework, IndependentRecords)
            else framework.epsilon(loss, method="quilt")
        )
    return known[loss]


def _sums(framework: Framework, spends: Spends, known: Known) -> list[Fraction]:
    """What the releases of each loss charge together, if they add up."""
    return [times * _alone(framework, loss, known) for loss, times in spends.items()]


def _sequential(framework: Framework, spends: Spends, known: Known) -> Fraction:
    rules.sequential_composition(framework, [0])  # refuses a chain before anything is worked out
    return rules.sequential_composition(framework, _sums(framework, spends, known))


def _parallel(framework: Framework, spends: Spends, known: Known) -> Fraction:
    releases: list[tuple[Fraction, Part]] = []
    rules.parallel_composition(framework, [(0, (0, 1))])
    for loss, times in spends.items():
        for start, stop, value in loss.pieces:
            if value:
                # A release that was made again is a second one about the same records.
                releases += [(_alone(framework, loss, known), (start, stop))] * min(times, 2)
    return rules.parallel_composition(framework, releases or [(0, (0, 1))])


def _same_quilts(framework: Framework, spends: Spends, known: Known) -> Fraction:
    name = "Theorem II.6"
    rules.same_active_quilts(framework, 1, [0])
    if any(len(loss.pieces) > 1 or not loss.maximum for loss in spends):
        raise failed(
            name,
            "a release does not read all nodes alike, and the theorem is about queries of the "
            "whole series",
            "Use an Accountant.",
        )
    length = next(iter(spends)).length
    epsilons = [
        each for loss, times in spends.items() for each in [_alone(framework, loss, known)] * times
    ]
    return rules.same_active_quilts(framework, length, epsilons)


def _sum_of_quilts(framework: Framework, spends: Spends, known: Known) -> Fraction:
    rules.sum_of_quilt_mechanisms(framework, [0])
    return rules.sum_of_quilt_mechanisms(framework, _sums(framework, spends, known))


def _subchains(framework: Framework, spends: Spends, known: Known) -> Fraction:
    name = "Theorem III.1"
    rules.disjoint_subchains(framework, (0, 1), (1, 2), (0, 0))
    (first, one), (second, two) = _two_parts(name, spends)
    alone = [
        sum((spends[loss] * _alone(framework, loss, known) for loss in losses), Fraction(0))
        for losses in (one, two)
    ]
    return rules.disjoint_subchains(framework, first, second, (alone[0], alone[1]))


def _subchains_with_quilts(framework: Framework, spends: Spends, _known: Known) -> Fraction:
    name = "Theorem III.3"
    rules.disjoint_subchains(framework, (0, 1), (1, 2), (0, 0))
    (first, one), (second, two) = _two_parts(name, spends)
    if any(len(losses) > 1 or spends[losses[0]] > 1 for losses in (one, two)):
        raise failed(name, "a part has more than one release", "Use an Accountant.")
    alone = [
        _approximate_epsilon(name, framework, losses[0], part)
        for part, losses in ((first, one), (second, two))
    ]
    return rules.disjoint_subchains_with_quilts(framework, first, second, (alone[0], alone[1]))


def _approximate_epsilon(name: str, framework: Framework, loss: RecordLoss, part: Part) -> Fraction:
    """The epsilon for which the approximate mechanism on that part has this loss on each node."""
    inside = [value for _, _, value in loss.pieces if value]
    if len(inside) > 1:
        raise failed(name, "a release does not read all nodes of its part alike", "See III.1.")
    loads = Loads([(0, part[1] - part[0], inside[0])])
    if not isinstance(framework, MarkovFramework) or isinstance(framework.chains, ChainBox):
        raise failed(name, "it is about chains with a stationary law, not a box of chains", "")
    try:
        sides = approximate_sides(framework.chains, loads.length)
    except ModelError as error:
        why = f"Lemma II.3 does not cover the chains ({error.message.rstrip('.')})"
        raise failed(name, why, "Use an Accountant.") from None
    return worst_node(sides, loads, LossObjective(loads.unit)).value


def _two_parts(name: str, spends: Spends) -> list[tuple[Part, list[RecordLoss]]]:
    """The two parts of the series that are read, and the losses of each, in order."""
    parts: list[tuple[Part, list[RecordLoss]]] = []
    for part, loss in sorted(
        ((part, loss) for loss in spends if (part := _hull(loss))), key=lambda each: each[0]
    ):
        if parts and part[0] < parts[-1][0][1]:
            (start, stop), losses = parts.pop()
            parts.append(((start, max(stop, part[1])), [*losses, loss]))
        else:
            parts.append((part, [loss]))
    if len(parts) != 2:
        many = "one part" if len(parts) == 1 else f"{len(parts)} parts"
        raise failed(name, f"the releases read {many} of the series, not two", "")
    return parts


def _hull(loss: RecordLoss) -> Part | None:
    """From the first node that loses something to the last."""
    read = [(start, stop) for start, stop, value in loss.pieces if value]
    return (read[0][0], read[-1][1]) if read else None


_RECORDS, _NODES, _PARTS = "every record", "every node", "the nodes of the two parts"

_THEOREMS: dict[str, tuple[str, Callable[[Framework, Spends, Known], Fraction]]] = {
    "sequential composition": (_RECORDS, _sequential),
    "parallel composition": (_RECORDS, _parallel),
    "II.6": (_NODES, _same_quilts),
    "III.1": (_PARTS, _subchains),
    "III.3": (_PARTS, _subchains_with_quilts),
    "III.7": (_NODES, _sum_of_quilts),
}
