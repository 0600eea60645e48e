"""Finite mechanisms: exact deltas, worst sets, and every set of outputs tried."""

import json
import math
import random
import warnings
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import verify
from privet.errors import (
    FileFormatError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    RoundingWarning,
)
from privet.exact import exp_down, exp_up

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "finite.json").read_text())["cases"]
GEOMETRIC = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]


def subsets(size: int) -> list[tuple[int, ...]]:
    return [s for count in range(size + 1) for s in combinations(range(size), count)]


@pytest.mark.parametrize("case", GOLDEN)
def test_the_smallest_delta_is_the_enumerated_one(case: Any) -> None:
    for epsilon, expected in case["delta"].items():
        found = verify.smallest_delta(case["rows"], epsilon=epsilon)
        assert abs(found - Fraction(expected)) <= Fraction(1, 10**18)
        holds = verify.finite_mechanism(case["rows"], epsilon=epsilon, delta=found)
        assert isinstance(holds, verify.Holds)
        if found > Fraction(1, 10**6):
            below = found - Fraction(1, 10**40)
            outcome = verify.finite_mechanism(case["rows"], epsilon=epsilon, delta=below)
            assert isinstance(outcome, verify.SetViolated)


@pytest.mark.parametrize("seed", range(40))
def test_no_set_of_outputs_needs_more_and_the_worst_set_needs_as_much(seed: int) -> None:
    draw = random.Random(seed)
    rows = []
    for _ in range(3):
        weights = [draw.choice([0, 1, 1, 2, 5]) for _ in range(4)]
        weights[draw.randrange(4)] += 1
        rows.append([Fraction(w, sum(weights)) for w in weights])
    epsilon = Fraction(draw.randint(0, 12), 10)
    low, high = exp_down(epsilon), exp_up(epsilon)

    def needed(ratio: Fraction) -> Fraction:
        return max(
            sum((p[x] - ratio * q[x] for x in outputs), Fraction(0))
            for p, q in product(rows, repeat=2)
            for outputs in subsets(4)
        )

    found = verify.smallest_delta(rows, epsilon=epsilon)
    assert found == needed(low) >= needed(high)
    outcome = verify.finite_mechanism(rows, epsilon=epsilon)
    if needed(high) > 0:
        assert isinstance(outcome, verify.SetViolated)
        assert isinstance(outcome, verify.Violated)
        i, j = outcome.pair
        columns: list[Any] = outcome.word
        assert outcome.first_probability == sum(rows[i][x] for x in columns)
        assert outcome.second_probability == sum(rows[j][x] for x in columns)
        assert outcome.first_probability - high * outcome.second_probability == needed(high)
    else:
        assert isinstance(outcome, verify.Holds)


def test_the_smallest_ratio_is_exact_and_its_delta_is_met() -> None:
    draw = random.Random(1)
    for _ in range(60):
        rows = [[draw.randint(0, 5) for _ in range(4)] for _ in range(2)]
        laws = [[Fraction(w, sum(r) + 1) for w in (*r, 1)] for r in rows]
        allowed = Fraction(draw.randint(0, 30), 100)
        ratio, (i, j) = verify.smallest_ratio(laws, delta=allowed)

        def excess(c: Fraction, laws: Any = laws) -> Fraction:
            return max(
                sum((max(Fraction(0), p - c * q) for p, q in zip(a, b, strict=True)), Fraction(0))
                for a, b in product(laws, repeat=2)
            )

        if ratio == math.inf:
            assert excess(Fraction(10**30)) > allowed
            continue
        assert isinstance(ratio, Fraction)
        assert excess(ratio) <= allowed
        assert ratio == 1 or excess(ratio - Fraction(1, 10**20)) > allowed
        assert i != j


def test_the_geometric_mechanism_between_neighbours_and_between_all() -> None:
    assert verify.smallest_ratio(GEOMETRIC, neighbours=[(0, 1), (1, 2)])[0] == 2
    assert verify.smallest_ratio(GEOMETRIC)[0] == 4
    epsilon = verify.smallest_epsilon(GEOMETRIC)
    assert math.log(4) <= epsilon < math.log(4) + 1e-15
    holds = verify.finite_mechanism(GEOMETRIC, epsilon=epsilon)
    assert isinstance(holds, verify.Holds)
    assert isinstance(holds.certificate, verify.FiniteCertificate)
    assert holds.certificate.pairs == 6
    assert verify.smallest_epsilon([[1, 0], [0, 1]]) == math.inf
    assert verify.smallest_epsilon([[1, 0], [1, 0]]) == 0


