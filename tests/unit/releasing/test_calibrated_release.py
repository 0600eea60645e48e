"""Plans and receipts at the certified rate."""

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import Alphabet, IndependentRecords, Language, Ledger, MarkovChain, plan, release
from privet.errors import CertificateError, FileFormatError
from privet.mechanisms import WordExponential
from privet.mechanisms.on_language import LanguageMechanism
from privet.releasing import Receipt
from privet.releasing.feasible import CALIBRATED
from privet.symbols import Words
from privet.verify.certificate_files import check_certificates, read_certificates
from privet.weighted.words_check import WordClaim

ROOMS = Language.from_allowed(Alphabet(["a", "b", "c"]), [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
WORDS = [["a", "b", "c", "b"], ["b", "b"], ["c", "c", "b", "a", "a"]]


@pytest.fixture(scope="module")
def receipt() -> Receipt:
    mechanism = WordExponential(ROOMS, epsilon=3, calibration="exact")
    return release(mechanism, Words.from_lists(ROOMS.alphabet, WORDS)).receipt


def test_a_plan_shows_what_calibration_wins_and_recommends_it() -> None:
    usual = plan(ROOMS, epsilon=3, length=12, calibration="paper")
    assert CALIBRATED not in [row.title for row in usual.rows]
    found = plan(ROOMS, epsilon=3, length=12, calibration="exact")
    rows = {row.title: row for row in found.rows}
    row = rows[CALIBRATED]
    assert found.recommended is row
    assert row.possible
    assert 2.8 < row.spent <= row.epsilon == 3
    assert row.expected_errors < 0.7 * rows["exponential (paper rate)"].expected_errors
    assert "times the published rate, proved to spend at least 2." in row.note
    assert row.note.endswith(" of 3")
    assert rows["exponential (paper rate)"].note == ""
    assert "--calibration exact" in str(found)
    assert "certified" in found.to_json()["mechanisms"][-1]["mechanism"]
    by_itself = plan(ROOMS, epsilon=3, length=12)
    assert by_itself.recommended.title == CALIBRATED
    assert "has this rate by itself" in by_itself.reason
    everything = plan(ROOMS.alphabet, epsilon=3, length=12, calibration="exact")
    assert CALIBRATED not in [row.title for row in everything.rows]


def test_the_receipt_holds_the_certificate(receipt: Receipt) -> None:
    part = receipt.parts[0]
    assert part.law["calibration"] == "exact"
    bracket = part.law["certified"]
    assert 2.8 < bracket["spent_at_least"] <= bracket["spent_at_most"] <= 3
    assert (bracket["shortest"], bracket["longest"]) == (0, None)
    assert receipt.guarantee.epsilon == 3
    assert receipt.spent <= 3
    again = Receipt.from_json(json.loads(receipt.to_text()))
    mechanism = again.mechanism()
    assert isinstance(mechanism, LanguageMechanism)
    assert mechanism.rate(4) == part.law["rate"]


def test_the_certificate_in_a_receipt_is_checked_alone(receipt: Receipt, tmp_path: Path) -> None:
    path = tmp_path / "words.receipt.json"
    path.write_text(receipt.to_text(), encoding="utf-8")
    (claim,) = read_certificates(path)
    assert isinstance(claim, WordClaim)
    assert str(claim.q) == receipt.parts[0].mechanism["certified"]["q"]
    alone = receipt.parts[0].mechanism["certified"]["certificate"]
    assert check_certificates(alone) == (claim,)
    changed = copy.deepcopy(alone)
    changed["q"] = "1/1000"
    with pytest.raises(CertificateError):
        check_certificates(changed)
    other = release(
        WordExponential(ROOMS, epsilon=3, calibration="paper"),
        Words.from_lists(ROOMS.alphabet, WORDS),
    ).receipt
    with pytest.raises(CertificateError, match="holds no certificate"):
        check_certificates(other.to_json())


def test_a_plan_says_why_no_rate_is_certified() -> None:
    large = Language.from_allowed(
        Alphabet(range(40)), [[abs(i - j) <= 2 for j in range(40)] for i in range(40)]
    )
    found = plan(large, epsilon=3, length=12)
    rows = {row.title: row for row in found.rows}
    assert CALIBRATED not in rows
    assert "too large for a certified rate in seconds" in rows["exponential (paper rate)"].note
    stages = []
    plan(ROOMS, epsilon="2.7", length=12, progress=lambda stage, *_: stages.append(stage))
    assert "certifying a rate" in stages


def test_a_plan_recommends_the_best_of_calibrated_and_decoded() -> None:
    """Which of the two has fewer errors depends on the chain; both are compared."""
    lazy, dull = (
        MarkovChain(["1/3"] * 3, [[a, b, 0], [b / 2, a, b / 2], [0, b, a]], ROOMS.alphabet)
        for a, b in ((Fraction(19, 20), Fraction(1, 20)), (Fraction(1, 2), Fraction(1, 2)))
    )
    found = plan(ROOMS, epsilon=3, length=40, chain=lazy)
    assert found.recommended.title == "randomised response + Viterbi"
    found = plan(ROOMS, epsilon=3, length=40, chain=dull)
    rows = {row.title: row.expected_errors for row in found.rows}
    assert found.recommended.title == CALIBRATED, rows
    assert rows[CALIBRATED] < rows["randomised response + Viterbi"]


def change_q(part: dict[str, Any]) -> None:
    part["mechanism"]["certified"]["q"] = "1/1000"


def change_certificate(part: dict[str, Any]) -> None:
    part["mechanism"]["certified"]["certificate"]["parts"][0]["ratio"] = "1"


def change_epsilon(part: dict[str, Any]) -> None:
    part["mechanism"]["epsilon"] = "2"


def drop(part: dict[str, Any]) -> None:
    del part["mechanism"]["certified"]


def change_law(name: str, value: Any) -> Any:
    def change(part: dict[str, Any]) -> None:
        place = part["law"] if name in part["law"] else part["law"]["certified"]
        place[name] = value

    return change


def drop_bracket(part: dict[str, Any]) -> None:
    del part["law"]["certified"]


LAWS = [
    change_law("spent_at_least", 2.9999),
    change_law("spent_at_most", 2.5),
    change_law("spent_at_most", "2.99"),
    change_law("spent_at_most", True),
    change_law("longest", 9),
    change_law("shortest", 1),
    change_law("rate", 1.5),
    change_law("calibration", "paper"),
    change_law("calibration", "auto"),
    change_law("certified", {}),
    drop_bracket,
]


@pytest.mark.parametrize("change", LAWS)
def test_a_law_that_says_something_else_than_the_certificate_is_refused(
    receipt: Receipt, change: Any, tmp_path: Path
) -> None:
    data = json.loads(receipt.to_text())
    assert check_certificates(data)
    change(data["parts"][0])
    with pytest.raises(FileFormatError, match="the law of its part"):
        Receipt.from_json(data)
    with pytest.raises(CertificateError, match="law of the receipt"):
        check_certificates(data)
    path = tmp_path / "changed.receipt.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CertificateError):
        read_certificates(path)


def test_a_law_that_claims_a_certificate_without_one_is_refused() -> None:
    made = WordExponential(ROOMS, epsilon=3, calibration="paper")
    data = release(made, Words.from_lists(ROOMS.alphabet, WORDS)).receipt.to_json()
    data["parts"][0]["law"]["certified"] = {"spent_at_most": 3.0}
    with pytest.raises(FileFormatError, match="says that its rate is certified"):
        Receipt.from_json(data)


def test_a_receipt_of_the_time_before_is_read_as_what_ran_then() -> None:
    """ "auto" was the published rate on such languages, and the law gave no reason."""
    made = WordExponential(ROOMS, epsilon=3, calibration="paper")
    data = release(made, Words.from_lists(ROOMS.alphabet, WORDS)).receipt.to_json()
    part = data["parts"][0]
    part["mechanism"]["calibration"] = "auto"
    del part["law"]["calibration_reason"]
    again = Receipt.from_json(data).mechanism()
    assert again == made


def test_an_account_of_single_symbols_is_charged_the_guarantee() -> None:
    """2k a symbol where more symbols are compared than the guarantee speaks of."""
    words = Words.from_lists(ROOMS.alphabet, WORDS)
    mechanism = WordExponential(ROOMS, epsilon=3, calibration="exact", longest=5)
    with Ledger.open("memory:") as ledger:
        charged = {
            unit: ledger.account(str(unit), IndependentRecords(unit), 100, unit="step")
            for unit in (1, 2, "all")
        }
        for account in charged.values():
            release(mechanism, words, ledger=account)
        per_symbol = mechanism.record_loss(5).maximum
        assert per_symbol > 4
        # As much as is promised, up to the grid of record losses.
        assert 0 <= charged[1].spent() - 3 < Fraction(1, 1 << 60)
        assert charged[2].spent() == 2 * per_symbol
        assert charged["all"].spent() == 5 * per_symbol
        quoted = plan(ROOMS, epsilon=3, length=5, ledger=charged[1], calibration="exact")
        costs = {row.title: row.ledger.cost for row in quoted.rows if row.ledger is not None}
        cost = costs[CALIBRATED]
        assert cost is not None
        assert abs(cost - 3) < Fraction(1, 1 << 60)


def test_an_account_of_two_symbols_is_charged_what_a_short_release_can_tell_of_one() -> None:
    """Of two symbols in which persons differ, a release of shorter words covers one alone."""
    short = Words.from_lists(ROOMS.alphabet, [word[:2] for word in WORDS])
    mechanism = WordExponential(ROOMS, epsilon=3, adjacency=2, calibration="exact", longest=5)
    with Ledger.open("memory:") as ledger:
        account = ledger.account("pairs", IndependentRecords(2), 100, unit="step")
        for words in (Words.from_lists(ROOMS.alphabet, WORDS), short):
            release(mechanism, words, ledger=account)
        # The longest word of the short release has two symbols.
        once = mechanism.record_loss(2).maximum
        assert account.spent() >= 4 * once
        assert once > Fraction(3, 2)  # the guarantee over two symbols, shared out


@pytest.mark.parametrize("change", [change_q, change_certificate, change_epsilon, drop])
def test_a_receipt_whose_rate_is_not_certified_is_refused(receipt: Receipt, change: Any) -> None:
    data = json.loads(receipt.to_text())
    change(data["parts"][0])
    with pytest.raises(FileFormatError):
        Receipt.from_json(data)
