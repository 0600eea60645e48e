"""The checker alone: what it refuses, and that whatever it accepts is true."""

import copy
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import CertificateError
from privet.exact import ratio_up
from privet.weighted import Clock, Lengths, Limits
from privet.weighted.seal import SEAL
from privet.weighted.words import (
    ALL_LENGTHS,
    WordAutomaton,
    WordCertificate,
    WordProblem,
    spent_bracket,
)
from privet.weighted.words.certificate import Part
from privet.weighted.words.engine import Engine
from privet.weighted.words.reference import largest_ratios
from privet.weighted.words.search import Search
from privet.weighted.words.watch import Watch
from privet.weighted.words_check import PartChecker, WordClaim, check_word_certificate
from seals import sealed_again

Document = dict[str, Any]

SMALL = WordAutomaton(((0, 1, -1), (-1, 1, 2), (0, -1, 2), (0, 1, 2)), 3, (True,) * 4)
"""Three symbols, each followed by itself or the next."""

SQUARE = WordAutomaton(
    ((0, 1, 2, -1), (0, 1, -1, 3), (0, -1, 2, 3), (-1, 1, 2, 3), (0, 1, 2, 3)), 4, (True,) * 5
)
"""Walks on a grid of 2 by 2."""

TRAP = WordAutomaton(((1, 2), (1, 3), (2, 0), (1, 2)), 0, (False, True, False, True))
"""Pairs that never merge."""

LOOSE = WordAutomaton(((1, -1, 2), (2, 0, 0), (1, 2, -1)), 0, (False, True, True))
"""No structure at all."""


def document(automaton: WordAutomaton, adjacency: int, lengths: Lengths) -> Document:
    bracket = spent_bracket(
        automaton,
        Fraction(3, 8),
        adjacency=adjacency,
        lengths=lengths,
        tolerance=0.02,
        time_limit=None,
        node_limit=20_000,
    )
    assert any(part.tree for part in bracket.certificate.parts)
    # What a reader gets from a file.
    read: Document = json.loads(json.dumps(bracket.certificate.to_json()))
    return read


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every number, flag and text in a document."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from places(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from places(entry, (*path, index))
    else:
        yield path


