"""calibration="auto" on languages, and certified rates that are kept for the next time."""

import copy
import fcntl
import json
import os
import pickle
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import Alphabet, Language, ParameterError, WordExponential
from privet.errors import CertificateError
from privet.mechanisms import Mechanism
from privet.mechanisms.word_exponential import calibrated, calibrating, kept
from privet.mechanisms.word_exponential.calibrating import THOROUGH, calibrate
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage
from privet.weighted.seal import SEAL, seal_of

F = Fraction
ROW = Language.from_allowed(Alphabet(["a", "b", "c"]), [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
WIDE = Language.from_allowed(
    Alphabet(range(40)), [[abs(i - j) <= 2 for j in range(40)] for i in range(40)]
)


def made(language: Language, **options: Any) -> ExponentialOnLanguage:
    mechanism = WordExponential(language, **options)
    assert isinstance(mechanism, ExponentialOnLanguage)
    return mechanism


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of kept rates, and a process that remembers none."""
    monkeypatch.setenv("PRIVET_CACHE", str(tmp_path))
    monkeypatch.setattr(kept, "_KNOWN", {})
    return tmp_path / "calibrations"


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the next process."""
    monkeypatch.setattr(kept, "_KNOWN", {})


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("searched again")

    monkeypatch.setattr(calibrating, "_search", forbidden)


# ------------------------------------------------------------------------------ what "auto" is


def test_auto_is_a_certified_rate_where_one_is_found() -> None:
    mechanism = made(ROW, epsilon=3)
    assert mechanism.certified is not None
    assert mechanism.calibration == "exact"
    assert mechanism.calibration_reason == "it is certified for this language"
    assert mechanism.rate(9) > 1.6 * made(ROW, epsilon=3, calibration="paper").rate(9)
    assert F(97, 100) * 3 < mechanism.certified.high <= 3
    assert mechanism.law_in_use(9)["certified"] == mechanism.certified.bracket()
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    for twin in (copy.deepcopy(mechanism), pickle.loads(pickle.dumps(mechanism))):
        assert twin == mechanism
        assert twin.calibration_reason == mechanism.calibration_reason
        assert twin.ratio(9) == mechanism.ratio(9)


def test_auto_is_the_published_rate_elsewhere_and_says_why() -> None:
    cases: list[tuple[str, ExponentialOnLanguage]] = [
        ("too large", made(WIDE, epsilon=3)),
        ("outside the language", made(ROW, epsilon=3, outside="allow")),
        ("no larger rate was certified", made(ROW, epsilon="2.9", seconds=0)),
        ("epsilon is too small", made(ROW, epsilon="1e-12")),
        ("epsilon is too small", made(ROW, epsilon="1e-300")),
    ]
    for why, mechanism in cases:
        assert mechanism.calibration == "paper"
        assert why in mechanism.calibration_reason
        law = mechanism.law_in_use(5)
        assert (law["calibration"], law["calibration_reason"]) == (
            "paper",
            mechanism.calibration_reason,
        )
        assert mechanism.certified is None
        published = made(
            mechanism.language,
            epsilon=mechanism.epsilon,
            calibration="paper",
            outside=mechanism.outside,
        )
        assert published == mechanism
        assert published.calibration_reason == "it was asked for"
        assert published.ratio(5) == mechanism.ratio(5)
        assert "certified" not in mechanism.to_json()


def test_on_all_words_auto_is_the_closed_form() -> None:
    auto = WordExponential(ROW.alphabet, epsilon=3)
    assert auto.calibration == "exact"
    assert auto == WordExponential(ROW.alphabet, epsilon=3, calibration="exact")
    assert "all words" in auto.calibration_reason
    paper = WordExponential(ROW.alphabet, epsilon=3, calibration="paper")
    assert (paper.calibration, paper.calibration_reason) == ("paper", "it was asked for")


def test_an_old_description_of_auto_is_the_published_rate_it_was() -> None:
    described = made(ROW, epsilon=3, calibration="paper").to_json()
    described["calibration"] = "auto"
    assert Mechanism.from_json(described) == made(ROW, epsilon=3, calibration="paper")


@pytest.mark.parametrize("seconds", [-1, float("nan"), "1", True])
def test_a_time_that_is_none_is_refused(seconds: Any) -> None:
    with pytest.raises(ParameterError, match="seconds"):
        WordExponential(ROW, epsilon=3, seconds=seconds)


def test_the_search_says_how_far_it_is(folder: Path) -> None:
    told: list[tuple[str, int, int]] = []
    made(ROW, epsilon="2.3", progress=lambda *stage: told.append(stage))
    assert told
    stages, done, totals = zip(*told, strict=True)
    assert {*stages} == {"certifying a rate"}
    assert len({*totals}) == 1
    assert done[0] == 0
    assert [*done] == sorted(done)
    assert done[-1] <= totals[0]
    assert folder.exists()


# ------------------------------------------------------------------------------ what is kept


def test_another_process_finds_the_same_rate_without_searching(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(ROW, epsilon="2.2")
    (path,) = folder.iterdir()
    assert json.loads(path.read_text())["seconds"] is None
    forget(monkeypatch)
    forbid(monkeypatch)
    assert made(ROW, epsilon="2.2") == first
    for other in ({"epsilon": "2.21"}, {"epsilon": "2.2", "adjacency": 2}):
        with pytest.raises(AssertionError, match="searched again"):
            made(ROW, **other)
    with pytest.raises(AssertionError, match="searched again"):
        made(ROW, epsilon="2.2", calibration="exact")


def test_what_is_kept_is_checked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A false file must not be believed; it is searched for anew, and the file replaced."""
    first = made(ROW, epsilon="2.2")
    (path,) = folder.iterdir()
    good = path.read_text()
    content = json.loads(good)
    other = made(ROW, epsilon="2.6")
    assert other.certified is not None

    def with_(**changes: Any) -> str:
        return json.dumps({**content, **changes})

    proof = copy.deepcopy(content["calibration"])
    proof["certificate"]["parts"][0]["ratio"] = "1"
    faster = copy.deepcopy(content["calibration"])
    faster["q"] = faster["certificate"]["q"] = "1/16"
    endless = copy.deepcopy(content["calibration"])
    endless["witness"] = [[0] * 300_000, [0] * 299_999 + [1]]
    bushy = copy.deepcopy(content["calibration"])
    bushy["certificate"]["parts"][0]["tree"] = ["l" * 300_000]
    false = {
        "a certificate that does not stand": with_(calibration=proof),
        "another ratio": with_(calibration=faster),
        "a true certificate that spends more": with_(calibration=other.certified.to_json()),
        "of another question": with_(key="0" * 64),
        "of another kind": with_(kind="cake"),
        "time as text": with_(seconds="long"),
        "time without end": with_(seconds=10**400),
        "an endless pair of words": with_(calibration=endless),
        "an endless tree": with_(calibration=bushy),
        "cut off": good[: len(good) // 2],
        "no object": "[1]",
        "deep": "[" * 100_000,
        "empty": "",
    }
    for what, text in false.items():
        path.write_text(text)
        forget(monkeypatch)
        with monkeypatch.context() as patch:
            forbid(patch)
            with pytest.raises(AssertionError, match="searched again"):
                made(ROW, epsilon="2.2")
        path.write_text(text)
        assert made(ROW, epsilon="2.2") == first, what
        assert path.read_text() == good, what


def test_what_is_no_file_is_neither_waited_for_nor_followed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(ROW, epsilon="2.2")
    (path,) = folder.iterdir()
    good, precious = path.read_text(), tmp_path / "precious.txt"
    precious.write_text("precious")
    for target in (None, precious, Path("/dev/zero"), folder / "nowhere"):
        path.unlink()
        if target is None:
            os.mkfifo(path)
        else:
            path.symlink_to(target)
        forget(monkeypatch)
        assert made(ROW, epsilon="2.2") == first
        assert path.read_text() == good
        assert not path.is_symlink()
    assert precious.read_text() == "precious"


def test_a_locked_folder_is_not_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(ROW, epsilon="2.2")
    (path,) = folder.iterdir()
    path.unlink()
    forget(monkeypatch)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert made(ROW, epsilon="2.2") == first
    finally:
        os.close(handle)
    assert [each.name for each in folder.iterdir()] == [path.name]


def test_a_check_that_takes_longer_than_a_search_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(ROW, epsilon="2.2")
    assert list(folder.iterdir())
    forget(monkeypatch)
    forbid(monkeypatch)
    monkeypatch.setattr(calibrated, "_CLAIMS", {})
    monkeypatch.setattr(kept, "_LONGEST_CHECK", -1.0)
    with pytest.raises(AssertionError, match="searched again"):
        made(ROW, epsilon="2.2", seconds=0)


def test_what_is_done_to_a_description_changes_no_mechanism() -> None:
    first = made(ROW, epsilon=3)
    first.to_json()["certified"]["certificate"]["parts"][0]["ratio"] = "1"
    for mechanism in (first, made(ROW, epsilon=3)):
        assert Mechanism.from_json(mechanism.to_json()) == first


def test_a_ratio_that_no_epsilon_needs_is_refused_as_such() -> None:
    """It is certified, trivially, but too long a number to be written as text."""
    described = made(ROW, epsilon=3).to_json()
    certified_rate = described["certified"]
    with localcontext(prec=5000):
        power = format(Decimal(2) ** 15_000, "f")
    document = certified_rate["certificate"] = {
        **certified_rate["certificate"],
        "q": f"1/{power}",
        "left": None,
        "right": None,
        "parts": [{"ratio": power, "tree": None}],
    }
    document[SEAL] = seal_of(document)
    certified_rate.update(q=document["q"], witness=None)
    with pytest.raises(CertificateError, match="so small a q"):
        Mechanism.from_json(described)


def test_a_search_that_time_cut_short_is_done_again_with_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = F(7, 3)
    hasty = calibrate(ROW, target, 1, effort=THOROUGH.within(0))
    (path,) = folder.iterdir()
    assert json.loads(path.read_text())["seconds"] == 0
    forget(monkeypatch)
    with monkeypatch.context() as patch:
        forbid(patch)
        assert calibrate(ROW, target, 1, effort=THOROUGH.within(0)) == hasty
        with pytest.raises(AssertionError, match="searched again"):
            calibrate(ROW, target, 1, effort=THOROUGH.within(60))
    patient = calibrate(ROW, target, 1, effort=THOROUGH.within(60))
    assert patient.q < hasty.q
    forbid(monkeypatch)
    assert calibrate(ROW, target, 1, effort=THOROUGH.within(0)) is patient


def test_nothing_is_kept_where_there_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch)
    monkeypatch.setenv("PRIVET_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert made(ROW, epsilon="2.4").certified is not None
    assert list(tmp_path.iterdir()) == []
    # A file stands where the folder should be: the rate is found all the same.
    (tmp_path / "file").write_text("here")
    forget(monkeypatch)
    monkeypatch.setenv("PRIVET_CACHE", str(tmp_path / "file"))
    assert made(ROW, epsilon="2.4").certified is not None
    forget(monkeypatch)
    monkeypatch.delenv("PRIVET_CACHE")
    assert made(ROW, epsilon="2.4").certified is not None
    (kept_file,) = (tmp_path / "privet" / "calibrations").iterdir()
    assert kept_file.suffix == ".json"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert kept._folder() == tmp_path / "home" / ".cache" / "privet" / "calibrations"


def test_old_files_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_MOST_FILES", 2)
    for epsilon in ("1e-3", "1e-4", "1e-5"):
        calibrate(ROW, F(epsilon), 1, effort=THOROUGH.within(0))
    assert len(list(folder.iterdir())) == 2
    # Nothing else is deleted, whatever else is kept in such a folder.
    own = [folder / f"{name}.json" for name in "abc"]
    for path in own:
        path.write_text("{}")
    calibrate(ROW, F("1e-6"), 1, effort=THOROUGH.within(0))
    assert all(path.exists() for path in own)
    assert len(list(folder.iterdir())) == 5