@pytest.mark.parametrize(("queries", "moved_by_all"), [(2, 4), (3, 8), (4, 16)])
def test_the_noisy_maximum(queries: int, moved_by_all: int) -> None:
    # True answers in {0, 1, 2}, geometric noise of ratio 1/2 each, the first of the largest wins.
    noise = [[Fraction(x) for x in row] for row in GEOMETRIC]
    answers = list(product(range(3), repeat=queries))
    rows = []
    for true in answers:
        law = [Fraction(0)] * queries
        for noisy in answers:
            chance = math.prod((noise[a][b] for a, b in zip(true, noisy, strict=True)))
            law[noisy.index(max(noisy))] += chance
        rows.append(law)
    pairs = {1: [], queries: []}  # type: dict[int, list[tuple[int, int]]]
    for (i, a), (j, b) in combinations(enumerate(answers), 2):
        moved = [abs(x - y) for x, y in zip(a, b, strict=True)]
        if max(moved) == 1:
            pairs[queries].append((i, j))
            if sum(moved) == 1:
                pairs[1].append((i, j))
    assert verify.smallest_ratio(rows, neighbours=pairs[1])[0] == 2
    assert verify.smallest_ratio(rows, neighbours=pairs[queries])[0] == moved_by_all


def test_the_profile_falls_and_names_the_pair() -> None:
    profile = verify.privacy_profile(GEOMETRIC, epsilons=[0, "0.5", 1, 2])
    assert profile.deltas[0] == Fraction(1, 2)
    assert list(profile.deltas) == sorted(profile.deltas, reverse=True)
    assert profile.deltas[-1] == 0
    assert profile.pairs[0] in {(0, 2), (2, 0)}


def test_sufficient_sets() -> None:
    rows = [["1/2", "1/4", "1/8", "1/8"], ["1/4", "1/8", "1/8", "1/2"]]
    sets = verify.sufficient_sets(rows, 0, 1)
    assert sets.above == (0, 1)
    assert sets.groups == ((0, 1),)
    assert (sets.all_subsets, sets.subsets) == (16, 4)
    # No other set decides: on subsets of `above`, and for delta = 0 on the groups.
    laws = [[Fraction(x) for x in row] for row in rows]
    for ratio in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2)):
        gaps = {s: sum(laws[0][x] - ratio * laws[1][x] for x in s) for s in subsets(4)}
        assert max(gaps.values()) == max(g for s, g in gaps.items() if set(s) <= set(sets.above))
        assert (max(gaps.values()) > 0) == any(gaps[group] > 0 for group in sets.groups)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"epsilon": -1}, ParameterError, "between 0"),
        ({"epsilon": math.nan}, ParameterError, "finite"),
        ({"epsilon": True}, ParameterTypeError, "boolean"),
        ({"epsilon": 10**6}, ParameterError, "between 0"),
        ({"epsilon": 1, "delta": 1}, ParameterError, "delta"),
        ({"epsilon": 1, "delta": -1}, ParameterError, "delta"),
        ({"epsilon": 1, "neighbours": "some"}, ParameterError, "other than 'all'"),
        ({"epsilon": 1, "neighbours": []}, ParameterError, "empty"),
        ({"epsilon": 1, "neighbours": [(0, 0)]}, ParameterError, "different rows"),
        ({"epsilon": 1, "neighbours": [(0, 3)]}, ParameterError, "different rows"),
        ({"epsilon": 1, "neighbours": [(0, -1)]}, ParameterError, "at least 0"),
        ({"epsilon": 1, "neighbours": [(0, True)]}, ParameterTypeError, "not a whole number"),
        ({"epsilon": 1, "neighbours": ["01"]}, ParameterError, "not two row numbers"),
        ({"epsilon": 1, "neighbours": [3]}, ParameterError, "not two row numbers"),
    ],
)
def test_what_cannot_be_read_is_refused(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        verify.finite_mechanism(GEOMETRIC, **arguments)


@pytest.mark.parametrize("rows", [[[1, 1], [1, 0]], [[-1, 2], [1, 0]], [[1], [1, 0]], []])
def test_rows_that_are_no_laws_are_refused(rows: Any) -> None:
    with pytest.raises(ModelError):
        verify.smallest_delta(rows, epsilon=1)


def test_one_row_is_no_mechanism() -> None:
    with pytest.raises(ParameterError, match="at least two rows"):
        verify.smallest_delta([[1]], epsilon=1)


# ------------------------------------------------------------------------------------- from a file


def test_a_table_with_names_or_without(tmp_path: Path) -> None:
    path = tmp_path / "mechanism.csv"
    path.write_text("input,low,high\nyes,1/3,2/3\nno,0.5,0.5\n\n")
    table = verify.read_mechanism_table(path)
    assert table.inputs == ("yes", "no")
    assert table.outputs == ("low", "high")
    assert table.rows == ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 2), Fraction(1, 2)))
    assert verify.smallest_ratio(table.rows)[0] == Fraction(3, 2)
    path.write_text("\ufeff1/3, 2/3\n1/2,1/2\n")
    bare = verify.read_mechanism_table(str(path))
    assert (bare.rows, bare.inputs, bare.outputs) == (table.rows, ("0", "1"), ("0", "1"))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FileFormatError, "no rows"),
        ("a,b\n1/2,x\n1/2,1/2\n", FileFormatError, "Row 0"),
        ("1/2,1/3\n1/2,1/2\n", ModelError, "Row 0"),
        ("1/2,1/2\n1\n", ModelError, "entries"),
        ('"1/2', FileFormatError, "CSV"),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    tmp_path: Path, text: str, error: Any, message: str
) -> None:
    path = tmp_path / "mechanism.csv"
    path.write_text(text)
    with pytest.raises(error, match=message):
        verify.read_mechanism_table(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be read: No such file"):
        verify.read_mechanism_table(tmp_path / "none.csv")


# ------------------------------------------------------------------------------ ratios, neighbours

STEPS = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]


