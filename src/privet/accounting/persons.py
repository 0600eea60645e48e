"""The worst of many persons, without working out every one.

Contract. A person loses what everybody loses and what is their own. The answer is the largest
epsilon over the persons, up to the rounding of the bounds. Persons with the same loss count once,
and one is passed over if something cheap shows that it cannot matter: the sum of its own losses on
top of what everybody's cost, or what it would cost if all records lost as much as the worst one.
"""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction

from privet.privacy import RecordLoss

Person = Hashable | None
"""Who; None for those who have no releases of their own."""

Measure = Callable[[RecordLoss], Fraction]
"""The epsilon of a loss. It does not fall when losses grow, nor rise by more than their total."""

Worst = tuple[Fraction, Person]
"""(epsilon, who): of equally bad persons the first; None if nobody is worse than everybody."""


def worst_person(
    common: RecordLoss,
    own: Mapping[Hashable, RecordLoss],
    measure: Measure,
    start: Worst | None = None,
) -> Worst:
    """The worst of the persons in `own` and of those who lose just what everybody loses.

    `start`: the worst of all the others, if it is known, in place of the latter.
    """
    if not own:
        return start or (measure(common), None)
    base = measure(common)
    best, who = start or (base, None)
    first: dict[RecordLoss, Hashable] = {}
    for person, loss in own.items():
        first.setdefault(loss, person)
    # The largest first: then the others have something to stay below.
    order = sorted(first.items(), key=lambda each: each[0].maximum, reverse=True)
    ceilings = _Ceilings(measure)
    for loss, person in order:
        if base + loss.total <= best:
            continue
        length = max(common.length, loss.length)
        if ceilings.is_below(best, common.maximum + loss.maximum, length):
            continue
        value = measure(RecordLoss.sum_of((common, loss)))
        if value > best:
            best, who = value, person
    return best, who


class _Ceilings:
    """Epsilons of constant losses, which bound those of all smaller losses."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._known: list[tuple[Fraction, int, Fraction]] = []

    def is_below(self, best: Fraction, value: Fraction, length: int) -> bool:
        """Whether losses up to `value` on `length` records cost at most `best` for certain."""
        if value > best:
            return False
        for most, longest, epsilon in self._known:
            if most >= value and longest >= length and epsilon <= best:
                return True
        ceiling = self._measure(RecordLoss.constant(length, value))
        if ceiling <= best:
            self._known.append((value, length, ceiling))
        return ceiling <= best
