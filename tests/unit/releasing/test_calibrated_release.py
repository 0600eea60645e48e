"""Plans and receipts at the certified rate."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from privet import Alphabet, Language, plan, release
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
    usual = plan(ROOMS, epsilon=3, length=12)
    assert CALIBRATED not in [row.title for row in usual.rows]
    found = plan(ROOMS, epsilon=3, length=12, calibration="exact")
    rows = {row.title: row for row in found.rows}
    row = rows[CALIBRATED]
    assert found.recommended is row
    assert row.possible
    assert 2.8 < row.spent <= row.epsilon == 3
    assert row.expected_errors < 0.7 * rows["exponential (paper rate)"].expected_errors
    assert "times the published rate" in row.note
    assert "--calibration exact" in str(found)
    assert "certified" in found.to_json()["mechanisms"][-1]["mechanism"]
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
        WordExponential(ROOMS, epsilon=3), Words.from_lists(ROOMS.alphabet, WORDS)
    ).receipt
    with pytest.raises(CertificateError, match="holds no certificate"):
        check_certificates(other.to_json())


def change_q(part: dict[str, Any]) -> None:
    part["mechanism"]["certified"]["q"] = "1/1000"


def change_certificate(part: dict[str, Any]) -> None:
    part["mechanism"]["certified"]["certificate"]["parts"][0]["ratio"] = "1"


def change_epsilon(part: dict[str, Any]) -> None:
    part["mechanism"]["epsilon"] = "2"


def drop(part: dict[str, Any]) -> None:
    del part["mechanism"]["certified"]


@pytest.mark.parametrize("change", [change_q, change_certificate, change_epsilon, drop])
def test_a_receipt_whose_rate_is_not_certified_is_refused(receipt: Receipt, change: Any) -> None:
    data = json.loads(receipt.to_text())
    change(data["parts"][0])
    with pytest.raises(FileFormatError):
        Receipt.from_json(data)
