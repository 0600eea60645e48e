"""What an accountant takes: a record loss, or anything that says what it lost.

Contract. What is charged is the loss for ALL pairs of inputs. What has no record loss is refused by
its own `record_loss` with a ParameterError; other things are a ParameterTypeError.
"""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from privet.errors import ParameterTypeError
from privet.privacy import LossSum, RecordLoss


@runtime_checkable
class Charged(Protocol):
    """A release that knows its loss: the receipts of this library do."""

    @property
    def record_loss(self) -> RecordLoss:
        """The loss of each record. Errors: ParameterError if there is none."""


def loss_of(release: RecordLoss | Charged) -> RecordLoss:
    """The record loss of a release, or of its receipt."""
    if isinstance(release, RecordLoss):
        return release
    # A class that states a property, or a mechanism, whose loss needs a length, is no release.
    loss = None if isinstance(release, type) else getattr(release, "record_loss", None)
    if not isinstance(loss, RecordLoss):
        raise ParameterTypeError(
            f"A {type(release).__name__} does not say what was lost.",
            hint="Give a RecordLoss or the receipt of a release; for a mechanism, "
            "mechanism.record_loss(length).",
            parameter="release",
        )
    return loss


@dataclass
class Tally:
    """Releases that concern the same records: what was added, how often, and the sum of losses.

    `spends`: {(name, loss): times}, names may be None; memory grows with the different losses, not
    with the releases.
    """

    spends: dict[tuple[str | None, RecordLoss], int] = field(default_factory=dict)
    sum: LossSum = field(default_factory=LossSum)
    count: int = 0

    def add(self, loss: RecordLoss, times: int, name: str | None) -> None:
        """Adds `times` releases."""
        if times:
            key = name, loss
            self.spends[key] = self.spends.get(key, 0) + times
            self.count += times
        self.sum.add(loss, times)
