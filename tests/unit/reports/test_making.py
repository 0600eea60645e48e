"""`privet.report`: what the pages say of receipts, ledgers and verdicts, and what is refused."""

import json
import re
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from pathlib import Path

import pyarrow as pa
import pytest

import privet
from privet import (
    Alphabet,
    CertificateError,
    Exponential,
    FileFormatError,
    IndependentRecords,
    Ledger,
    LedgerError,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    OutputError,
    ParameterError,
    ParameterTypeError,
    RandomizedResponse,
    RecordLoss,
    Release,
    Words,
    WordStaircase,
    datasets,
    report,
    verify,
)
from privet.randomness import using_source
from privet.reports.predicted import compare
from privet.testing import ReplaySource

VOTE = RandomizedResponse(Alphabet(["Clinton", "Dole"]), epsilon=1)
TABLE = pa.table(
    {"vote": ["Clinton", "Dole"] * 20, "age": ["41", "57"] * 20, "pay": ["a wage"] * 40}
)
CLOSE = {"x": {"x": 1, "y": 0}, "y": {"x": 0, "y": 1}}
WORDS = Words.from_lists(Alphabet(["a", "b", "c"]), map(list, ("ab", "abc", "cab", "bbb")))


def text_of(page: str) -> str:
    """What a reader sees, blanks as one."""
    body = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def done(tmp_path: Path) -> Release:
    return privet.release({"vote": VOTE}, TABLE, keep=["age"], output=tmp_path / "vote.csv")


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with Ledger.open("memory:") as book:
        yield book


# ---------------------------------------------------------------------------------------- receipts


def test_a_release_opens_with_its_promise(done: Release) -> None:
    page = report(done)
    promise = done.receipt.guarantee.sentence.partition(" This assumes")[0]
    first = page.index('<p class="promise">')
    assert unescape(page[first:]).startswith(f'<p class="promise">{promise}</p>')
    assert page.index("<h1>") < first < page.index("<h2>")


def test_it_says_all_that_is_not_protected_and_all_that_is_assumed(done: Release) -> None:
    shown = text_of(report(done))
    for item in (*done.receipt.guarantee.published, *done.receipt.guarantee.assumptions):
        assert item[1:] in shown
    assert "not in the release at all: pay" in shown
    assert done.receipt.output is not None
    assert done.receipt.output["sha256"] in shown
    assert "No account was charged" in shown
    assert all(version in shown for version in done.receipt.versions.values())


def test_what_can_be_believed_follows_from_epsilon(done: Release) -> None:
    """e / (1 + e) = 0.73106, rounded up."""
    assert "at most 73.2 % sure" in text_of(report(done))
    loose = RandomizedResponse(VOTE.alphabet, epsilon=1, delta="0.01")
    shown = text_of(report(privet.release({"vote": loose}, TABLE)))
    assert "% sure" not in shown
    assert "Delta makes the promise weaker" in shown


def test_predicted_errors_are_those_of_the_formula_and_the_best_there_are(done: Release) -> None:
    found = compare(done.receipt, done.receipt.parts[0])
    epsilons = [epsilon for epsilon, _ in found.predicted]
    assert {Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)} < set(epsilons)
    for epsilon, error in found.predicted:
        again = RandomizedResponse(VOTE.alphabet, epsilon=epsilon).expected_errors(1)
        assert error == pytest.approx(again)
        assert found.error_at(epsilon)[1] == pytest.approx(error)
    assert found.blind == 0.5
    assert "No mechanism of Privet has fewer errors" in text_of(report(done))


def test_of_a_query_it_says_which_and_what_was_compared() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["0.8", "0.2"], ["0.2", "0.8"]], ["up", "down"])
    mechanism = MarkovLaplace(MarkovFramework(chain), epsilon=1)
    done = privet.release(mechanism, ["up", "down"] * 30, query=privet.queries.share("up"))
    shown = text_of(report(done))
    assert "Query share=up" in shown
    assert "At the epsilon of this release no mechanism of Privet has fewer errors" in shown
    assert "No mechanism of Privet has fewer" not in shown  # at the others it was not looked for


