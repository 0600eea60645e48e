"""What the records are assumed to be, which turns a record loss into an epsilon.

Contract. `IndependentRecords` is differential privacy: the protected unit may change, whatever the
other records are. With unit u, any u records may change at once; with unit "all", every one.
"""

from fractions import Fraction
from typing import Literal

from privet.exact import read_count
from privet.privacy.loss import RecordLoss

Unit = int | Literal["all"]


class IndependentRecords:
    """Differential privacy with `unit` records as the protected unit (or "all")."""

    __slots__ = ("unit",)

    unit: Unit

    def __init__(self, unit: Unit = 1) -> None:
        self.unit = "all" if unit == "all" else read_count(unit, "unit")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndependentRecords) and self.unit == other.unit

    def __hash__(self) -> int:
        return hash(("independent records", self.unit))

    def __repr__(self) -> str:
        return f"IndependentRecords(unit={self.unit!r})"

    def epsilon(self, record_loss: RecordLoss) -> Fraction:
        """The epsilon of releases with that total loss.

        It is the sum of the `unit` largest losses, which covers any choice of that many records:
        sequential and parallel composition at once.
        """
        if self.unit == "all":
            return record_loss.total
        return record_loss.largest(self.unit)
