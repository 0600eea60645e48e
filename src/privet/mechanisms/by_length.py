"""What a mechanism works out once for each word length, kept for the lengths used last.

Contract. A law is a pure function of the length, so two threads that both work one out store equal
laws, and a copy sent to another process starts empty. Words are drawn length by length, so few laws
are wanted at once and the number kept is bounded.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Law = TypeVar("Law")

MOST_LAWS = 4096


class ByLength(Generic[Law]):
    """`make(length)` for any length, remembered for the last 4096 lengths asked for."""

    def __init__(self, make: Callable[[int], Law]) -> None:
        self._make = make
        self._laws: dict[int, Law] = {}

    def __getitem__(self, length: int) -> Law:
        law = self._laws.pop(length, None)
        if law is None:
            law = self._make(length)
        # Stored again at the end: the first key is always the one not used for longest.
        self._laws[length] = law
        while len(self._laws) > MOST_LAWS:
            self._laws.pop(next(iter(self._laws)), None)
        return law

    def __getstate__(self) -> dict[str, Any]:
        return {"_make": self._make, "_laws": {}}