def test_a_worse_mechanism_is_shown_beside_the_best() -> None:
    paper = privet.WordExponential(WORDS.alphabet, epsilon=1, adjacency=2, calibration="paper")
    receipt = privet.release(paper, WORDS).receipt
    found = compare(receipt, receipt.parts[0])
    own, best = found.error_at(found.at)
    assert own is not None
    assert best is not None
    assert own > 1.05 * best
    assert f"achievable: {found.best}" in report(receipt)


@pytest.mark.parametrize(
    ("mechanism", "data", "says"),
    [
        (WordStaircase(WORDS.alphabet, epsilon=1, adjacency=2), WORDS, "falls in steps"),
        (RandomizedResponse(WORDS.alphabet, epsilon=1), WORDS, "kept with probability"),
        (
            privet.WordExponential(
                privet.Language.from_regex(WORDS.alphabet, "a(b|c)*"), epsilon=1
            ),
            ["a", "b"],
            "errors on a language are simulated",
        ),
        (
            Exponential(["x", "y"], scores=CLOSE, sensitivity=1, epsilon=1),
            "x",
            "is drawn by chance",
        ),
    ],
    ids=["staircase", "words", "language", "choice"],
)
def test_every_kind_of_release_has_its_words(mechanism: object, data: object, says: str) -> None:
    assert says in text_of(report(privet.release(mechanism, data)))  # type: ignore[arg-type]  # one of each kind


def test_a_query_tells_its_noise_and_its_account(ledger: Ledger) -> None:
    chain = MarkovChain(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]], states=["up", "down"])
    frame = MarkovFramework(chain, initial="stationary")
    account = ledger.account("series", frame, 2)
    mechanism = MarkovLaplace(frame, epsilon=1)
    done = privet.release(mechanism, ["up", "down"] * 30, query="histogram", ledger=account)
    shown = text_of(report(done))
    assert "true statistic plus noise" in shown
    assert "Spent with this release 1" in shown
    assert "the series is made by" in shown.lower()


def test_a_seeded_release_protects_nobody_and_says_so_first() -> None:
    with using_source(ReplaySource(7)):
        receipt = privet.release({"vote": VOTE}, TABLE).receipt
    shown = text_of(report(receipt))
    assert shown.index("This release protects nobody") < shown.index("Any one row")


def test_the_file_beside_the_receipt_is_compared(done: Release, tmp_path: Path) -> None:
    place = tmp_path / "vote.csv.receipt.json"
    assert "has this SHA-256" in report(place)
    (tmp_path / "vote.csv").write_text("vote\nDole\n")
    assert "is another one" in report(place)
    (tmp_path / "vote.csv").unlink()
    assert "was not compared" in report(place)
    assert done.receipt.output is not None


def test_a_receipt_that_contradicts_itself_is_refused(done: Release, tmp_path: Path) -> None:
    content = done.receipt.to_json()
    content["exact"]["spent"] = "1/2"
    (tmp_path / "changed.json").write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match=r"changed\.json"):
        report(tmp_path / "changed.json")


# ----------------------------------------------------------------------------------------- ledgers


def test_a_ledger_tells_what_is_spent_left_and_who_lost_most(ledger: Ledger) -> None:
    account = ledger.account("survey", IndependentRecords(), 3)
    account.reserve(RecordLoss.constant(5, 1), note="first").commit()
    account.reserve(RecordLoss.constant(5, "1/2"), person="Ann", note="hers").commit()
    account.reserve(RecordLoss.constant(5, "1/4"), person="Bob", note="his")
    account.reserve(RecordLoss.constant(5, "1/4"), note="gone").void("the power failed")
    shown = text_of(report(ledger))
    assert "Verified for this report: 8 rows fit together" in shown
    assert "budget 3 spent 1.5 left 1.5" in shown
    assert "Who lost most Ann : epsilon 1.5" in shown
    assert "Everybody else epsilon 1" in shown
    assert "1 release is reserved and not committed" in shown
    assert "the power failed" in shown
    for state in ("committed", "reserved", "void"):
        assert state in shown


