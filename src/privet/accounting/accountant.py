"""The accountant: what many releases cost together, under one framework.

Contract. Releases have record losses, losses add, and the framework turns the sum into an epsilon:
sequential and parallel composition at once under independent records, the smaller of joint quilts
and propagation on Markov chains (THEORY: "One accountant for all of it"). The answer depends on the
framework and on the sum alone: not on the order of the releases, on how they were split, or on what
was asked in between. A later release may be chosen in view of earlier outputs, as long as its loss
depends on nothing else. With a budget, a release that would go beyond it is refused before anything
changes; using it up exactly is allowed. What was admitted stays within the budget: if the search
for bounds ends above it, the bound that admitted the last release is the answer.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from privet.accounting.charge import Charged, Lost, Tally
from privet.accounting.explanation import Explanation, explain
from privet.accounting.persons import Worst, worst_person
from privet.errors import BudgetExceededError, DataError, ParameterError, ParameterTypeError
from privet.exact import exact_number, read_count, read_delta
from privet.exact.number import Number
from privet.privacy import (
    Framework,
    IndependentRecords,
    MarkovFramework,
    RecordLoss,
    Response,
    framework_from_json,
    framework_to_json,
)
from privet.privacy.guarantee import decimal_up

KIND = "privet accountant"

_ROOM = 1 + Fraction(1, 1 << 20)
"""More than bounds on chains are rounded by: a sum of losses must stay that far from the budget."""


class Accountant:
    """Adds up releases about the same records.

    `framework`: IndependentRecords or MarkovFramework; `budget`: the most that may be spent, or
    None. Persons are alike: the budget is for each of them, and the epsilon is that of the worst.
    Errors: ParameterError, ParameterTypeError.
    """

    def __init__(self, framework: Framework, *, budget: Number | None = None) -> None:
        if not isinstance(framework, IndependentRecords | MarkovFramework):
            raise ParameterTypeError(
                f"A {type(framework).__name__} is not a framework.",
                hint="Give IndependentRecords(unit) or MarkovFramework(chains).",
                parameter="framework",
            )
        self.framework = framework
        self.budget = None if budget is None else _read_budget(budget)
        self._everybody = Tally()
        self._persons: dict[Hashable, Tally] = {}
        self._meter = framework.meter() if isinstance(framework, MarkovFramework) else None
        # The worst so far, and the persons who lost more since.
        self._worst: Worst | None = Fraction(0), None
        self._changed: set[Hashable] = set()
        # A proven bound of every person's epsilon, while there is a budget to keep within.
        self._ceiling: Fraction | None = None

    def add(
        self,
        release: RecordLoss | Charged,
        *,
        person: Hashable | None = None,
        times: int = 1,
        name: str | None = None,
    ) -> Self:
        """Adds a release `times` times, and gives back the accountant.

        `release`: a record loss, or a receipt; `person`: whose records it is about, None for
        everybody's (one table, or one series); `name`: what `explain` calls it. Errors:
        BudgetExceededError with `epsilon`, `budget`, `spent`, `cost`, and nothing is added;
        ParameterError if the release has no record loss.
        """
        lost, count = _read(release, person, times)
        if not (name is None or isinstance(name, str)):
            raise ParameterTypeError(f"name is a {type(name).__name__}, not text.")
        if not count:
            return self
        self._admit(lost.record_loss * count, person)
        if person is None:
            self._everybody.add(lost, count, name)
            self._worst = None
            self._changed.clear()
        else:
            self._persons.setdefault(person, Tally()).add(lost, count, name)
            self._changed.add(person)
        return self

    def cost(
        self, release: RecordLoss | Charged, *, person: Hashable | None = None, times: int = 1
    ) -> Fraction:
        """The epsilon of everything after adding the release, which is not added."""
        lost, count = _read(release, person, times)
        return self._after(lost.record_loss * count, person, self._measure, self.epsilon())

    def epsilon(self, delta: Number = 0) -> Fraction:
        """The epsilon of all releases together for the worst person, rounded up.

        `delta`: under independent records, the epsilon that holds with this delta, which grows
        more slowly with many releases [kairouz-oh-viswanath-2015], and more slowly yet for those
        whose receipts state their responses. On chains delta does not help
        yet: the epsilon at 0, which holds for any delta, is given. Errors: ParameterError.
        """
        allowed = read_delta(delta)
        if allowed and isinstance(self.framework, IndependentRecords):
            return self._epsilon_at(self.framework, allowed)
        return self._within_budget(self._find_worst()[0])

    def epsilon_of(self, node: int, *, person: Hashable | None = None) -> Fraction:
        """The epsilon for the secret "the value of that record", rounded up.

        `node`: its number from 0; `person`: whose, None for the worst. Under independent records
        with a unit of several, of the units that hold the record. Errors: ParameterError if there
        is no such record.
        """
        if person is None and self._persons:
            losses = {self.record_loss(each) for each in self._persons}
            longest = max(loss.length for loss in losses)
            place = read_count(node, "node", 0)
            # Persons with fewer records have no such secret.
            held = [loss for loss in losses if loss.length > min(place, longest - 1)]
            return self._within_budget(max(self._node_epsilon(loss, node) for loss in held))
        return self._within_budget(self._node_epsilon(self.record_loss(person), node))

    def remaining(self) -> Fraction:
        """What is left of the budget, never below 0. Errors: ParameterError without a budget."""
        if self.budget is None:
            raise ParameterError(
                "This accountant has no budget.",
                hint="Make it with Accountant(framework, budget=...).",
                parameter="budget",
            )
        return max(Fraction(0), self.budget - self.epsilon())

    def record_loss(self, person: Hashable | None = None) -> RecordLoss:
        """The summed loss of a person; with None, what everybody lost."""
        tally = self._persons.get(person) if person is not None else None
        common = self._everybody.sum.loss()
        return common if tally is None else RecordLoss.sum_of((common, tally.sum.loss()))

    def explain(self, *, person: Hashable | None = None) -> Explanation:
        """Why it costs that much, for a person or the worst one; see `Explanation`."""
        who = self._find_worst()[1] if person is None else person
        spends = Counter(self._everybody.spends)
        if who in self._persons:
            spends.update(self._persons[who].spends)
        found = explain(self.framework, self.record_loss(who), spends, who)
        capped = self._within_budget(found.epsilon)
        if capped < found.epsilon:
            return replace(found, epsilon=capped, bound="steps", detail={})
        return found

    def __len__(self) -> int:
        """How many releases were added."""
        return self._everybody.count + sum(each.count for each in self._persons.values())

    def __repr__(self) -> str:
        budget = "" if self.budget is None else f", budget={self.budget}"
        return f"Accountant({self.framework!r}{budget}): {len(self)} releases"

    def to_json(self) -> dict[str, Any]:
        """Framework, budget and releases, exactly.

        Errors: ParameterTypeError for persons that are neither text nor whole numbers.
        """
        for person in self._persons:
            if isinstance(person, bool) or not isinstance(person, str | int):
                raise ParameterTypeError(
                    f"A person that is a {type(person).__name__} cannot be written down.",
                    hint="Name persons by text or whole numbers.",
                )
        tallies = [(None, self._everybody), *self._persons.items()]
        return {
            "kind": KIND,
            "framework": framework_to_json(self.framework),
            "budget": None if self.budget is None else str(self.budget),
            "releases": [
                {"name": name, "person": person, "times": times, **_written(lost)}
                for person, tally in tallies
                for (name, lost), times in tally.spends.items()
            ],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Accountant":
        """The inverse of `to_json`. Errors: DataError, ModelError."""
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise DataError("This is not the description of an accountant.")
        try:
            account = cls(framework_from_json(data["framework"]))
            for each in data["releases"]:
                responses = tuple(map(Response.from_json, each.get("responses", ())))
                lost = Lost(RecordLoss.from_json(each["loss"]), responses)
                account.add(lost, person=each["person"], times=each["times"], name=each.get("name"))
            # What was released stays released, whatever the budget says.
            account.budget = None if data["budget"] is None else _read_budget(data["budget"])
        except (KeyError, TypeError) as error:
            raise DataError("The description of an accountant lacks a field or has another.") from (
                error
            )
        return account

    def _measure(self, loss: RecordLoss) -> Fraction:
        if self._meter is not None:
            return self._meter.bound(loss).epsilon
        return self.framework.epsilon(loss)

    def _node_epsilon(self, loss: RecordLoss, node: int) -> Fraction:
        if self._meter is not None:
            return self._meter.bound_at(loss, node).epsilon
        return self.framework.epsilon_of(loss, node)

    def _own(self) -> dict[Hashable, RecordLoss]:
        return {person: tally.sum.loss() for person, tally in self._persons.items()}

    def _find_worst(self) -> Worst:
        common = self._everybody.sum.loss()
        if self._worst is None:
            self._worst = worst_person(common, self._own(), self._measure)
        elif self._changed:
            grown = {person: self._persons[person].sum.loss() for person in self._changed}
            self._worst = worst_person(common, grown, self._measure, self._worst)
        self._changed.clear()
        if self._ceiling is not None:
            self._ceiling = min(self._ceiling, self._worst[0])
        return self._worst

    def _within_budget(self, epsilon: Fraction) -> Fraction:
        """The bound by which the releases were admitted, if `epsilon` is above the budget.

        Both hold. A search for bounds may end higher for more losses or more pieces than what it
        found before and the losses added since, and a budget that was kept stays kept.
        """
        if self.budget is None or self._ceiling is None or epsilon <= self.budget:
            return epsilon
        return min(epsilon, self._ceiling)

    def _after(
        self,
        loss: RecordLoss,
        person: Hashable | None,
        measure: Callable[[RecordLoss], Fraction],
        others: Fraction,
    ) -> Fraction:
        """The worst epsilon with `loss` on top; `others`: a bound of what the others have now."""
        if person is not None:
            return max(others, measure(RecordLoss.sum_of((self.record_loss(person), loss))))
        common = RecordLoss.sum_of((self._everybody.sum.loss(), loss))
        return worst_person(common, self._own(), measure)[0]

    def _admit(self, loss: RecordLoss, person: Hashable | None) -> None:
        """Refuse what would go beyond the budget; the cheapest bound that is enough decides."""
        if self.budget is None:
            self._ceiling = None
            return
        if self._ceiling is None:
            self._ceiling = self._find_worst()[0]
        before = self._ceiling
        if self._meter is None:
            ceiling = before + self.framework.epsilon(loss)
            is_enough = ceiling <= self.budget
        else:
            ceiling = before + loss.total
            is_enough = ceiling * _ROOM <= self.budget
        if not is_enough and self._meter is not None:
            ceiling = self._after(loss, person, self._quilt_measure, before)
            is_enough = ceiling <= self.budget
        if not is_enough:
            ceiling = self.cost(loss, person=person)
        if ceiling > self.budget:
            raise self._exceeded(ceiling, self.budget)
        self._ceiling = ceiling

    def _quilt_measure(self, loss: RecordLoss) -> Fraction:
        assert self._meter is not None
        return self._meter.bound(loss, "quilt").epsilon

    def _exceeded(self, after: Fraction, budget: Fraction) -> BudgetExceededError:
        spent = self.epsilon()
        return BudgetExceededError(
            f"The release would bring the total from epsilon {decimal_up(spent, 5)} to "
            f"{decimal_up(after, 5)}, above the budget of {decimal_up(budget, 5)}.",
            hint="Nothing was added; ask for less, or for a larger budget.",
            epsilon=after,
            budget=budget,
            spent=spent,
            cost=after - spent,
        )

    def _epsilon_at(self, framework: IndependentRecords, delta: Fraction) -> Fraction:
        """The worst person's epsilon at that delta: the most promising persons first."""
        from privet.accounting.repeats import epsilon_at_delta

        base = framework.epsilon(self._everybody.sum.loss())
        common = _counted(self._everybody)
        order = [(base, common)]
        order += [
            (base + framework.epsilon(tally.sum.loss()), common + _counted(tally))
            for tally in self._persons.values()
        ]
        best, seen = Fraction(0), set()
        for ceiling, spends in sorted(order, key=lambda each: each[0], reverse=True):
            if ceiling <= best:
                break
            content = frozenset(spends.items())
            if content not in seen:
                seen.add(content)
                best = max(best, epsilon_at_delta(framework.unit, spends.items(), delta))
        return best


def _counted(tally: Tally) -> Counter[Lost]:
    """{what was lost: how many times}, whatever the names."""
    counted: Counter[Lost] = Counter()
    for (_, lost), times in tally.spends.items():
        counted[lost] += times
    return counted


def _written(lost: Lost) -> dict[str, Any]:
    responses = [response.to_json() for response in lost.responses]
    return {"loss": lost.record_loss.to_json(), **({"responses": responses} if responses else {})}


def _read(release: RecordLoss | Charged, person: Hashable | None, times: int) -> tuple[Lost, int]:
    if not isinstance(person, Hashable):
        raise ParameterTypeError(
            f"A person is named by text or a number, not by a {type(person).__name__}.",
            parameter="person",
        )
    return Lost.of(release), read_count(times, "times", 0)


def _read_budget(budget: Number) -> Fraction:
    number = exact_number(budget, "budget")
    if number < 0:
        raise ParameterError(
            "A budget cannot be negative.", hint="Give a number from 0.", parameter="budget"
        )
    return number