def test_a_ratio_is_exact_where_an_epsilon_is_enclosed() -> None:
    assert isinstance(verify.finite_mechanism(STEPS, ratio=4), verify.Holds)
    broken = verify.finite_mechanism(STEPS, ratio=Fraction(4) - Fraction(1, 10**40))
    assert isinstance(broken, verify.SetViolated)
    assert verify.smallest_delta(STEPS, ratio=2) == Fraction(1, 3)
    tie = verify.finite_mechanism(STEPS, ratio=2, delta="1/3")
    assert isinstance(tie, verify.Holds)
    assert isinstance(verify.finite_mechanism(STEPS, ratio=2, delta="0.3333"), verify.SetViolated)


def test_a_ratio_or_an_epsilon_and_not_both() -> None:
    for claim in ({}, {"ratio": 2, "epsilon": 1}):
        with pytest.raises(ParameterError, match="either epsilon or ratio"):
            verify.smallest_delta(STEPS, **claim)  # type: ignore[arg-type]  # that it is refused
    for wrong in (0, "0.99", -1):
        with pytest.raises(ParameterError, match="ratio"):
            verify.finite_mechanism(STEPS, ratio=wrong)


def test_adjacent_rows_are_neighbours_and_no_others() -> None:
    assert verify.smallest_ratio(STEPS, neighbours="adjacent")[0] == 2
    assert verify.smallest_ratio(STEPS)[0] == 4
    pairs = verify.smallest_ratio(STEPS, neighbours=[(0, 1), (1, 2)])
    assert pairs == verify.smallest_ratio(STEPS, neighbours="adjacent")


@pytest.mark.parametrize(
    "text",
    [
        # The law 9/10, 1/10 with a slip of the pen is not a line of names.
        "0.9O,0.1\n0.5,0.5\n0.4,0.6\n",
        "x,0.9O,0.1\na,0.5,0.5\nb,0.4,0.6\n",
        "low,high,more\n0.5,0.5\n0.4,0.6\n",
    ],
)
def test_a_law_with_a_mistake_is_never_left_out_as_a_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError):
        verify.read_mechanism_table(path)


def test_outputs_that_are_numbers_are_names_below_an_empty_corner(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(",0,1\na,1/2,1/2\nb,1/3,2/3\n")
    table = verify.read_mechanism_table(path)
    assert (table.inputs, table.outputs) == (("a", "b"), ("0", "1"))


def test_two_inputs_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(",l,h\na,1/2,1/2\nb,1/3,2/3\na ,1/9,8/9\n")
    with pytest.raises(FileFormatError, match="Rows 0 and 2 of the file have the same name"):
        verify.read_mechanism_table(path)


@pytest.mark.parametrize("form", [list, np.array])
def test_doubles_that_break_a_claim_by_their_rounding_alone_are_warned_of(form: Any) -> None:
    # 0.55 is more than 11/20 by a larger share than 0.45 is more than 9/20.
    rounded, ratio = form([[0.55, 0.45], [0.45, 0.55]]), Fraction(11, 9)
    with pytest.warns(RoundingWarning, match="exact_response_matrix"):
        outcome = verify.finite_mechanism(rounded, ratio=ratio)
    assert isinstance(outcome, verify.SetViolated)
    exact = [["11/20", "9/20"], ["9/20", "11/20"]]
    assert isinstance(verify.finite_mechanism(exact, ratio=ratio), verify.Holds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # More than a rounding; and no doubles at all.
        for rows in (rounded, exact):
            outcome = verify.finite_mechanism(rows, ratio=ratio * Fraction(999, 1000))
            assert isinstance(outcome, verify.SetViolated)