def test_one_account_or_all(ledger: Ledger) -> None:
    for name in ("one", "two"):
        ledger.account(name, IndependentRecords(), 1)
    assert "All accounts" in text_of(report(ledger))
    assert "two" not in text_of(report(ledger, account="one"))
    with pytest.raises(LedgerError, match="three"):
        report(ledger, account="three")


def test_an_empty_ledger_has_a_page(ledger: Ledger) -> None:
    assert "no account that can be read" in report(ledger)


def test_a_ledger_that_was_tampered_with_is_reported_not_refused(tmp_path: Path) -> None:
    place = tmp_path / "spend.db"
    with Ledger.open(place, create=True) as book:
        account = book.account("survey", IndependentRecords(), 3)
        account.reserve(RecordLoss.constant(5, 1)).commit()
    with sqlite3.connect(place) as connection:
        (table,) = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
            if any(row[1] == "body" for row in connection.execute(f"PRAGMA table_info({name})"))
        ]
        connection.execute(f"UPDATE {table} SET body = replace(body, '\"1\"', '\"2\"')")
    connection.close()
    shown = text_of(report(place))
    assert "The ledger was damaged or tampered with" in shown
    assert "Nothing below can be relied on" in shown


# ---------------------------------------------------------------------------------------- verdicts


@pytest.fixture(scope="module")
def question() -> verify.Verification:
    found = verify.read_verification(Path(datasets.__file__).parent / "infection.toml")
    assert isinstance(found, verify.Verification)
    return found


def test_a_proof_is_followed_again(question: verify.Verification, tmp_path: Path) -> None:
    verify.save_certificates(
        verify.certificates_of(question, question.decide()), tmp_path / "proof.json"
    )
    shown = text_of(report(tmp_path / "proof.json"))
    assert "As private as claimed" in shown
    assert "All 2 claims were checked again" in shown
    assert "No word of any length of observations is more than 14 times" in shown
    content = json.loads((tmp_path / "proof.json").read_text())
    content["certificates"][0]["ratio"] = "2"
    (tmp_path / "proof.json").write_text(json.dumps(content))
    with pytest.raises(CertificateError):
        report(tmp_path / "proof.json")


def test_a_counterexample_is_drawn_on_its_trellis(question: verify.Verification) -> None:
    asked = question.asking(ratio=4)
    page = report(verify.certificates_of(asked, asked.decide()))
    shown = text_of(page)
    assert "Not as private as claimed" in shown
    assert "5.231423 (2464/471) times as likely" in shown
    assert "The word on its trellis" in shown
    assert "likeliest states are infectious, infectious, infectious" in shown
    assert "The largest ratio of a word, by its length" in shown


def test_what_a_rate_spends_is_proved_again(tmp_path: Path) -> None:
    steps = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    language = privet.Language.from_allowed(WORDS.alphabet, steps)
    mechanism = privet.WordExponential(language, epsilon=3, calibration="exact")
    receipt = privet.release(mechanism, ["a", "b", "c"]).receipt
    assert "was followed again for this report" in text_of(report(receipt))
    content = receipt.to_json()
    proof = content["parts"][0]["mechanism"]["certified"]["certificate"]
    (tmp_path / "proof.json").write_text(json.dumps(proof))
    shown = text_of(report(tmp_path / "proof.json"))
    assert "the exponential mechanism spends at most epsilon" in shown
    assert "As private as claimed It was checked again" in shown
    proof["parts"][0]["ratio"] = "1"
    (tmp_path / "receipt.json").write_text(json.dumps(content))
    with pytest.raises((CertificateError, FileFormatError)):
        report(tmp_path / "receipt.json")


# ------------------------------------------------------------------------------------ what it does


def test_the_same_input_gives_the_same_bytes_and_a_file_is_written_once(
    done: Release, tmp_path: Path
) -> None:
    place = tmp_path / "report.html"
    assert report(done, place) == report(done) == place.read_text(encoding="utf-8")
    with pytest.raises(OutputError, match="exists"):
        report(done, place)
    report(done.receipt, place, overwrite=True)
    assert [path.name for path in tmp_path.glob(".privet*")] == []


