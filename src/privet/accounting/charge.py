"""What an accountant takes: a record loss, or anything that says what it lost.

Contract. What is charged is the loss for ALL pairs of inputs. What has no record loss is refused by
its own `record_loss` with a ParameterError; other things are a ParameterTypeError. A release may
have an attribute `responses`: then every record that loses anything is answered by those responses,
independently of each other and of the other records, which matters at a delta.
"""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from privet.errors import ParameterTypeError
from privet.privacy import LossSum, RecordLoss, Response


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


@dataclass(frozen=True)
class Lost:
    """A release without the rest: its record loss, and the responses if it states them."""

    record_loss: RecordLoss
    responses: tuple[Response, ...] = ()

    @classmethod
    def of(cls, release: RecordLoss | Charged) -> "Lost":
        """What a release or its receipt says. Errors: as `loss_of`, and for other responses."""
        responses = tuple(getattr(release, "responses", ()))
        if not all(isinstance(each, Response) for each in responses):
            raise ParameterTypeError(
                f"The responses of a {type(release).__name__} are not privet.privacy.Response.",
                parameter="release",
            )
        return cls(loss_of(release), tuple(sorted(responses)))


Spends = dict[tuple[str | None, Lost], int]
"""{(name, what was lost): times}, names may be None."""


@dataclass
class Tally:
    """Releases that concern the same records: what was added, how often, and the sum of losses.

    Memory grows with the different losses, not with the releases.
    """

    spends: Spends = field(default_factory=dict)
    sum: LossSum = field(default_factory=LossSum)
    count: int = 0

    def add(self, lost: Lost, times: int, name: str | None) -> None:
        """Adds `times` releases."""
        if times:
            key = name, lost
            self.spends[key] = self.spends.get(key, 0) + times
            self.count += times
        self.sum.add(lost.record_loss, times)
