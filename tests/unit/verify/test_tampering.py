"""A certificate with anything changed is refused; sealed again, it proves what it then says.

Every leaf of both kinds of certificates is moved up and down, replaced, dropped and repeated. The
seal refuses each such change. As anyone can seal a file again, the same is done with a new seal: a
document that the checker then accepts must (1) be of a short list of places where a change leaves a
proof, and (2) claim something true: the claim is read back and compared with plain enumeration.
"""

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import CertificateError
from privet.weighted import check
from privet.weighted.seal import SEAL
from seals import sealed_again

Document = Any
Path = tuple[Any, ...]

LONGEST_TRIED = 5
"""Words up to this length are listed for a claim about every length."""


# ------------------------------------------------------------------------------------- certificates


def model() -> HiddenMarkovModel:
    return HiddenMarkovModel(
        [["4/5", "1/5"], ["3/10", "7/10"]],
        [["3/5", "3/10", "1/10"], ["2/5", "1/5", "2/5"]],
        states=["calm", "storm"],
        observations=["sun", "rain", "hail"],
    )


def proof_of(asked: HiddenMarkovModel, first: Any, second: Any, ratio: Any, length: Any) -> Any:
    outcome = verify.hidden_markov(asked, first, second, ratio=ratio, length=length)
    assert isinstance(outcome, verify.Holds)
    certificate = outcome.certificate
    assert isinstance(certificate, verify.ModelCertificate)
    return json.loads(json.dumps(certificate.to_json()))


@cache
def worst(length: int) -> Any:
    return verify.worst_ratio(model(), "calm", "storm", length)[0]


def at_one_length() -> Document:
    """The ratio is reached: no slack anywhere."""
    return proof_of(model(), "calm", "storm", worst(3), 3)


def at_every_length() -> Document:
    return proof_of(model(), "calm", "storm", worst(40) * Fraction(10**9 + 1, 10**9), None)


def with_repetitions() -> Document:
    """Nothing moves, so prefixes repeat and the tree refers to nodes before."""
    still = [[int(i == j) for j in range(3)] for i in range(3)]
    seen = [["1/2", "2/5", "1/10"]] * 3
    asked = HiddenMarkovModel(still, seen)
    return proof_of(asked, ["1/2", "1/4", "1/4"], ["1/3", "1/3", "1/3"], "5/4", None)


MODEL_PROOFS = {
    "one length": at_one_length,
    "every length": at_every_length,
    "repetitions": with_repetitions,
}
KINDS = ("hidden-markov", "weighted")


@cache
def written(name: str, kind: str) -> str:
    document = MODEL_PROOFS[name]()
    return json.dumps(document if kind == "hidden-markov" else document["proof"])


def read(name: str, kind: str) -> Document:
    return json.loads(written(name, kind))


# ----------------------------------------------------------------------------- what a claim claims


@dataclass(frozen=True)
class Statement:
    """No word of these lengths has a ratio of weights above `ratio`."""

    problem: check.Problem
    ratio: Fraction
    shortest: int
    longest: int | None


def statement(document: Document, kind: str) -> Statement:
    """What the checker says the document proves. Errors: CertificateError."""
    if kind == "weighted":
        claim = check.check_certificate(document)
        return Statement(claim.problem, claim.ratio, claim.shortest, claim.longest)
    found = verify.check_certificate(document)
    # The model's own numbers, not the proof's, up to one factor.
    transition, emission = found.model.exact_transition, found.model.exact_emission
    size = range(len(transition))
    common = math.lcm(
        *(x.denominator for row in (*transition, *emission) for x in row),
        *(x.denominator for x in (*found.first, *found.second)),
    )

    def whole(number: Fraction) -> int:
        return int(number * common)

    steps = tuple(
        tuple(tuple(whole(emission[i][x]) * whole(transition[i][j]) for j in size) for i in size)
        for x in range(len(emission[0]))
    )
    problem = check.Problem(
        ((0,) * len(steps),),
        (steps,),
        ((1,) * len(transition),),
        0,
        tuple(map(whole, found.first)),
        tuple(map(whole, found.second)),
    )
    return Statement(problem, found.ratio, found.lengths.shortest, found.lengths.longest)


@cache
def is_true(said: Statement) -> bool:
    """By listing all words of the lengths, or those of up to 5 symbols."""
    longest = LONGEST_TRIED if said.longest is None else said.longest
    symbols = range(len(said.problem.moves[0]))
    for length in range(said.shortest, longest + 1):
        for word in product(symbols, repeat=length):
            over, under = check.weights(said.problem, word)
            if over * said.ratio.denominator > said.ratio.numerator * under:
                return False
    return True