def test_the_source_is_never_overwritten(done: Release, tmp_path: Path) -> None:
    assert done.receipt.output is not None
    place = tmp_path / "vote.csv.receipt.json"
    with pytest.raises(ParameterError, match="never overwritten"):
        report(place, place, overwrite=True)


@pytest.mark.parametrize("content", [None, "", "[]", "nonsense", "\udcff"])
def test_what_is_nothing_to_report_about_is_refused(content: str | None, tmp_path: Path) -> None:
    place = tmp_path / "x.json"
    if content is not None:
        place.write_text(content, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(FileFormatError, match=r"x\.json"):
        report(place)
    with pytest.raises(FileFormatError, match="folder"):
        report(tmp_path)


def test_json_that_proves_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(CertificateError, match=r"x\.json"):
        report(tmp_path / "x.json")


@pytest.mark.parametrize("source", [3, [], [3], None])
def test_an_object_of_another_kind_is_refused(source: object) -> None:
    with pytest.raises(ParameterTypeError, match="nothing to report about"):
        report(source)  # type: ignore[arg-type]  # that it is refused is the test


def test_an_account_is_of_a_ledger(done: Release) -> None:
    with pytest.raises(ParameterError, match="no ledger"):
        report(done, account="survey")


def test_no_private_value_is_on_the_page(tmp_path: Path) -> None:
    data = pa.table({"vote": ["Clinton", "Dole", "a name"], "pay": ["a wage"] * 3})
    mechanism = RandomizedResponse(Alphabet(["Clinton", "Dole", "other"]), epsilon=1)
    place = tmp_path / "vote.csv"
    privet.release({"vote": mechanism}, data, other={"vote": "other"}, output=place)
    page = report(tmp_path / "vote.csv.receipt.json")
    assert "a name" not in text_of(page)
    assert "a wage" not in text_of(page)


# ------------------------------------------------------------------------ verdicts without a proof


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            {
                "verdict": "undecided",
                "ratio": "4",
                "epsilon": None,
                "length": "all",
                "pairs": [
                    {
                        "first": "<b>ill</b>",
                        "second": "well",
                        "verdict": "undecided",
                        "hint": "Give more time.",
                        "low": "7/2",
                        "high": "inf",
                        "word": ["a", "a"],
                        "reason": "time",
                    }
                ],
            },
            [
                "Undecided: nothing was proved, and nothing refuted",
                "ratio 4, words of every length",
                "<b>ill</b> against well",
                "lies in 3.5 to infinite; the word a x2; time; Give more time.",
            ],
        ),
        (
            {
                "verdict": "violated",
                "epsilon": "1",
                "delta": "1/10",
                "smallest_delta": "1/8",
                "worst_pair": ["none", "one"],
                "worst_set": ["shows 0"],
                "probabilities": ["2/3", "1/3"],
            },
            ["said to be violated", "epsilon 1, delta 0.1", "none, one", "0.125"],
        ),
    ],
    ids=["undecided", "mechanism"],
)
def test_a_verdict_without_a_proof_is_shown_as_not_checked(
    tmp_path: Path, content: object, says: list[str]
) -> None:
    (tmp_path / "verdict.json").write_text(json.dumps(content))
    shown = text_of(report(tmp_path / "verdict.json"))
    assert "nothing here could be checked" in shown
    for text in says:
        assert text in shown.replace(" .", ".")


@pytest.mark.parametrize("verdict", ["maybe", 3, ["holds"]])
def test_a_verdict_of_no_known_kind_is_refused(tmp_path: Path, verdict: object) -> None:
    (tmp_path / "verdict.json").write_text(json.dumps({"verdict": verdict}))
    with pytest.raises(FileFormatError, match="--json"):
        report(tmp_path / "verdict.json")


def test_an_address_with_a_password_is_never_shown() -> None:
    with pytest.raises(ParameterError) as caught:
        report("postgres:ada:secret@host/name")
    assert "secret" not in str(caught.value)