def changed(value: Any) -> list[Any]:
    """Other values of the same kind: neighbours, and for text one letter or number changed."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if value is None:
        return [3]
    if "/" in value or value.isdigit():
        ratio = Fraction(value)
        return [str(ratio * Fraction(97, 100)), str(ratio + Fraction(1, 7))]
    letters = {".": "l", "l": "r", "r": "."}
    middle = len(value) // 2
    return [value[:middle] + letters.get(value[middle], "x") + value[middle + 1 :]]


def replaced(source: Document, path: tuple[Any, ...], value: Any) -> Document:
    """With another value there, and sealed again: only the proof can tell."""
    result = copy.deepcopy(source)
    holder: Any = result
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    resealed: Document = result if path == (SEAL,) else sealed_again(result)
    return resealed


def is_true(claim: WordClaim) -> bool:
    """Whether no pair of short words contradicts the claim."""
    problem = WordProblem(WordAutomaton(claim.moves, claim.initial, claim.accepting), claim.q)
    longest = 4 if claim.longest is None else min(claim.longest, 4)
    return all(
        ratio <= claim.ratios[d - 1]
        for length in range(claim.shortest, longest + 1)
        for d, (ratio, _, _) in largest_ratios(problem, length, len(claim.ratios)).items()
    )


@pytest.mark.parametrize(
    ("automaton", "adjacency", "lengths"),
    [
        (SMALL, 1, ALL_LENGTHS),
        (SMALL, 2, ALL_LENGTHS),
        (TRAP, 1, Lengths(4, 4)),
        (LOOSE, 2, Lengths(0, 4)),
    ],
)
def test_a_changed_number_is_refused_or_states_something_true(
    automaton: WordAutomaton, adjacency: int, lengths: Lengths
) -> None:
    source = document(automaton, adjacency, lengths)
    claim = check_word_certificate(source)
    assert is_true(claim)
    refused = 0
    for path in places(source):
        holder: Any = source
        for key in path:
            holder = holder[key]
        for value in changed(holder):
            try:
                other = check_word_certificate(replaced(source, path, value))
            except CertificateError:
                refused += 1
                continue
            assert is_true(other), path
    assert refused > 30


def test_any_single_change_is_refused_unless_it_is_sealed_again() -> None:
    source = document(SMALL, 2, ALL_LENGTHS)
    for path in places(source):
        holder: Any = source
        for key in path:
            holder = holder[key]
        for value in changed(holder):
            other = {**replaced(source, path, value), SEAL: source[SEAL]}
            if path == (SEAL,):
                other[SEAL] = value
            with pytest.raises(CertificateError):
                check_word_certificate(other)


def test_an_understated_target_is_refused() -> None:
    for automaton, adjacency, lengths in (
        (SMALL, 1, ALL_LENGTHS),
        (SQUARE, 1, ALL_LENGTHS),
        (SQUARE, 2, Lengths(5, 5)),
        (TRAP, 1, Lengths(6, 6)),
    ):
        source = document(automaton, adjacency, lengths)
        for index, part in enumerate(source["parts"]):
            lower = str(Fraction(part["ratio"]) * Fraction(97, 100))
            with pytest.raises(CertificateError):
                check_word_certificate(replaced(source, ("parts", index, "ratio"), lower))


def test_what_is_no_certificate_is_refused() -> None:
    source = document(SMALL, 1, ALL_LENGTHS)
    others: tuple[object, ...] = (
        None,
        [],
        {**source, "extra": 1},
        {**source, "version": True},
        {**source, "kind": "weighted-ratio-certificate"},
        {**source, "moves": []},
        {**source, "moves": [*source["moves"], source["moves"][0]]},
        {**source, "q": "1"},
        {**source, "q": 0.5},
        {**source, "shortest": 5, "longest": 4},
        {**source, "parts": []},
        {**source, "symmetries": [[[0, 0, 1, 2], [0, 1, 2]]]},
        {**source, "symmetries": [[[0, 1, 2, 3], [1, 0, 2]]]},
        {**source, "left": {**source["left"], "depth": 0}},
        {**source, "left": {**source["left"], "depth": 31}},
        {**source, "left": source["right"]},
    )
    for other in others:
        with pytest.raises(CertificateError):
            check_word_certificate(other)


def test_a_tree_that_leaves_nodes_out_is_refused() -> None:
    source = document(SMALL, 1, ALL_LENGTHS)
    levels = source["parts"][0]["tree"]
    for tree in (levels[:-1], [*levels, "."], [], [levels[0][:-1], *levels[1:]], [*levels, ""]):
        with pytest.raises(CertificateError):
            check_word_certificate(replaced(source, ("parts", 0, "tree"), tree))


@pytest.mark.parametrize(
    ("automaton", "adjacency", "lengths"),
    [(SMALL, 1, ALL_LENGTHS), (SQUARE, 1, ALL_LENGTHS), (TRAP, 2, Lengths(4, 4))],
)
def test_a_leaf_added_or_removed_is_refused(
    automaton: WordAutomaton, adjacency: int, lengths: Lengths
) -> None:
    source = document(automaton, adjacency, lengths)
    for index, part in enumerate(source["parts"]):
        for level, text in enumerate(part["tree"] or ()):
            longer, shorter = text + ".", text[:-1]
            for other in (longer, shorter):
                with pytest.raises(CertificateError):
                    check_word_certificate(replaced(source, ("parts", index, "tree", level), other))


def test_parts_may_be_checked_one_by_one() -> None:
    source = document(SQUARE, 2, Lengths(5, 5))
    whole = check_word_certificate(source)
    checker = PartChecker({**source, "parts": []}, 2)
    first = checker.check(source["parts"][0], [])
    assert (first, checker.check(source["parts"][1], [first])) == whole.ratios
    with pytest.raises(CertificateError):
        checker.check(source["parts"][1], [])
    with pytest.raises(CertificateError):
        PartChecker({**source, "parts": []})


def test_what_watches_a_check_can_end_it() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_word_certificate(document(SMALL, 1, ALL_LENGTHS), stop)


def test_floats_that_are_not_finite_never_decide() -> None:
    """Boxes, matrices and targets spoiled in the search: what comes out is refused or true."""
    problem = WordProblem(SMALL.trimmed(), Fraction(3, 8))
    for value in (np.nan, np.inf, 0.0, 1e-320, 1e308):
        engine = Engine(problem, 1, ALL_LENGTHS, Watch(Limits(10)), None)
        with np.errstate(all="ignore"):
            engine.frame.problem.steps[0] *= value
            outcome, roots = engine.search(1, {}, 0.02, 1.0, Watch(Limits(5, 200)), 200)
        target = outcome.target if 0 < outcome.target < np.inf else 1.0
        part = Part(Fraction(target), tuple(outcome.tree.levels(len(roots))))
        left, right = engine.left_boxes, engine.right_boxes
        certificate = WordCertificate(
            problem,
            ALL_LENGTHS,
            tuple(engine.symmetries),
            (left[0], left[2]),
            (right[0], right[2]),
            (part,),
        )
        try:
            claim = check_word_certificate(certificate.to_json())
        except CertificateError:
            continue
        assert is_true(claim)


def test_boxes_that_are_too_small_are_refused() -> None:
    """Each upper end lowered and each lower end raised by 1 %: the exact vectors leave the box."""
    source = document(SQUARE, 1, ALL_LENGTHS)
    for side in ("left", "right"):
        for name, factor in (("low", 101), ("high", 99)):
            table = source[side][name]
            moved = [
                [e if i == j else e * factor // 100 for j, e in enumerate(row)]
                for i, row in enumerate(table)
            ]
            with pytest.raises(CertificateError, match=side):
                check_word_certificate(replaced(source, (side, name), moved))


def test_nan_never_cuts() -> None:
    problem = WordProblem(SMALL.trimmed(), ratio_up(Fraction(1)))
    engine = Engine(problem, 1, ALL_LENGTHS, Watch(Limits(10)), None)
    roots = engine.roots(1)
    controls = engine.right.openings.count + 1
    for value in (np.nan, np.inf):
        for box in (engine.frame.left_box, engine.frame.right_box):
            kept = box[1].copy()
            box[1][:] = value
            search = Search(
                engine.frame, np.ones(controls), np.full(controls, np.inf), lambda *_: 1.0
            )
            outcome = search.run(roots, 1.0, (0.0, 1.0), 1.0, Clock(Limits(5, 50)), 50)
            assert outcome.reason == "node limit"
            box[1][:] = kept


def opened_to_the_end(source: Document) -> Document:
    """The same boxes and a ratio that is false, with a tree that opens sides and cuts nothing."""
    part = {"ratio": "1/2", "tree": []}
    forged = replaced(source, ("parts",), [part])
    tree: list[str] = []
    for level in range(4 * source["longest"]):
        with pytest.raises(CertificateError) as refusal:
            check_word_certificate(replaced(forged, ("parts", 0, "tree"), [*tree, "l" * 500]))
        size = re.search(r"number of nodes than (\d+)", str(refusal.value))
        if size is None:
            break
        tree.append(("l" if level < 2 * source["longest"] else "r") * int(size[1]))
    return replaced(forged, ("parts", 0, "tree"), tree)


def test_a_side_where_the_word_ends_cannot_be_opened_away() -> None:
    """Such a node has no children: were that enough, pairs would vanish and any ratio stand."""
    source = document(WordAutomaton(((0, 1), (0, -1)), 0, (True, True)), 1, Lengths(0, 3))
    assert Fraction(source["parts"][0]["ratio"]) > 1
    with pytest.raises(CertificateError, match="nothing can be added"):
        check_word_certificate(opened_to_the_end(source))
