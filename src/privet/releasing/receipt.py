"""The receipt: what a release did, for whoever holds the data and whoever uses the release.

Contract. A receipt describes the public side of a release completely: mechanisms with their
parameters, the guarantee and its sentence, what it really spends, the error predicted before the
draw, the shape of the data, what went out unprotected, versions, time and where the randomness came
from. It holds no private value and nothing measured on protected data: no realised error, no count
of persons or categories (but for a query, whose noise depends on them, the number of series and of
their steps, which the guarantee then names as published). Numbers on which privacy depends stand
there twice: as decimals rounded up for the reader, and under "exact" as text. Reading refuses a
file that is not such a receipt, one of a later format, and one that contradicts itself; someone who
changes every number of it consistently is not found out.
"""

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, get_args

from privet.errors import FileFormatError, ParameterError, PrivetError
from privet.exact import exact_number, float_up
from privet.mechanisms.base import Mechanism
from privet.privacy import Guarantee, RecordLoss, Response
from privet.privacy.guarantee import decimal_up
from privet.randomness import current_source

FORMAT = 1
"""Version of the receipt format; a reader refuses anything newer."""

Kind = Literal["table", "words", "symbols", "choice", "query"]
Per = Literal["row", "symbol", "value", "choice", "step"]

PRIVATE_BITS = "private"
SEEDED_BITS = "seeded, not private"

NO_VERSION = "not installed as a distribution"

_SAME = Fraction(1, 10**9)

_LIBRARIES = ("numpy", "cryptography", "python-flint", "pyarrow")


@dataclass(frozen=True)
class Part:
    """One mechanism at work on one column, or on all words.

    `column`: its name, or None where the data have no columns; `mechanism`: its `to_json`;
    `symbols`: how many symbols it released; `expected_errors`: how many of them are expected to
    differ from the data (None where output and data are not comparable); `per`: what one symbol of
    it is in the data; `spent`: upper bound of the epsilon it spends on one row of a table, or on
    the symbols of a word that the promise covers; `record_loss`: the largest loss of one row,
    symbol or value (`per` says which), None for a mechanism that has none; `law`: the calibration
    and rate that ran; `other`, `missing`: the symbols that stood in for unknown labels and missing
    values.
    """

    column: str | None
    mechanism: dict[str, Any]
    symbols: int
    expected_errors: float | None
    spent: Fraction
    record_loss: Fraction | None
    per: Per
    law: dict[str, Any] = field(default_factory=dict)
    other: Any = None
    missing: Any = None

    @property
    def categories(self) -> int:
        """How many symbols the public alphabet has."""
        return len(self.mechanism.get("alphabet", self.mechanism.get("outputs", ())))

    @property
    def epsilon(self) -> Fraction:
        """The epsilon the mechanism was made for."""
        return exact_number(self.mechanism["epsilon"], "epsilon")

    @property
    def delta(self) -> Fraction:
        """The delta it spends; most mechanisms have none."""
        return exact_number(self.mechanism.get("delta", 0), "delta")

    @property
    def loss_name(self) -> str:
        """What a receipt calls the record loss: its unit is in the name."""
        return f"record_loss_per_{self.per}"

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up for the reader, then the same numbers exactly, as text."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta, "spent": self.spent}
        if self.record_loss is not None:
            numbers[self.loss_name] = self.record_loss
        return {
            "column": self.column,
            "per": self.per,
            "categories": self.categories,
            "symbols": self.symbols,
            "expected_errors": self.expected_errors,
            "expected_share_wrong": self.share_wrong,
            **{name: float_up(number) for name, number in numbers.items()},
            "law": self.law,
            "other": self.other,
            "missing": self.missing,
            "exact": {name: str(number) for name, number in numbers.items()},
            "mechanism": self.mechanism,
        }

    @property
    def share_wrong(self) -> float | None:
        """The expected share of the released symbols that differ from the data."""
        if self.expected_errors is None:
            return None
        return self.expected_errors / self.symbols if self.symbols else 0.0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Part":
        """The inverse of `to_json`."""
        if data["per"] not in get_args(Per):
            raise ValueError("per")
        return Part(
            data["column"],
            dict(data["mechanism"]),
            int(data["symbols"]),
            None if data["expected_errors"] is None else float(data["expected_errors"]),
            exact_number(data["exact"]["spent"], "spent"),
            exact_number(data["exact"][f"record_loss_per_{data['per']}"], "record loss"),
            data["per"],
            dict(data["law"]),
            data["other"],
            data["missing"],
        )


