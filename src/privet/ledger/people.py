"""The losses of everybody and of single persons, so kept that many persons cost little.

Contract. Persons with equal histories are one history. Adding a loss for everybody costs the same
however many persons there are; adding one for a person costs what its own history is long. Sums
are made when somebody asks for them, all at once.
"""

from collections import Counter
from collections.abc import Collection
from typing import Any

from privet.privacy import RecordLoss

NOTHING = RecordLoss([])
"""The loss of no release."""


class People:
    """`everybody`: what each person has lost; beside it, what single persons have lost more."""

    def __init__(self) -> None:
        self._everybody = NOTHING
        self._waiting: list[RecordLoss] = []
        self._own: dict[str, RecordLoss] = {}
        self._counts: Counter[RecordLoss] = Counter()
        self._largest: RecordLoss | None = NOTHING

    @property
    def everybody(self) -> RecordLoss:
        """The sum of the losses that every person has."""
        if self._waiting:
            self._everybody = RecordLoss.sum_of((self._everybody, *self._waiting))
            self._waiting.clear()
        return self._everybody

    def own(self, person: str) -> RecordLoss:
        """What a person has lost beside everybody's losses."""
        return self._own.get(person, NOTHING)

    def total(self, person: str | None) -> RecordLoss:
        """All that a person has lost; None: a person of whom alone nothing was released."""
        own = NOTHING if person is None else self.own(person)
        return RecordLoss.sum_of((self.everybody, own))

    @property
    def different(self) -> Collection[RecordLoss]:
        """The own histories that occur, each once."""
        return self._counts.keys()

    @property
    def largest(self) -> RecordLoss:
        """At each position the largest of the own histories."""
        if self._largest is None:
            self._largest = RecordLoss.largest_of(self._counts)
        return self._largest

    @property
    def length(self) -> int:
        """Of the longest loss of all."""
        return max(self.everybody.length, *(each.length for each in self.different), 0)

    def add(self, person: str | None, loss: RecordLoss) -> None:
        """A release happened."""
        if person is None:
            self._waiting.append(loss)
            return
        grown = RecordLoss.sum_of((self.own(person), loss))
        self._replace(person, grown)
        if self._largest is not None:
            self._largest = RecordLoss.largest_of((self._largest, grown))

    def take_away(self, person: str | None, loss: RecordLoss) -> None:
        """A release did not happen after all. Errors: DataError if it was not in there."""
        if person is None:
            self._everybody = self.everybody.without(loss)
        else:
            self._replace(person, self.own(person).without(loss))
            self._largest = None

    def _replace(self, person: str, now: RecordLoss) -> None:
        before = self._own.get(person)
        if before is not None:
            self._counts[before] -= 1
            if not self._counts[before]:
                del self._counts[before]
        self._own[person] = now
        self._counts[now] += 1

    @property
    def size(self) -> int:
        """About how many pieces of losses there are."""
        return 1 + len(self._everybody.units) + len(self._waiting) + len(self._own)

    def to_json(self) -> dict[str, Any]:
        """{"everybody": loss, "persons": {name: loss}}."""
        persons = {name: loss.to_json() for name, loss in self._own.items()}
        return {"everybody": self.everybody.to_json(), "persons": persons}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "People":
        """The inverse of `to_json`."""
        people = cls()
        people._everybody = RecordLoss.from_json(data["everybody"])
        for name, loss in data["persons"].items():
            people._replace(name, RecordLoss.from_json(loss))
        people._largest = None
        return people
