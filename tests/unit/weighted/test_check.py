"""A certificate is believed only if every step of it is right."""

import ast
import copy
import inspect
import random
from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import CertificateError
from privet.weighted import (
    Clock,
    Control,
    Engine,
    Lengths,
    Limits,
    Proved,
    check,
    check_certificate,
    check_counterexample,
    check_reading,
    covers,
    seal,
    shared_problem,
)
from privet.weighted.certificate import fraction_text, problem_to_json
from privet.weighted.check import weights
from privet.weighted.cones import Suffixes
from privet.weighted.problem import RatioProblem
from privet.weighted.seal import SEAL
from privet.weighted.search import Search
from seals import sealed_again

Document = dict[str, Any]


def problem() -> RatioProblem:
    draw = random.Random(3)
    steps = [[[draw.randint(1, 9) for _ in range(3)] for _ in range(3)] for _ in range(3)]
    # State 1 of the control is reached by symbol 2, once, and a word must end there.
    control = Control(((0, 0, 1), (1, 1, -1)), (False, True))
    return shared_problem([5, 1, 2], [1, 4, 2], steps, [1, 2, 1], control)


def proof(most: int = 4, ratio: Fraction | None = None) -> Document:
    """A proof of the exact worst ratio at 5 symbols, with splits, cuts and a control."""
    asked = problem()
    lengths = Lengths(5, 5)
    worst = Engine(asked).worst(lengths, Limits()).low
    assert isinstance(worst, Fraction)
    search = Search(asked, Suffixes(asked, most, 5))
    outcome = search.run(ratio or worst, lengths, Clock(Limits()))
    assert isinstance(outcome, Proved)
    document = outcome.certificate.to_json()
    check_certificate(document)
    return document


def leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of everything in a document."""
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from leaves(node[key], (*path, key))
    elif isinstance(node, list):
        for index, entry in enumerate(node):
            yield from leaves(entry, (*path, index))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(document: Document, path: tuple[Any, ...], value: Any) -> Document:
    """With another value there, and sealed again: only the rest of the check can tell."""
    copied: Document = copy.deepcopy(document)
    at(copied, path[:-1])[path[-1]] = value
    resealed: Document = copied if path == (SEAL,) else sealed_again(copied)
    return resealed


def imported(module: ModuleType) -> set[str]:
    """The modules of Privet that one brings in."""
    tree = ast.parse(inspect.getsource(module))
    names = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    return {name for name in names if name.startswith("privet")}


def test_the_checker_imports_no_engine() -> None:
    own = {"check_reading", "covers", "seal"}
    assert imported(check) == {"privet.errors", *(f"privet.weighted.{name}" for name in own)}
    assert imported(seal) == {"privet.errors"}
    assert imported(check_reading) == {"privet.errors"}
    assert imported(covers) == set()


def test_a_claim_is_what_was_asked() -> None:
    claim = check_certificate(proof())
    assert (claim.shortest, claim.longest) == (5, 5)
    assert claim.ratio == Engine(problem()).worst(Lengths(5, 5), Limits()).low
    assert weights(claim.problem, (0, 0, 1, 0, 2)) == problem().weights((0, 0, 1, 0, 2))
    assert weights(claim.problem, (2, 2)) == (0, 0)


def test_every_place_refuses_another_type_or_sign() -> None:
    document = proof()
    for path in leaves(document):
        if not path:
            continue
        old = at(document, path)
        wrong: list[Any] = [True, 1.5, {}, "-1", "1e3", "", "٣"]
        if path == ("longest",):
            wrong += [-1, "5"]
        elif old is not None:
            wrong.append(None)
        for value in wrong:
            with pytest.raises(CertificateError):
                check_certificate(changed(document, path, value))


def test_every_field_is_needed_and_no_other_is_known() -> None:
    document = proof()
    for path in leaves(document):
        node = at(document, path)
        if not isinstance(node, dict):
            continue
        for key in node:
            copied = copy.deepcopy(document)
            del at(copied, path)[key]
            with pytest.raises(CertificateError, match="missing"):
                check_certificate(sealed_again(copied))
        with pytest.raises(CertificateError, match="unknown"):
            check_certificate(changed(document, (*path, "comment"), "x"))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("kind",), "other", "kind"),
        (("version",), 1, "version"),
        (("ratio",), "1", "step|Step"),
        (("ratio",), "2/4", "lowest terms"),
        (("shortest",), 6, "longest"),
        (("shortest",), 4, "Step"),
        (("longest",), None, "Step"),
        (("longest",), 4, "longest"),
        (("reach",), 0, "Step"),
        (("depth",), 9, "depth"),
        (("tree",), [], "ends before"),
        (("tree",), ["split"], "ends before"),
        (("tree",), ["cut"], "Step 0"),
        (("tree",), ["cut", "cut"], "Step 0|after its end"),
        (("tree", 0), ["below", 0, "1"], "no split|after its end"),
        (("tree", 0), ["below", 0, "0"], "factor 0"),
        (("tree", 0), ["under", 0, "1"], "no known form"),
        (("tree", 0), "open", "no known form"),
        (("problem", "initial"), 5, "initial"),
        (("problem", "moves", 0, 0), 7, "leaves the states"),
        (("problem", "moves", 0, 0), -1, "does not fit"),
        (("problem", "first"), ["1"], "size"),
        (("problem", "finals"), [["1"]], "finals"),
        (("problem", "steps", 0, 0), [["1"]], "wrong shape"),
    ],
)
def test_a_changed_certificate_is_refused(path: Any, value: Any, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        check_certificate(changed(proof(), path, value))


def test_shallower_sets_do_not_carry_the_proof() -> None:
    document = proof()
    for reach, depth in ((0, 0), (0, 1)):
        tampered = changed(changed(document, ("reach",), reach), ("depth",), depth)
        with pytest.raises(CertificateError, match="Step"):
            check_certificate(tampered)


def test_the_numbers_of_a_tight_proof_cannot_be_moved_in_its_favour() -> None:
    document = proof()
    for index, entry in enumerate(document["problem"]["first"]):
        # More weight in the numerator: a ratio that was reached is exceeded.
        raised = changed(document, ("problem", "first", index), str(int(entry) + 1))
        with pytest.raises(CertificateError, match="Step"):
            check_certificate(raised)


def test_trees_that_leave_a_word_out_or_repeat_one_are_refused() -> None:
    document = proof()
    assert "split" in document["tree"]
    for index in range(len(document["tree"])):
        shorter = [*document["tree"][:index], *document["tree"][index + 1 :]]
        with pytest.raises(CertificateError):
            check_certificate(changed(document, ("tree",), shorter))
    longer = [*document["tree"], "cut"]
    with pytest.raises(CertificateError, match="after its end"):
        check_certificate(changed(document, ("tree",), longer))


def with_references() -> Document:
    """A proof for every length in which a prefix is below an earlier one."""
    half = Fraction(1, 2)
    seen = [[half, Fraction(2, 5), Fraction(1, 10)]] * 3
    steps = [[[seen[i][x] if i == j else 0 for j in range(3)] for i in range(3)] for x in range(3)]
    asked = shared_problem(
        [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], [Fraction(1, 3)] * 3, steps
    )
    search = Search(asked, Suffixes(asked, 3))
    outcome = search.run(Fraction(5, 4), Lengths(1, None), Clock(Limits()))
    assert isinstance(outcome, Proved)
    return outcome.certificate.to_json()


def test_references_are_followed() -> None:
    document = with_references()
    places = [i for i, step in enumerate(document["tree"]) if isinstance(step, list)]
    assert places
    check_certificate(document)
    for place in places:
        number = document["tree"][place][1]
        for step in (
            ["below", place, "1"],
            ["below", number + 1000, "1"],
            ["below", -1, "1"],
            ["below", number, "1/1000"],
            ["below", number, "-1"],
        ):
            with pytest.raises(CertificateError):
                check_certificate(changed(document, ("tree", place), step))


def test_a_reference_needs_as_many_symbols_left() -> None:
    # The depth trap: nothing moves, and the symbol 0 says nothing, so the vector repeats with one
    # symbol less to come. A tree that takes the repetition for done "proves" 10; 16 is reached.
    half, rare = Fraction(1, 2), Fraction(1, 10)
    seen = [[half, Fraction(2, 5), rare], [half, rare, Fraction(2, 5)]]
    steps = [[[seen[i][x] if i == j else 0 for j in (0, 1)] for i in (0, 1)] for x in range(3)]
    document = {
        "kind": "weighted-ratio-certificate",
        "version": 2,
        "sha256": "",
        "problem": problem_to_json(shared_problem([1, 0], [0, 1], steps)),
        "ratio": "10",
        "shortest": 2,
        "longest": 2,
        "reach": 0,
        "depth": 0,
        "tree": ["split", ["below", 0, "1"], ["below", 0, "1"], ["below", 0, "1"]],
    }
    with pytest.raises(CertificateError, match="Step"):
        check_certificate(sealed_again(document))
    for longest in (1, None):
        with pytest.raises(CertificateError, match=r"Step|longest"):
            check_certificate(changed(document, ("longest",), longest))


def test_a_split_may_not_be_a_word_above_the_ratio_itself() -> None:
    one = shared_problem([2], [1], [[[1]]])
    document = {
        "kind": "weighted-ratio-certificate",
        "version": 2,
        "sha256": "",
        "problem": problem_to_json(one),
        "ratio": "1",
        "shortest": 0,
        "longest": None,
        "reach": 0,
        "depth": 0,
        "tree": ["split", ["below", 0, "1"]],
    }
    with pytest.raises(CertificateError, match="above the ratio"):
        check_certificate(sealed_again(document))
    check_certificate(changed(document, ("ratio",), "2"))


def test_a_file_cannot_make_the_checker_work_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_MOST_CELLS", 2000)
    document = proof()
    longer = {**document, "shortest": 40, "longest": 40, "reach": 40, "tree": ["cut"]}
    with pytest.raises(CertificateError, match="too large"):
        check_certificate(sealed_again(longer))
    deeper = {**document, "longest": None, "reach": 40, "depth": 41, "tree": ["cut"]}
    with pytest.raises(CertificateError, match="too large"):
        check_certificate(sealed_again(deeper))


def test_sets_that_no_step_asks_for_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    document = proof()
    monkeypatch.setattr(check, "_MOST_CELLS", 2000)
    assert check_certificate(changed(document, ("reach",), 10**9)).longest == 5


def test_counterexamples() -> None:
    asked = problem()
    worst = Engine(asked).worst(Lengths(5, 5), Limits())
    assert worst.word is not None
    assert isinstance(worst.low, Fraction)
    document = problem_to_json(asked)
    below = worst.low * Fraction(99, 100)
    over, under = check_counterexample(document, worst.word, below)
    assert Fraction(over, under) == worst.low
    with pytest.raises(CertificateError, match="not above"):
        check_counterexample(document, worst.word, worst.low)
    for word in ((7,), (True,), ("0",), (-1,)):
        with pytest.raises(CertificateError, match="symbol"):
            check_counterexample(document, word, below)  # type: ignore[arg-type]  # on purpose


def test_numbers_of_any_length_are_written_and_read() -> None:
    long = Fraction(3**20_000, 2**30_000)
    assert fraction_text(Fraction(4)) == "4"
    one = shared_problem([long], [1], [[[1]]])
    search = Search(one, Suffixes(one, 3, 2))
    outcome = search.run(long, Lengths(2, 2), Clock(Limits()))
    assert isinstance(outcome, Proved)
    assert check_certificate(outcome.certificate.to_json()).ratio == long
    assert "Certificate" in repr(outcome.certificate)


def test_suffix_sets_of_long_integers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two directions a set stay two, and grow by some bits with each symbol."""
    monkeypatch.setattr("privet.weighted.check._MOST_BITS", 1 << 16)
    model = HiddenMarkovModel([["9/10", "1/10"]] * 2, [["2/3", "1/3"], ["1/7", "6/7"]])
    outcome = verify.hidden_markov(model, 0, 1, ratio=100)
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.ModelCertificate)
    document = outcome.certificate.proof.to_json()
    document |= {"reach": 10**9, "depth": 10**9}
    with pytest.raises(CertificateError, match="too large"):
        check_certificate(sealed_again(document))
