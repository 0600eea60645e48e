"""Whether a receipt says one thing throughout.

Contract. A receipt states its numbers several times: in the description of each mechanism, beside
it, in the guarantee and in the shape. A receipt in which they differ was damaged or edited, and
estimates by it would be wrong and look right; it is refused. What a mechanism costs, which rate ran
and what it is certified to spend, and how often it errs is computed again from its description;
errors that were simulated are not. This is no protection against someone who changes every number
consistently: for that, compare the receipt with a copy that you trust.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import CertificateError, FileFormatError, PrivetError
from privet.exact import exact_number
from privet.mechanisms import Exponential, Mechanism, RandomizedResponse, WordExponential
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.mechanisms.symbolwise import SymbolwiseMechanism
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage
from privet.releasing.answers import check_answer
from privet.releasing.job import law_in_use

if TYPE_CHECKING:
    from privet.releasing.receipt import Part, Receipt

Rebuilt = Exponential | HammingMechanism

_SAME = 1e-6
"""Relative; other versions and machines may round otherwise, and sharpen bounds a little."""

_SAME_LAW = 1e-12
"""Relative; a rate and what it spends are rounded once, from exact numbers."""

_LONG = 1000
"""Up to this length what a mechanism that is not symbol by symbol does is computed again."""

_SIZES = {
    "table": {"rows", "columns"},
    "words": {"words", "symbols", "shortest", "longest"},
    "symbols": {"symbols"},
    "choice": {"symbols"},
    "query": {"series", "steps", "shortest", "longest", "numbers"},
}
_PER = {
    "table": {"row"},
    "words": {"symbol"},
    "symbols": {"symbol", "value"},
    "choice": {"choice"},
    "query": {"step"},
}
_LISTS = ("columns", "kept", "left_out")
_NAMES = ("id", "time", "state", "person")


def check_consistency(receipt: "Receipt", data: Mapping[str, Any]) -> None:
    """Refuse a receipt, read from the JSON `data`, that contradicts itself.

    Errors: FileFormatError saying what is at odds with what.
    """
    _check_layout(receipt)
    _check_ledger(receipt)
    _check_copies(receipt, data)
    _check_parts(receipt)
    if receipt.kind == "query":
        check_answer(receipt, _agree)
        return
    mechanisms = [_rebuilt(receipt, part) for part in receipt.parts]
    for part, mechanism in zip(receipt.parts, mechanisms, strict=True):
        if mechanism is not None:
            _check_part(receipt, part, mechanism)
    times = _times(receipt, mechanisms[0])
    rows = times if receipt.kind == "table" else 1  # the part of a word has its symbols counted
    for what, promised, summed in (
        ("spent", receipt.spent, rows * sum(part.spent for part in receipt.parts)),
        ("epsilon", receipt.guarantee.epsilon, times * sum(p.epsilon for p in receipt.parts)),
        ("delta", receipt.guarantee.delta, times * sum(p.delta for p in receipt.parts)),
    ):
        _agree(promised == summed, f"the {what} promised is not the sum over its parts")


def _agree(holds: bool, otherwise: str) -> None:
    if not holds:
        raise FileFormatError(
            f"The receipt contradicts itself: {otherwise}.",
            hint="It was damaged or changed since the release; use it as it was written.",
        )


def _check_layout(receipt: "Receipt") -> None:
    """Names are text, sizes are whole numbers, and both are those of the kind of release."""
    sizes, layout = receipt.shape, receipt.layout
    expected = _SIZES[receipt.kind]
    _agree(
        expected <= set(sizes) <= expected | ({"rows"} if receipt.kind == "words" else set())
        and all(type(size) is int and size >= 0 for size in sizes.values()),
        f"its shape is not that of a release of kind '{receipt.kind}'",
    )
    for name in _LISTS:
        listed = layout.get(name, [])
        is_names = isinstance(listed, list) and all(isinstance(one, str) for one in listed)
        _agree(is_names, f"'{name}' in its layout is not a list of columns")
        _agree(len(set(listed)) == len(listed), f"'{name}' in its layout names a column twice")
    for name in _NAMES:
        place = layout.get(name)
        _agree(place is None or isinstance(place, str), f"'{name}' in its layout is not a column")
    for name in ("adjacency", "rows_per_person"):
        count = layout.get(name)
        _agree(
            count is None or (type(count) is int and count >= 1),
            f"'{name}' in its layout is not a count",
        )


def _check_ledger(receipt: "Receipt") -> None:
    """The account that was charged is named, and its spending did not fall."""
    ledger = receipt.ledger
    if ledger is None:
        return
    _agree(
        set(ledger) == {"account", "entry", "spent_before", "spent_after"}
        and all(isinstance(value, str) and value for value in ledger.values()),
        "'ledger' does not name an account, an entry and what was spent before and after",
    )
    before, after = (exact_number(ledger[name], name) for name in ("spent_before", "spent_after"))
    _agree(0 <= before <= after, "'ledger' says that less was spent after the release than before")


def _check_copies(receipt: "Receipt", data: Mapping[str, Any]) -> None:
    """What is derived from other entries is what it is derived to."""
    for part, given in zip(receipt.parts, data["parts"], strict=True):
        for name, value in part.to_json().items():
            _agree(given[name] == value, f"'{name}' of {_name(part)} is not what the rest says")
    derived = receipt.to_json()
    for name in ("spent", "expected_errors", "published_without_protection"):
        _agree(data[name] == derived[name], f"'{name}' is not what the rest says")
    for name in ("epsilon", "delta"):
        _agree(
            data["guarantee"][name] == derived["guarantee"][name],
            f"'{name}' of the guarantee is given twice and differs",
        )


def _check_parts(receipt: "Receipt") -> None:
    """The parts are those that the layout and the shape speak of."""
    parts, layout, sizes = receipt.parts, receipt.layout, receipt.shape
    columns = [part.column for part in parts]
    _agree(len(set(columns)) == len(columns), "two parts are of the same column")
    known = _PER[receipt.kind]
    _agree(
        all(part.per in known for part in parts),
        f"a part is not that of a release of kind '{receipt.kind}'",
    )
    if receipt.kind == "table":
        _agree(columns == layout.get("columns"), "its parts and its layout name different columns")
        _agree(sizes["columns"] == len(parts), "its shape has another number of columns")
        size = sizes["rows"]
    else:
        _agree(len(parts) == 1, "only the release of a table has several parts")
        _agree(columns[0] == layout.get("state"), "its part and its layout name different columns")
        size = sizes["numbers" if receipt.kind == "query" else "symbols"]
    if receipt.kind == "words":
        low, high = (sizes["words"] * sizes[end] for end in ("shortest", "longest"))
        _agree(low <= size <= high, "so many words of such lengths have not so many symbols")
        entries = size if "state" in layout else sizes["words"]
        _agree(sizes.get("rows", entries) == entries, "its shape has another number of rows")
    _agree(all(part.symbols == size for part in parts), "a part has not the symbols of its shape")


def _rebuilt(receipt: "Receipt", part: "Part") -> Rebuilt | None:
    """The mechanism described, or None for scores that were a function and cannot be written."""
    description = part.mechanism
    if receipt.kind == "choice" and isinstance(description.get("scores"), str):
        return None
    try:
        mechanism = Mechanism.from_json(description)
    except CertificateError as error:
        raise FileFormatError(
            f"The rate of {_name(part)} is not certified: {error.message}",
            hint="It was damaged or changed since the release; use it as it was written.",
        ) from None
    except (PrivetError, AttributeError, KeyError, TypeError, ValueError):
        mechanism = None
    if isinstance(mechanism, Exponential):
        fits = receipt.kind == "choice"
    elif isinstance(mechanism, RandomizedResponse):
        fits = receipt.kind != "choice"
    else:
        fits = isinstance(mechanism, HammingMechanism) and receipt.kind in ("words", "symbols")
    if not fits or not isinstance(mechanism, Exponential | HammingMechanism):
        _agree(
            False,
            f"the mechanism of {_name(part)} is none of a release of kind '{receipt.kind}'",
        )
        return None
    return mechanism


def _check_part(receipt: "Receipt", part: "Part", mechanism: Rebuilt) -> None:
    """Costs and errors of one part, computed again from the description of its mechanism."""
    place, lengths = _name(part), _lengths(receipt)
    longest = max(lengths) or 1
    costs = part.spent, part.record_loss
    if isinstance(mechanism, HammingMechanism):
        for symbol in (part.other, part.missing):
            known = symbol is None or symbol in mechanism.alphabet
            _agree(known, f"a stand-in of {place} is not in its alphabet")
    _check_law(part, mechanism, longest)
    on_language = isinstance(mechanism, LanguageMechanism)
    one_by_one = isinstance(mechanism, SymbolwiseMechanism) and not on_language
    if not one_by_one and longest > _LONG:
        return
    times = 1 if receipt.kind == "table" else _times(receipt, mechanism)
    again = times * mechanism.spent(longest), mechanism.record_loss(longest).maximum
    if one_by_one or len(lengths) == 1:
        same = all(_close(*pair) for pair in zip(costs, again, strict=True))
    else:  # the largest over all lengths, of which the receipt names two
        same = all(
            cost is not None and cost >= (1 - _SAME) * one
            for cost, one in zip(costs, again, strict=True)
        )
    _agree(same, f"the mechanism of {place} does not spend what is written beside it")
    _agree(
        part.spent <= times * part.epsilon,
        f"{place} spends more than the epsilon of its mechanism",
    )
    simulated = on_language or "decoded" in receipt.layout
    if not isinstance(mechanism, HammingMechanism) or simulated:
        return
    errors: float | None = None
    if one_by_one:
        errors = part.symbols * mechanism.expected_errors(1)
    elif len(lengths) == 1:
        errors = part.symbols / longest * mechanism.expected_errors(longest)
    _agree(
        errors is None or _close(part.expected_errors, errors),
        f"the mechanism of {place} does not make the errors written beside it",
    )


def _check_law(part: "Part", mechanism: Rebuilt, longest: int) -> None:
    """The calibration, rate and certified bracket are those of the mechanism that is described."""
    if not isinstance(mechanism, WordExponential):
        return
    for name, value in law_in_use(mechanism, longest).items():
        if name == "calibration_reason":  # is for reading, and older receipts have none
            same = isinstance(part.law.get(name, ""), str)
        else:
            same = _same_law(part.law.get(name), value)
        _agree(same, f"'{name}' of the law of {_name(part)} is not that of its mechanism")
    is_certified = isinstance(mechanism, ExponentialOnLanguage) and mechanism.certified is not None
    _agree(
        is_certified or "certified" not in part.law,
        f"the law of {_name(part)} says that its rate is certified, and it is not",
    )


def _same_law(written: Any, again: Any) -> bool:
    if isinstance(again, dict):
        return (
            isinstance(written, dict)
            and set(written) == set(again)
            and all(_same_law(written[name], value) for name, value in again.items())
        )
    if isinstance(again, float):
        return type(written) in (int, float) and math.isclose(written, again, rel_tol=_SAME_LAW)
    return type(written) is type(again) and bool(written == again)


def _lengths(receipt: "Receipt") -> set[int]:
    """The shortest and the longest word; a row of a table and a choice are one symbol."""
    if receipt.kind == "words":
        return {receipt.shape["shortest"], receipt.shape["longest"]}
    return {receipt.shape["symbols"] if receipt.kind == "symbols" else 1}


def _times(receipt: "Receipt", mechanism: Rebuilt | None) -> int:
    """How many times the mechanism's epsilon the promise costs."""
    if receipt.kind == "table":
        return int(receipt.layout.get("rows_per_person") or 1)
    if not isinstance(mechanism, HammingMechanism):
        return 1
    covered = int(receipt.layout.get("adjacency") or 1)
    if isinstance(mechanism, RandomizedResponse):
        return covered
    _agree(covered == mechanism.adjacency, "its mechanism and its layout have other adjacencies")
    return 1


def _close(written: Fraction | float | None, again: Fraction | float | None) -> bool:
    return (
        written is not None
        and again is not None
        and math.isclose(float(written), float(again), rel_tol=_SAME, abs_tol=1e-300)
    )


def _name(part: "Part") -> str:
    return "its part" if part.column is None else f"column '{part.column}'"