# --------------------------------------------------------------------------------------- mutations


def places(node: Any, path: Path = ()) -> Iterator[Path]:
    """Everything in a document, containers too."""
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def at(document: Document, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def moved(value: Any) -> list[Any]:
    """Values near `value`: numbers a little and a lot up and down; texts of another kind."""
    if isinstance(value, bool) or value is None:
        return [0, 1, 7, "1"]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 5, -value - 1, str(value), value + 0.0, True, None]
    try:
        number = Fraction(value)
    except ValueError:
        return [value + "x", "", None, 3]
    near = {number + 1, number * 2, number * Fraction(1_000_001, 10**6), number - 1, number / 2}
    near |= {number * Fraction(999_999, 10**6), number + Fraction(1, 10**12), Fraction(0)}
    texts = [str(x) for x in sorted(near) if x != number]
    same = [
        f"{value}.0",
        f"0{value}",
        f"{value} ",
        f"{2 * number.numerator}/{2 * number.denominator}",
    ]
    return [*texts, *same, None, float(number), int(number), "nan", "inf", "-" + value]


def mutations(document: Document) -> Iterator[tuple[str, Path, Document]]:
    for path in places(document):
        if not path:
            continue
        old, parent = at(document, path), path[:-1]
        if not isinstance(old, dict | list):
            for value in moved(old):
                if type(value) is not type(old) or value != old:
                    yield f"to {value!r}", path, changed(document, path, value)
        copied = copy.deepcopy(document)
        del at(copied, parent)[path[-1]]
        yield "dropped", path, copied
        if isinstance(path[-1], int):
            copied = copy.deepcopy(document)
            at(copied, parent).insert(path[-1], copy.deepcopy(old))
            yield "repeated", path, copied
            siblings = at(document, parent)
            if path[-1] + 1 < len(siblings) and siblings[path[-1] + 1] != old:
                copied = copy.deepcopy(document)
                pair = at(copied, parent)
                pair[path[-1]], pair[path[-1] + 1] = pair[path[-1] + 1], pair[path[-1]]
                yield "exchanged", path, copied
        else:
            yield "renamed", path, renamed(document, path)


def resealed_mutations(document: Document) -> Iterator[tuple[str, Path, Document]]:
    """Each mutation with seals that fit it; those of a seal itself would be none."""
    for what, path, mutated in mutations(document):
        if path[-1] != SEAL:
            yield what, path, sealed_again(mutated)


def changed(document: Document, path: Path, value: Any) -> Document:
    copied = copy.deepcopy(document)
    at(copied, path[:-1])[path[-1]] = value
    return copied


def renamed(document: Document, path: Path) -> Document:
    copied = copy.deepcopy(document)
    holder = at(copied, path[:-1])
    holder[f"{path[-1]}_"] = holder.pop(path[-1])
    return copied


def proof_place(path: Path, kind: str) -> Path:
    """The place within the weighted certificate; the whole path elsewhere."""
    return path[1:] if kind == "hidden-markov" and path[0] == "proof" else path


HARMLESS = {
    "ratio": "the proof of a weaker claim, where the tree still closes",
    "shortest": "fewer lengths, or more that the same tree covers",
    "longest": "fewer lengths, or a length that the same tree covers",
    "reach": "more or fewer exact suffixes than the cuts need",
    "depth": "another cone that still cuts",
    "tree": "a reference to another node, or with another factor, that is above as well",
    "problem": "other numbers for which the same tree is a proof: another claim",
}
"""Fields of the weighted certificate whose change may leave a proof, and of what."""

