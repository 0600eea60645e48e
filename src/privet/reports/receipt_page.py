"""The page of a release, for whoever must answer for it: the promise first, then what it rests on.

Contract. Made from the receipt alone, which holds no private value; where the released file lies
beside it, its SHA-256 is compared. Epsilons, deltas and factors are rounded up.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from privet.exact import exp_up
from privet.plain_text import count, percent, plain
from privet.privacy import Guarantee
from privet.privacy.guarantee import decimal_up
from privet.queries import told
from privet.releasing import Answer, Part, Receipt
from privet.releasing.files import sha256_of
from privet.releasing.receipt import PRIVATE_BITS
from privet.reports.compared import comparison
from privet.reports.html import (
    Html,
    code,
    element,
    escaped,
    facts,
    listing,
    name_of,
    notice,
    page,
    paragraph,
    section,
)
from privet.reports.mechanism_words import in_words
from privet.reports.predicted import compare
from privet.verify.certificate_files import check_certificates

_SURE_EPSILON = 30
"""From here on a probability is 100 % in as many digits as anybody would print."""


def receipt_page(receipt: Receipt, place: Path | None = None) -> str:
    """The report of a release. `place`: of the receipt, if it is a file."""
    released = "a release" if receipt.output is None else receipt.output["name"]
    return page(
        f"Privacy of {released}",
        f"Report of a release, made {_date(receipt.created)}",
        _warnings(receipt),
        _promise(receipt),
        _in_numbers(receipt),
        _protection(receipt),
        section("How the values were protected", *(_part(receipt, p) for p in receipt.parts)),
        _spending(receipt),
        section("Where the randomness came from", _randomness(receipt)),
        _files(receipt, place),
        _checking(receipt, place),
        footer="Made from the receipt of the release, which holds no private value. Epsilon, delta "
        "and factors are rounded up. Times are UTC.",
    )


# ------------------------------------------------------------------------------------ the promise


def _promise(receipt: Receipt) -> Html:
    promise = replace(receipt.guarantee, assumptions=(), published=())
    return element("p", promise.sentence, class_="promise")


def _warnings(receipt: Receipt) -> Iterator[Html]:
    if receipt.randomness != PRIVATE_BITS:
        yield notice(
            "bad",
            "This release protects nobody",
            paragraph(
                "Its random bits came from a seed. Whoever knows or guesses the seed can undo the "
                "protection. Use it for tests only, and do not give it out."
            ),
        )
    if receipt.demo:
        yield notice(
            "open",
            "The data were declared public",
            paragraph("The release is a demonstration: its data needed no protection."),
        )


def _in_numbers(receipt: Receipt) -> Html:
    guarantee = receipt.guarantee
    numbers = [
        ("epsilon promised", decimal_up(guarantee.epsilon, 5)),
        ("epsilon spent", decimal_up(receipt.spent, 5)),
    ]
    if guarantee.delta:
        numbers.append(("delta", decimal_up(guarantee.delta, 3)))
    numbers += [*_error_numbers(receipt)]
    shown = (element("div", element("dt", name), element("dd", value)) for name, value in numbers)
    return section(
        "What the promise means",
        element("dl", *shown, class_="numbers"),
        paragraph(*_odds(guarantee)),
    )


def _error_numbers(receipt: Receipt) -> Iterator[tuple[str, str]]:
    first = receipt.parts[0]
    if isinstance(first, Answer):
        yield "error to expect of a number", plain(first.expected_error)
        return
    symbols = sum(part.symbols for part in receipt.parts)
    if symbols and all(part.expected_errors is not None for part in receipt.parts):
        yield "values expected to be wrong", percent(receipt.expected_errors / symbols)


def _odds(guarantee: Guarantee) -> Iterator[str]:
    """What odds mean for somebody's belief; with a delta they do not bound it."""
    epsilon, factor = guarantee.epsilon, exp_up(guarantee.epsilon)
    if guarantee.delta:
        yield (
            "Delta makes the promise weaker: besides the factor, any outcome may be likelier by "
            f"{decimal_up(guarantee.delta)}. "
        )
    else:
        sure = (
            "almost certain of one of them"
            if epsilon >= _SURE_EPSILON
            else f"{_percent_up(factor / (1 + factor))} sure of one of them"
        )
        condition = (
            "If what is assumed below holds, whoever" if guarantee.assumptions else "Whoever"
        )
        yield (
            f"{condition} thinks beforehand that two values are equally likely, 50 % each, can be "
            f"at most {sure} after seeing the release. "
        )
    yield (
        "The smaller epsilon is, the less anybody learns about one person, and the larger the "
        "errors are."
    )


