"""Certificates in files: what stands is read back, and whatever is changed in them is refused."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import verify
from privet.errors import CertificateError, FileFormatError, OutputError
from privet.verify.certificate import ModelClaim
from seals import sealed_again

INFECTION = Path(__file__).parents[3] / "src" / "privet" / "datasets" / "infection.toml"


@pytest.fixture(scope="module")
def shown() -> list[Any]:
    """Two proofs at ratio 14 and two counterexamples to ratio 4."""
    question = verify.read_verification(INFECTION)
    assert isinstance(question, verify.Verification)
    broken = question.asking(ratio=4)
    return [
        *verify.certificates_of(question, question.decide()),
        *verify.certificates_of(broken, broken.decide()),
    ]


def test_what_was_shown_is_read_back(tmp_path: Path, shown: list[Any]) -> None:
    verify.save_certificates(shown, tmp_path / "all.json")
    proof, _, counterexample, _ = verify.read_certificates(tmp_path / "all.json")
    assert isinstance(proof, ModelClaim)
    assert proof.ratio == 14
    assert isinstance(counterexample, verify.Counterexample)
    assert counterexample == shown[2]
    over, under = counterexample.probabilities
    assert over > 4 * under
    # The forward recursion that is written here once more gives what the engine's gives.
    assert over / under == Fraction(2464, 471)
    verify.save_certificates(shown[:1], tmp_path / "one.json")
    assert len(verify.read_certificates(tmp_path / "one.json")) == 1


def test_a_file_is_not_replaced_unasked(tmp_path: Path, shown: list[Any]) -> None:
    verify.save_certificates(shown[:1], tmp_path / "one.json")
    with pytest.raises(OutputError):
        verify.save_certificates(shown[:1], tmp_path / "one.json")
    verify.save_certificates(shown[:1], tmp_path / "one.json", overwrite=True)


COUNTEREXAMPLE_CHANGES: list[tuple[str, Any]] = [
    ("kind", "x"),
    ("version", 1),
    ("version", 3),
    ("sha256", "0" * 64),
    ("sha256", None),
    ("version", True),
    ("ratio", "1000000"),
    ("ratio", 4),
    ("ratio", "4/0"),
    ("ratio", "-4"),
    ("word", []),
    ("word", [0]),
    ("word", [9, 9]),
    ("word", [True, 1, 1]),
    ("word", "111"),
    ("first", ["1"]),
    ("first", ["1", "1", "1"]),
    ("first", ["1/2", "0", "1/2"]),
    ("second", ["0", "1", "0"]),
    ("second", [0, 1, 0]),
    ("model", {}),
    ("model", None),
]


@pytest.mark.parametrize(("name", "value"), COUNTEREXAMPLE_CHANGES)
def test_a_changed_counterexample_is_refused(shown: list[Any], name: str, value: Any) -> None:
    """Even where it is sealed again, as anyone can."""
    document = {**shown[2].to_json(), name: value}
    with pytest.raises(CertificateError, match=name if name == "sha256" else None):
        verify.check_certificates(document if name == "sha256" else sealed_again(document))


def test_fields_are_exactly_those(shown: list[Any]) -> None:
    document = shown[2].to_json()
    for name in document:
        with pytest.raises(CertificateError):
            verify.check_certificates({k: v for k, v in document.items() if k != name})
    with pytest.raises(CertificateError, match="more"):
        verify.check_certificates({**document, "more": 1})


def leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*place, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, (*place, number))
    else:
        yield place


def test_every_leaf_of_a_proof_counts(shown: list[Any]) -> None:
    """Replaced, each leaf makes the whole list fall; sealed again, names alone may change.

    Lengths and depths become text here: another number can make a weaker claim, which is true.
    """
    document = sealed_again(
        {
            "kind": "verification-certificates",
            "version": 2,
            "certificates": [shown[0].to_json()],
            "sha256": "",
        }
    )
    verify.check_certificates(document)
    for place in leaves(document):
        changed = copy.deepcopy(document)
        inner: Any = changed
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = "7/9"
        with pytest.raises(CertificateError):
            verify.check_certificates(changed)
        if not {"states", "observations", "sha256"} & {*place}:
            with pytest.raises(CertificateError):
                verify.check_certificates(sealed_again(changed))


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"kind": "solver-verdict", "checkable": False},
        {"kind": "verification-certificates", "version": 2, "certificates": [], "sha256": ""},
        {"kind": "verification-certificates", "version": 2, "certificates": [{}], "sha256": ""},
        {"kind": "verification-certificates", "version": 1, "certificates": [{}], "sha256": ""},
        {"kind": "verification-certificates", "version": 2, "sha256": ""},
    ],
)
def test_what_is_no_certificate_is_refused(document: object) -> None:
    with pytest.raises(CertificateError):
        verify.check_certificates(sealed_again(document))


def test_errors_name_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CertificateError, match=r"a\.json proves nothing: It is no certificate"):
        verify.read_certificates(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(FileFormatError, match="not JSON"):
        verify.read_certificates(tmp_path / "b.json")


def test_the_check_needs_no_engine(tmp_path: Path, shown: list[Any]) -> None:
    """Nothing that searches is even loaded: the modules of the engine cannot be imported."""
    verify.save_certificates(shown, tmp_path / "all.json")
    code = (
        "import sys, json\n"
        "from privet.verify.certificate_files import read_certificates\n"
        "print(len(read_certificates(sys.argv[1])))\n"
        "print(*(name for name in sys.modules if name.startswith('privet.weighted.')))\n"
        "print(*(name for name in sys.modules if name.startswith('privet.verify.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "all.json")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    count, weighted, own = done.stdout.splitlines()
    assert count == "4"
    assert not {f"privet.weighted.{name}" for name in ("search", "worst", "cones", "beam")} & {
        *weighted.split()
    }
    assert "privet.verify.models" not in own.split()


def test_json_of_a_certificate_is_plain(shown: list[Any]) -> None:
    assert all(json.loads(json.dumps(each.to_json())) == each.to_json() for each in shown)