HARMLESS_OF_MODELS = {
    "model": "the same numbers under other names, or written in another way",
    "shortest": "fewer lengths than the proof covers",
    "longest": "fewer lengths than the proof covers",
    "proof": "the proof's own harmless fields",
    "first": "the same number written in another way",
    "second": "the same number written in another way",
    "ratio": "the same number written in another way",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", list(MODEL_PROOFS))
def test_every_change_is_refused_in_every_field(name: str, kind: str) -> None:
    document = read(name, kind)
    statement(document, kind)
    changed_fields = set()
    for what, path, mutated in mutations(document):
        changed_fields.add(path[0])
        try:
            statement(mutated, kind)
        except CertificateError:
            continue
        pytest.fail(f"{what} at {path} is accepted")
    assert changed_fields == set(document)


@pytest.mark.parametrize("name", list(MODEL_PROOFS))
def test_a_proof_that_is_sealed_again_breaks_the_seal_around_it(name: str) -> None:
    document = read(name, "hidden-markov")
    proof = document["proof"]
    for _, path, mutated in mutations(proof):
        if path[-1] != SEAL:
            with pytest.raises(CertificateError, match=SEAL):
                verify.check_certificate({**document, "proof": sealed_again(mutated)})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", list(MODEL_PROOFS))
def test_what_is_accepted_with_a_new_seal_is_true_and_known(name: str, kind: str) -> None:
    document = read(name, kind)
    original = statement(document, kind)
    assert is_true(original)
    accepted: dict[str, int] = {}
    refused = 0
    for what, path, mutated in resealed_mutations(document):
        try:
            said = statement(mutated, kind)
        except CertificateError:
            refused += 1
            continue
        place = f"{what} at {path}"
        assert is_true(said), place
        assert path[0] in (HARMLESS if kind == "weighted" else HARMLESS_OF_MODELS), place
        accepted[str(path[0])] = accepted.get(str(path[0]), 0) + 1
        if kind == "hidden-markov":
            # The proof may change behind a claim; the claim is that of the model as written.
            assert path[0] != "proof" or said == original, place
            assert path[0] in ("proof", "shortest", "longest") or same_but_names(said, original)
    assert refused > 5 * sum(accepted.values()) or kind == "weighted"
    assert refused > 100
    assert "kind" not in accepted
    assert "version" not in accepted


def same_but_names(said: Statement, original: Statement) -> bool:
    return (said.ratio, said.shortest, said.longest) == (
        original.ratio,
        original.shortest,
        original.longest,
    ) and said.problem == original.problem


@pytest.mark.parametrize("name", list(MODEL_PROOFS))
def test_a_stronger_ratio_is_never_accepted_for_a_proof_without_slack(name: str) -> None:
    document = read(name, "weighted")
    ratio = Fraction(document["ratio"])
    for less in (Fraction(999_999, 10**6), Fraction(1, 2), Fraction(1, 10**9)):
        lower = sealed_again(changed(document, ("ratio",), str(ratio * less)))
        try:
            said = statement(lower, "weighted")
        except CertificateError:
            continue
        assert is_true(said)
    assert name != "one length" or ratio == worst(3)


def test_every_statement_of_the_model_is_bound_to_the_proof() -> None:
    """Model, secrets and ratio: each number moved, the proof left as it was, is refused."""
    for name in MODEL_PROOFS:
        document = read(name, "hidden-markov")
        for what, path, mutated in resealed_mutations(document):
            numbers = ("first", "second", "ratio") if path[0] != "model" else ()
            inside = path[:2] in (("model", "transition"), ("model", "emission"))
            if not (inside or path[0] in numbers) or not what.startswith("to "):
                continue
            try:
                value: Any = Fraction(str(at(mutated, path)))
            except (ValueError, ZeroDivisionError):
                value = None  # no number at all
            if value == Fraction(at(document, path)):
                continue  # written in another way
            with pytest.raises(CertificateError):
                verify.check_certificate(mutated)


def test_the_enumeration_can_say_no() -> None:
    said = statement(read("one length", "weighted"), "weighted")
    below = Statement(said.problem, said.ratio * Fraction(999_999, 10**6), 3, 3)
    assert not is_true(below)
    assert is_true(Statement(said.problem, said.ratio, 1, 3))
    assert not is_true(Statement(said.problem, said.ratio, 3, 4))
    assert not is_true(Statement(said.problem, said.ratio, 3, None))


def test_a_checker_that_looks_away_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutations are strong enough: without the check of cuts a false claim comes through."""
    document = read("one length", "weighted")
    monkeypatch.setattr(check._Walk, "_check_cut", lambda *_: None)
    false = 0
    for _, _, mutated in resealed_mutations(document):
        try:
            false += not is_true(statement(mutated, "weighted"))
        except CertificateError:
            continue
    assert false > 10


@pytest.mark.parametrize("text", ["1/\u00b2", "1/\u0663", "1/", "/1", "1/0", "1/-1", "1/ 1"])
@pytest.mark.parametrize("field", ["first", "ratio"])
def test_what_only_looks_like_a_fraction_is_refused(field: str, text: str) -> None:
    model = HiddenMarkovModel([["1/2", "1/2"]] * 2, [["2/3", "1/3"], ["1/3", "2/3"]])
    outcome = verify.hidden_markov(model, 0, 1, ratio=4)
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.ModelCertificate)
    document = outcome.certificate.to_json()
    document[field] = text if field == "ratio" else [text, "0"]
    with pytest.raises(CertificateError):
        verify.check_certificate(sealed_again(document))
