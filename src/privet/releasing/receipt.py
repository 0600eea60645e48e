"""The receipt: what a release did, for whoever holds the data and whoever uses the release.

Contract. A receipt describes the public side of a release completely: mechanisms with their
parameters, the guarantee and its sentence, what it really spends, the error predicted before the
draw, the shape of the data, what went out unprotected, versions, time and where the randomness came
from. It holds no private value and nothing measured on the data: no realised error, no count of
persons or categories. Numbers on which privacy depends are exact and written as text. Reading
refuses a file that is not such a receipt, or one of a later format.
"""

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, get_args

from privet.errors import FileFormatError, PrivetError
from privet.exact import exact_number, float_up
from privet.mechanisms.base import Mechanism
from privet.privacy import Guarantee, RecordLoss
from privet.randomness import current_source

FORMAT = 1
"""Version of the receipt format; a reader refuses anything newer."""

Kind = Literal["table", "words", "symbols", "choice"]

PRIVATE_BITS = "private"
SEEDED_BITS = "seeded, not private"

_LIBRARIES = ("numpy", "cryptography", "python-flint", "pyarrow")


@dataclass(frozen=True)
class Part:
    """One mechanism at work on one column, or on all words.

    `column`: its name, or None where the data have no columns; `mechanism`: its `to_json`;
    `symbols`: how many symbols it released; `expected_errors`: how many of them are expected to
    differ from the data (None where output and data are not
    comparable); `spent`: upper bound of the epsilon spent on its protected unit;
    `record_loss`: the largest loss of one symbol; `other`, `missing`: the symbols that stood in for
    unknown labels and missing values.
    """

    column: str | None
    mechanism: dict[str, Any]
    symbols: int
    expected_errors: float | None
    spent: Fraction
    record_loss: Fraction
    other: Any = None
    missing: Any = None

    def to_json(self) -> dict[str, Any]:
        """Exact numbers as text; the share of wrong symbols is added for the reader."""
        return {
            "column": self.column,
            "mechanism": self.mechanism,
            "symbols": self.symbols,
            "expected_errors": self.expected_errors,
            "expected_share_wrong": self.share_wrong,
            "spent": str(self.spent),
            "record_loss": str(self.record_loss),
            "other": self.other,
            "missing": self.missing,
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
        return cls(
            data["column"],
            dict(data["mechanism"]),
            int(data["symbols"]),
            None if data["expected_errors"] is None else float(data["expected_errors"]),
            exact_number(data["spent"], "spent"),
            exact_number(data["record_loss"], "record_loss"),
            data["other"],
            data["missing"],
        )


@dataclass(frozen=True)
class Receipt:
    """What went out, under which promise.

    `spent`: upper bound of the epsilon spent on the protected unit of the guarantee; `shape`: sizes
    that go out with the release (rows, columns, words, symbols); `layout`: how the release is read
    back (released and kept columns, or the id, time and state columns); `output`: name and SHA-256
    of the file, if one was written; `demo`: whether the data were declared public.
    """

    kind: Kind
    guarantee: Guarantee
    spent: Fraction
    parts: tuple[Part, ...]
    shape: dict[str, int]
    layout: dict[str, Any]
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
        """The loss of each record: of each row of a table, of each symbol of the longest word."""
        records = self.shape.get("longest", self.shape.get("rows", self.shape.get("symbols", 0)))
        return RecordLoss.constant(records, sum((p.record_loss for p in self.parts), Fraction(0)))

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
            "spent": str(self.spent),
            "spent_rounded_up": float_up(self.spent),
            "randomness": self.randomness,
            "public_demo_data": self.demo,
            "published_without_protection": list(self.published),
            "parts": [part.to_json() for part in self.parts],
            "expected_errors": self.expected_errors,
            "shape": self.shape,
            "layout": self.layout,
            "output": self.output,
            "versions": self.versions,
        }

    @classmethod
    def from_json(cls, data: Any) -> "Receipt":
        """The inverse of `to_json`. Errors: FileFormatError for anything else."""
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
        try:
            return cls._read(data)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            place = error.args[0] if type(error) is KeyError else "one of its entries"
            raise FileFormatError(
                f"The receipt is incomplete or was changed: {place!s} cannot be read.",
                hint="Use the receipt as it was written.",
            ) from None

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> "Receipt":
        if data["kind"] not in get_args(Kind) or not data["parts"]:
            raise ValueError("kind and parts")
        return cls(
            data["kind"],
            Guarantee.from_json(data["guarantee"]),
            exact_number(data["spent"], "spent"),
            tuple(Part.from_json(part) for part in data["parts"]),
            {name: int(size) for name, size in data["shape"].items()},
            dict(data["layout"]),
            bool(data["public_demo_data"]),
            dict(data["output"]) if data["output"] is not None else None,
            str(data["randomness"]),
            str(data["created"]),
            dict(data["versions"]),
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
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
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
        except PrivetError as error:
            raise FileFormatError(
                f"{place}: {error.message}", hint=error.hint, path=str(place)
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
        return "not installed as a distribution"