@dataclass(frozen=True)
class Receipt:
    """What went out, under which promise.

    `spent`: upper bound of the epsilon spent on the protected unit of the guarantee; `shape`: sizes
    that go out with the release (rows, columns, words, symbols); `layout`: how the release is read
    back (released and kept columns, or the id, time and state columns), which columns were left
    out, and under "decoded" with which public chain and method words were decoded; `notes`: what to
    know beyond the guarantee; `output`: name and SHA-256 of the file, if one was written; `demo`:
    whether the data were declared public; `ledger`: the account that was charged, with the entry
    and what was spent there before and after, exact as text (None: no account was). As text it is
    the sentence, what was spent, and the notes.
    """

    kind: Kind
    guarantee: Guarantee
    spent: Fraction
    parts: tuple[Part, ...]
    shape: dict[str, int]
    layout: dict[str, Any]
    notes: tuple[str, ...] = ()
    demo: bool = False
    output: dict[str, str] | None = None
    randomness: str = field(
        default_factory=lambda: PRIVATE_BITS if current_source().private else SEEDED_BITS
    )
    created: str = field(
        default_factory=lambda: (
            datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        )
    )
    versions: dict[str, str] = field(default_factory=lambda: versions_in_use())
    ledger: dict[str, str] | None = None

    def __str__(self) -> str:
        """The guarantee, what was spent, and the notes, each a line."""
        notes = (f"Note: {note}." for note in self.notes)
        return "\n".join((self.sentence, *self.spent_lines, *notes))

    def __repr__(self) -> str:
        size = ", ".join(f"{name}={number}" for name, number in self.shape.items())
        return f"<Receipt of a {self.kind} release: epsilon={self.guarantee.epsilon}, {size}>"

    @property
    def spent_lines(self) -> tuple[str, ...]:
        """How the epsilon, and a delta, add up over columns and rows or symbols; the account."""
        spent = self._sum([part.spent for part in self.parts], self.spent)
        promised = decimal_up(self.guarantee.epsilon, 5)
        lines = [f"Epsilon spent: {spent}, of {promised} promised."]
        if self.guarantee.delta:
            deltas = [part.delta for part in self.parts]
            lines.append(f"Delta spent: {self._sum(deltas, self.guarantee.delta)}.")
        if self.ledger is not None:
            lines.append(self._charged(self.ledger))
        return tuple(lines)

    @staticmethod
    def _charged(ledger: Mapping[str, str]) -> str:
        before, after = (
            decimal_up(Fraction(ledger[name]), 5) for name in ("spent_before", "spent_after")
        )
        return (
            f"Charged to account '{ledger['account']}' (entry {ledger['entry']}): {before} spent "
            f"before, {after} with this release."
        )

    def _sum(self, parts: Sequence[Fraction], total: Fraction) -> str:
        """(1 + 1) x 4 rows = 8."""
        times, of_what = int(self.layout.get("rows_per_person") or 1), "rows"
        covered, loss = int(self.layout.get("adjacency", 1)), self.parts[0].record_loss
        if covered > 1 and loss is not None and 0 <= covered * loss - total <= _SAME * total:
            # Symbols answered one by one: each costs the same.
            times, of_what, parts = covered, "symbols", [loss]
        shown = [decimal_up(part, 5) for part in parts]
        text, whole = " + ".join(shown), decimal_up(total, 5)
        if times > 1:
            text = (
                f"({text}) x {times} {of_what}" if len(shown) > 1 else f"{text} x {times} {of_what}"
            )
        if text == whole:
            return whole
        adds_up = times * sum(map(Fraction, shown)) == Fraction(whole)
        return f"{text} = {whole}{'' if adds_up else ' (each number rounded up)'}"

    @property
    def sentence(self) -> str:
        """The guarantee in words."""
        return self.guarantee.sentence

    @property
    def published(self) -> tuple[str, ...]:
        """What the release gives out without protection."""
        return self.guarantee.published

    @property
    def expected_errors(self) -> float:
        """The expected number of released symbols that differ from the data, over all parts."""
        return sum(part.expected_errors or 0.0 for part in self.parts)

    @property
    def record_loss(self) -> RecordLoss:
        """The loss of each record: of each row of a table, of each symbol of the longest word.

        For a query, of each step: the largest over the lengths of its series, so that it covers
        every one of them; its part knows the loss of each length (`loss_of`).
        Errors: ParameterError if the mechanism has no record loss.
        """
        from privet.releasing.answers import Answer

        part = self.parts[0]
        if isinstance(part, Answer):
            if part.losses is None:
                return part.loss_of(max(part.lengths))  # which says why there is none
            return RecordLoss.largest_of(part.losses.values())
        losses = [p.record_loss for p in self.parts if p.record_loss is not None]
        if len(losses) < len(self.parts):
            raise ParameterError("The release has no record loss, so it does not add up.")
        records = self.shape.get("longest", self.shape.get("rows", self.shape.get("symbols", 0)))
        return RecordLoss.constant(records, sum(losses, Fraction(0)))

    @property
    def responses(self) -> tuple[Response, ...]:
        """How each record is answered, column by column, for an accountant at a delta.

        From the exact laws of the mechanisms, rebuilt; empty if one of them does not answer record
        by record.
        """
        found = (Mechanism.from_json(part.mechanism).response for part in self.parts)
        responses = [each for each in found if each is not None]
        return tuple(responses) if len(responses) == len(self.parts) else ()

    def mechanism(self, column: str | None = None) -> Mechanism:
        """The mechanism of a column, rebuilt; without a name, that of the first part."""
        return Mechanism.from_json(self.part(column).mechanism)

    def part(self, column: str | None = None) -> Part:
        """The part of a column. Errors: KeyError if the column was not released."""
        if column is None:
            return self.parts[0]
        return {part.column: part for part in self.parts}[column]

    def to_json(self) -> dict[str, Any]:
        """The receipt as JSON values."""
        return {
            "receipt": "privet release",
            "format": FORMAT,
            "kind": self.kind,
            "created": self.created,
            "guarantee": self.guarantee.to_json(),
            "spent": float_up(self.spent),
            "spent_in_words": " ".join(self.spent_lines),
            "exact": {"spent": str(self.spent)},
            "notes": list(self.notes),
            "randomness": self.randomness,
            "public_demo_data": self.demo,
            "published_without_protection": list(self.published),
            "parts": [part.to_json() for part in self.parts],
            "expected_errors": None if self.kind == "query" else self.expected_errors,
            "shape": self.shape,
            "layout": self.layout,
            "output": self.output,
            "ledger": self.ledger,
            "versions": self.versions,
        }

    @classmethod
    def from_json(cls, data: Any) -> "Receipt":
        """The inverse of `to_json`.

        Errors: FileFormatError for anything else, and for numbers that contradict each other.
        """
        if not isinstance(data, dict) or data.get("receipt") != "privet release":
            raise FileFormatError(
                "This is not the receipt of a release.",
                hint="A receipt is the .receipt.json file written beside a release.",
            )
        if data.get("format") != FORMAT:
            raise FileFormatError(
                f"The receipt is not of format {FORMAT}, the one this version reads.",
                hint="Use the version of privet named in the receipt, or a later one.",
            )
        from privet.releasing.consistency import check_consistency

        try:
            receipt = cls._read(data)
            check_consistency(receipt, data)
        except FileFormatError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            place = error.args[0] if type(error) is KeyError else "one of its entries"
            raise FileFormatError(
                f"The receipt is incomplete or was changed: {place!s} cannot be read.",
                hint="Use the receipt as it was written.",
            ) from None
        return receipt

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> "Receipt":
        from privet.releasing.answers import Answer

        kind_of_part = Answer if data["kind"] == "query" else Part
        if data["kind"] not in get_args(Kind) or not data["parts"]:
            raise ValueError("kind and parts")
        return cls(
            data["kind"],
            Guarantee.from_json(data["guarantee"]),
            exact_number(data["exact"]["spent"], "spent"),
            tuple(kind_of_part.from_json(part) for part in data["parts"]),
            dict(data["shape"]),
            dict(data["layout"]),
            tuple(str(note) for note in data["notes"]),
            bool(data["public_demo_data"]),
            dict(data["output"]) if data["output"] is not None else None,
            str(data["randomness"]),
            str(data["created"]),
            dict(data["versions"]),
            None if data.get("ledger") is None else dict(data["ledger"]),
        )

    def to_text(self) -> str:
        """The JSON text that is written beside a release."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def read(cls, path: str | Path) -> "Receipt":
        """The receipt in a file. Errors: FileFormatError naming the file."""
        place = Path(path)
        try:
            return cls.from_json(json.loads(place.read_text(encoding="utf-8")))
        except PrivetError as error:
            raise FileFormatError(
                f"{place}: {error.message}", hint=error.hint, path=str(place)
            ) from None
        except (ValueError, RecursionError):  # no text, no JSON, or a number of too many digits
            raise FileFormatError(
                f"{place} is not a receipt: it does not hold JSON.",
                hint="A receipt is the .receipt.json file written beside a release.",
                path=str(place),
            ) from None
        except OSError as error:
            raise FileFormatError(
                f"The receipt {place} cannot be read: {error.strerror}.",
                hint="Name it with --receipt, or keep it beside the release.",
                path=str(place),
            ) from None


def versions_in_use() -> dict[str, str]:
    """Versions of privet, Python and the libraries that a release depends on."""
    found = {"privet": _version("privet"), "python": platform.python_version()}
    for name in _LIBRARIES:
        if {"python-flint": "flint"}.get(name, name) in sys.modules:
            found[name] = _version(name)
    return found


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return NO_VERSION
