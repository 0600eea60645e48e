"""Every kind of report in a real browser: it renders, nothing overflows, and it asks for nothing.

At the widths of a telephone and of a desk, in both colour schemes, and with names that somebody
chose to make trouble.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import privet
from privet import (
    Alphabet,
    HiddenMarkovModel,
    IndependentRecords,
    Ledger,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    RecordLoss,
    WordExponential,
    datasets,
    report,
    verify,
)
from privet.randomness import using_source
from privet.testing import ReplaySource

WIDTHS = (360, 1280)
SCHEMES = ("light", "dark")
TROUBLE = [
    "<script>document.title = 'broken'</script>",
    "</style><img src=x onerror=\"document.title = 'broken'\">",
    "\u202eright to left \u05d0\u05d1\u05d2",
    "\U0001f469\u200d\U0001f680 \U0001f600",
    "x" * 5000,
]

Made = Callable[[Path], str]


def hostile_receipt(_: Path) -> str:
    data = {name: [name, "b" * 300] * 10 for name in TROUBLE}
    table = pa.table({**data, "kept " + "y" * 1000: ["1", "2"] * 10})
    mechanisms = {
        name: RandomizedResponse(Alphabet([name, "b" * 300]), epsilon=1, delta="0.001")
        for name in data
    }
    with using_source(ReplaySource(1)):
        return report(privet.release(mechanisms, table, keep=[table.column_names[-1]]))


def receipt_of_words(_: Path) -> str:
    alphabet = Alphabet(["drizzle", "fog", "rain"])
    mechanism = WordExponential(alphabet, epsilon=1, adjacency=2, calibration="paper")
    return report(privet.release(mechanism, ["fog", "rain", "rain", "fog"]))


def receipt_of_query(folder: Path) -> str:
    chain = MarkovChain(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], states=["up", "down"])
    mechanism = MarkovLaplace(MarkovFramework(chain, initial="stationary"), epsilon=1)
    series = ["up", "down"] * 30
    privet.release(mechanism, series, query="histogram", output=folder / "answer.csv")
    return report(folder / "answer.csv.receipt.json")


def ledger_of_trouble(folder: Path) -> str:
    with Ledger.open(folder / "spend.db", create=True) as ledger:
        for name in ("survey", "<i>" + "n" * 190):
            account = ledger.account(name, IndependentRecords(), 3)
            account.reserve(RecordLoss.constant(5, 1), note=TROUBLE[0]).commit()
            account.reserve(RecordLoss.constant(5, "1/2"), person="p" * 200, seeded=True)
            account.reserve(RecordLoss.constant(5, "1/4"), note="z" * 4000).void(TROUBLE[1])
            account.set_budget(4)
        return report(ledger)


def empty_ledger(_: Path) -> str:
    with Ledger.open("memory:") as ledger:
        return report(ledger)


def proof(_: Path) -> str:
    question = verify.read_verification(Path(datasets.__file__).parent / "infection.toml")
    assert isinstance(question, verify.Verification)
    return report(verify.certificates_of(question, question.decide()))


def counterexample_of_trouble(_: Path) -> str:
    model = HiddenMarkovModel(
        [["0.9", "0.1"], ["0.1", "0.9"]],
        [["0.6", "0.1", "0.1", "0.1", "0.1"], ["0.1", "0.1", "0.1", "0.1", "0.6"]],
        states=[TROUBLE[0], "s" * 3000],
        observations=TROUBLE,
    )
    word = (TROUBLE[0], TROUBLE[4], *[TROUBLE[0]] * 30)
    one, none = Fraction(1), Fraction(0)
    return report(verify.Counterexample(model, (one, none), (none, one), one, word))


def stated_verdict(folder: Path) -> str:
    pair = {"first": TROUBLE[0], "second": "s" * 3000, "verdict": "undecided", "hint": "h" * 500}
    content = {"verdict": "undecided", "ratio": "4", "length": [1, 20], "pairs": [pair] * 3}
    (folder / "verdict.json").write_text(json.dumps(content), encoding="utf-8")
    return report(folder / "verdict.json")


PAGES: dict[str, Made] = {
    made.__name__: made
    for made in (
        hostile_receipt,
        receipt_of_words,
        receipt_of_query,
        ledger_of_trouble,
        empty_ledger,
        proof,
        counterexample_of_trouble,
        stated_verdict,
    )
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    place = folder / "report.html"
    place.write_text(PAGES[request.param](folder), encoding="utf-8")
    return place


OVERFLOWING = """
[...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width && (box.right > document.documentElement.clientWidth + 1 || box.left < -1);
}).map(e => `${e.tagName} ${e.className} ${(e.textContent || '').slice(0, 60)}`)
"""

HEADINGS = "[...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1])"

UNNAMED = """
[...document.querySelectorAll('svg')].filter(e =>
  !e.querySelector('title').textContent || !e.querySelector('desc').textContent).length
+ [...document.querySelectorAll('th')].filter(e => !e.scope).length
+ [...document.querySelectorAll('table')].filter(e => !e.caption).length
"""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_report_renders_and_nothing_overflows(
    tab: Any,
    page: Path,
    width: int,
    scheme: str,
) -> None:
    tab.look(width, scheme)
    seen = tab.open(page)
    assert seen.requests == [page.as_uri()]
    assert seen.complaints == []
    assert tab.value("document.title").endswith("Privet")
    assert tab.value("document.querySelectorAll('script, img, link, iframe').length") == 0
    assert tab.value("document.documentElement.clientWidth") == width
    assert tab.value("document.documentElement.scrollWidth") <= width
    assert tab.value(OVERFLOWING) == []
    ground = tab.value("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 23, 29)"}[scheme]
    levels = tab.value(HEADINGS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert tab.value(UNNAMED) == 0
    assert tab.value("document.documentElement.lang") == "en"


def test_the_probe_for_overflow_and_complaints_sees_them(
    tab: Any,
    tmp_path: Path,
) -> None:
    place = tmp_path / "wide.html"
    place.write_text(
        "<body><p style='width: 2000px'>wide</p><script>console.log('hello')</script>"
        "<img src='https://example.invalid/x.png'>"
    )
    tab.look(360)
    seen = tab.open(place)
    assert "https://example.invalid/x.png" in seen.requests
    assert seen.complaints
    assert tab.value("document.documentElement.scrollWidth") > 360
    assert any("wide" in text for text in tab.value(OVERFLOWING))


def test_paper_is_white_even_in_the_dark(
    tab: Any,
    tmp_path: Path,
) -> None:
    place = tmp_path / "report.html"
    place.write_text(empty_ledger(tmp_path), encoding="utf-8")
    tab.look(1280, "dark")
    tab.open(place)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    tab.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.value("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