def _percent_up(share: Fraction) -> str:
    """One digit after the point, rounded up."""
    tenths = -((-share * 1000) // 1)
    return f"{tenths // 10}.{tenths % 10} %"


def _protection(receipt: Receipt) -> Html:
    guarantee, layout = receipt.guarantee, receipt.layout
    left_out, published = layout.get("left_out") or [], guarantee.published
    open_title = "Not protected: this went out as it is"
    return section(
        "What is protected, and what is not",
        notice("good", "Protected", paragraph(f"{guarantee.unit}.")),
        notice("open", open_title, listing(map(_sentence, published)))
        if published
        else notice("good", "Nothing went out without protection"),
        _left_out(left_out),
        _assumptions(guarantee.assumptions),
        (paragraph(element("strong", "Note: "), f"{note}.") for note in receipt.notes),
    )


def _left_out(columns: list[str]) -> object:
    if not columns:
        return None
    one = len(columns) == 1
    return paragraph(
        f"{'Column' if one else 'Columns'} of the data that {'is' if one else 'are'} not in the "
        "release at all: ",
        _names(columns),
        ".",
    )


def _assumptions(assumptions: tuple[str, ...]) -> object:
    if not assumptions:
        return paragraph("The promise makes no assumption about the data.")
    return notice(
        "open",
        "The promise holds only if",
        listing(map(_sentence, assumptions)),
    )


def _names(names: list[str]) -> Html:
    return Html(escaped(", ").join(name_of(name) for name in names))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


# -------------------------------------------------------------------------------------- the parts


def _part(receipt: Receipt, part: Part) -> Html:
    title = _title(part)
    alphabet = part.mechanism.get("alphabet") or part.mechanism.get("outputs") or []
    rows: list[tuple[str, object]] = [
        ("Mechanism", receipt.mechanism(part.column).title),
        ("Epsilon", decimal_up(part.epsilon, 5)),
    ]
    if part.delta:
        rows.append(("Delta", decimal_up(part.delta, 5)))
    rows.append(("Epsilon spent", decimal_up(part.spent, 5)))
    if part.record_loss is not None:
        rows.append((f"Largest loss of one {part.per}", decimal_up(part.record_loss, 5)))
    rows += _results(part)
    if alphabet and not isinstance(part, Answer):
        rows.append((f"The {count(len(alphabet))} categories", _names(_some(alphabet))))
    for name, symbol in (("missing values", part.missing), ("other labels", part.other)):
        if symbol is not None:
            rows.append((f"Stands for {name}", name_of(symbol)))
    return section(
        title,
        paragraph(in_words(receipt, part)),
        facts(rows),
        comparison(part, compare(receipt, part)),
        level=3,
    )


def _title(part: Part) -> object:
    if isinstance(part, Answer):
        of = [] if part.column is None else [" of ", name_of(part.column)]
        return ["Query ", name_of(told(part.query)), *of]
    return "All values" if part.column is None else ["Column ", name_of(part.column)]


_SHOWN = 40


def _some(symbols: list[object]) -> list[str]:
    shown = [str(symbol) for symbol in symbols[:_SHOWN]]
    return shown if len(symbols) <= _SHOWN else [*shown, f"and {count(len(symbols) - _SHOWN)} more"]


def _results(part: Part) -> Iterator[tuple[str, object]]:
    if isinstance(part, Answer):
        sure, width = percent(float(part.confidence)), plain(part.half_width)
        yield "Numbers released", count(part.symbols)
        yield "Error to expect", f"{plain(part.expected_error)} (of each number, without its sign)"
        yield "Interval", f"the true number lies within {width} with probability {sure}"
        return
    yield "Values released", count(part.symbols)
    if part.expected_errors is not None and part.share_wrong is not None:
        over = part.law.get("expected_errors_averaged_over")
        how = f"averaged over {over}, by simulation" if over else "exactly, from the mechanism"
        yield (
            "Expected to be wrong",
            f"{plain(part.expected_errors)} of them, {percent(part.share_wrong)} ({how})",
        )


# ------------------------------------------------------------------------- account, files, checks


def _spending(receipt: Receipt) -> Html:
    known = receipt.ledger
    entry: object = paragraph(
        "No account was charged. Other releases about the same people add to what this one costs, "
        "and nothing here counts them."
    )
    if known is not None:
        entry = facts(
            [
                ("Account", name_of(known["account"])),
                ("Entry of the ledger", element("span", known["entry"], class_="hash")),
                ("Spent before", decimal_up(Fraction(known["spent_before"]), 5)),
                ("Spent with this release", decimal_up(Fraction(known["spent_after"]), 5)),
            ]
        )
    return section("What it cost", (paragraph(line) for line in receipt.spent_lines), entry)


def _randomness(receipt: Receipt) -> Html:
    if receipt.randomness == PRIVATE_BITS:
        return paragraph(
            "From the operating system, through AES-256 in counter mode. Nobody can draw the same "
            "bits again."
        )
    return notice(
        "bad", "From a seed", paragraph(f"The receipt says: {receipt.randomness}. See the warning.")
    )


def _files(receipt: Receipt, place: Path | None) -> Html:
    rows: list[tuple[str, object]] = [("Made", _date(receipt.created))]
    output = receipt.output
    if output is not None:
        rows += [
            ("File", name_of(output["name"])),
            ("Its SHA-256", element("span", output["sha256"], class_="hash")),
        ]
    rows.append(("Size", ", ".join(_size(*each) for each in receipt.shape.items())))
    rows.append(("Versions", ", ".join(f"{n} {v}" for n, v in receipt.versions.items())))
    return section("The files", facts(rows), _compared(output, place))


def _size(what: str, number: int) -> str:
    """'12 rows', 'shortest 3'."""
    if what in ("shortest", "longest"):
        return f"{what} {count(number)}"
    return f"{count(number)} {what.removesuffix('s') if number == 1 and what != 'series' else what}"


def _compared(output: dict[str, str] | None, place: Path | None) -> object:
    """Whether the file beside the receipt is the one it speaks of."""
    if output is None:
        return paragraph("The release was not written to a file.")
    released = None if place is None else place.with_name(Path(output["name"]).name or "-")
    try:
        if released is None or not released.is_file():
            return paragraph("The file was not beside the receipt, so it was not compared.")
        same = sha256_of(released) == output["sha256"]
    except OSError:
        return paragraph("The file beside the receipt could not be read, so it was not compared.")
    if same:
        return notice("good", "The file beside the receipt has this SHA-256")
    return notice(
        "bad",
        "The file beside the receipt is another one",
        paragraph("Its SHA-256 is not that of the receipt. This report does not speak of it."),
    )


def _checking(receipt: Receipt, place: Path | None) -> Html:
    known = "RELEASE.receipt.json" if place is None else place.name
    steps: list[object] = [
        paragraph("The receipt was read for this report and does not contradict itself.")
    ]
    if receipt.output is not None:
        steps += [
            paragraph("That the file is the one described here: the digest must be the one above."),
            code(f"sha256sum {_typed(receipt.output['name'])}"),
        ]
    if any(part.mechanism.get("certified") for part in receipt.parts):
        check_certificates(receipt.to_json())
        steps += [
            paragraph(
                "The proof of what its rate spends on the language was followed again for this "
                "report, in whole numbers and without searching. The same check:"
            ),
            code(f"privet verify certificate {_typed(known)}"),
        ]
    if receipt.ledger is not None:
        steps += [
            paragraph("That the account was charged, and that nobody rewrote it:"),
            code(
                f"privet ledger show --ledger LEDGER --account {_typed(receipt.ledger['account'])}",
                "privet ledger verify --ledger LEDGER",
            ),
        ]
    steps += [
        paragraph("This report again:"),
        code(f"privet report {_typed(known)} -o report.html"),
    ]
    return section("How to check this", *steps)


def _typed(name: str) -> str:
    """A name as it is typed into a shell."""
    import shlex

    return shlex.quote(name)


def _date(text: str) -> str:
    return text[:19].replace("T", " ") + " UTC" if text.endswith("Z") else text
