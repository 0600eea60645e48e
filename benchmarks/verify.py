"""How fast hidden Markov models are decided: both verdicts, every length, and the hard families.

    python benchmarks/verify.py [--only SECTION ...] [--limit SECONDS]

Contract. Models are made of fixed streams, so the tables are of the same questions at every run.
Times are wall seconds of one call, the second check of its answer included. A question that a
limit cut short says so and shows its bracket; nothing fails because a goal is missed.
"""

import argparse
import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from report import table

from privet import HiddenMarkovModel, verify

Row = list[Fraction]
MARGIN = Fraction(1, 100)
NARROW = Fraction(1, 10**6)


@dataclass(frozen=True)
class Case:
    """A model, and the two laws of its first state that are compared."""

    name: str
    model: HiddenMarkovModel
    first: Row
    second: Row


def _law(weights: list[int]) -> Row:
    return [Fraction(weight, sum(weights)) for weight in weights]


def dense(states: int, symbols: int, seed: int = 0) -> Case:
    """Every entry drawn from 1..9."""
    draw = random.Random(1000 * seed + 10 * states + symbols)

    def row(size: int) -> Row:
        return _law([draw.randint(1, 9) for _ in range(size)])

    steps = [row(states) for _ in range(states)]
    seen = [row(symbols) for _ in range(states)]
    model = HiddenMarkovModel(steps, seen)
    return Case(f"dense {states}x{symbols}", model, row(states), row(states))


def sticky(states: int, symbols: int, leave: Fraction = Fraction(1, 10)) -> Case:
    """A ring that is left with probability `leave`; the symbol of a place has weight 3 of m + 2."""
    steps = [[Fraction(0)] * states for _ in range(states)]
    for i in range(states):
        steps[i][i] += 1 - leave
        steps[i][(i + 1) % states] += leave / 2
        steps[i][(i - 1) % states] += leave / 2
    name = "static" if not leave else "sticky"
    return _on_a_ring(f"{name} {states}x{symbols}", steps, symbols)


def random_sticky(states: int, symbols: int, stay: Fraction = Fraction(9, 10)) -> Case:
    """The dense model, slowed down: with probability `stay` it does not move."""
    case = dense(states, symbols)
    rows = case.model.exact_transition
    steps = [
        [(1 - stay) * entry + (stay if i == j else 0) for j, entry in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    model = HiddenMarkovModel(steps, case.model.exact_emission)
    return Case(f"random sticky {states}x{symbols}", model, case.first, case.second)


def cyclic(states: int, symbols: int) -> Case:
    """Each state moves to the next one for certain."""
    steps = [[Fraction(int(j == (i + 1) % states)) for j in range(states)] for i in range(states)]
    return _on_a_ring(f"cyclic {states}x{symbols}", steps, symbols)


def _on_a_ring(name: str, steps: list[Row], symbols: int) -> Case:
    states = len(steps)
    seen = [
        _law([3 if x == i * symbols // states else 1 for x in range(symbols)])
        for i in range(states)
    ]
    half = [i < states // 2 for i in range(states)]
    first, second = _law([1 + left for left in half]), _law([2 - left for left in half])
    return Case(name, HiddenMarkovModel(steps, seen), first, second)


def satisfiability(variables: int, clauses: int, seed: int = 0) -> Case:
    """Random 3-clauses: a word is an assignment and one of two ends.

    The ratio at that length is 4 exactly if all clauses can be satisfied together. A state is
    (side, clause, place, value, satisfied so far); the sides differ only in how the end is coloured
    when the clause is satisfied.
    """
    draw = random.Random(seed)
    formula = [
        {v: draw.randint(0, 1) for v in draw.sample(range(variables), 3)} for _ in range(clauses)
    ]
    keys: list[tuple[Any, ...]] = []
    for side, clause, done in itertools.product("AB", range(clauses), (0, 1)):
        places = itertools.product(range(variables), (0, 1))
        keys += [(side, clause, place, value, done) for place, value in places]
        keys.append((side, clause, variables, 0, done))
    number = {key: i for i, key in enumerate(keys)}
    steps = [[Fraction(0)] * len(keys) for _ in keys]
    seen = [[Fraction(0)] * 4 for _ in keys]
    for side, clause, place, value, done in keys:
        here = number[side, clause, place, value, done]
        if place == variables:
            top = {("A", 1): Fraction(4, 5), ("B", 1): Fraction(1, 5)}.get(
                (side, done), Fraction(1, 2)
            )
            seen[here][2:] = [top, 1 - top]
            steps[here][here] = Fraction(1)
            continue
        seen[here][value] = Fraction(1)
        now = int(done or formula[clause].get(place) == value)
        for then in (0, 1) if place + 1 < variables else (0,):
            share = Fraction(1, 2) if place + 1 < variables else Fraction(1)
            steps[here][number[side, clause, place + 1, then, now]] += share
    laws = []
    for side in "AB":
        law = [Fraction(0)] * len(keys)
        for clause, value in itertools.product(range(clauses), (0, 1)):
            law[number[side, clause, 0, value, 0]] = Fraction(1, 2 * clauses)
        laws.append(law)
    model = HiddenMarkovModel(steps, seen)
    return Case(f"3-SAT {variables} variables, {clauses} clauses", model, laws[0], laws[1])


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Wall seconds and result of one call."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def _verdict(outcome: Any) -> str:
    if isinstance(outcome, verify.Undecided):
        return f"{outcome.reason}, {outcome.bracket}"
    return type(outcome).__name__


def _asked(case: Case, ratio: Fraction, length: int | None, limit: float) -> list[str]:
    seconds, outcome = timed(
        lambda: verify.hidden_markov(
            case.model, case.first, case.second, ratio=ratio, length=length, time_limit=limit
        )
    )
    return [f"{seconds:.3f}", _verdict(outcome)]


def _reference(case: Case, length: int, limit: float) -> tuple[float, Any]:
    return timed(
        lambda: verify.ratio_bracket(case.model, case.first, case.second, length, time_limit=limit)
    )


def margins(limit: float) -> Iterator[list[str]]:
    """k = 20, one per cent to either side of the worst ratio."""
    cases = [
        make(states, symbols)
        for make in (dense, sticky)
        for states, symbols in ((2, 2), (4, 3), (8, 4), (16, 2), (16, 4))
    ]
    for case in cases:
        found = _reference(case, 20, limit)[1]
        above = _asked(case, found.high * (1 + MARGIN), 20, limit)
        below = _asked(case, found.low * (1 - MARGIN), 20, limit)
        yield [case.name, *above, *below]


def long_words(limit: float) -> Iterator[list[str]]:
    """16 states, 4 symbols, 100 steps, a millionth above; two states, 1,000 steps, exact."""
    for seed in range(3):
        case = dense(16, 4, seed)
        found = _reference(case, 60, limit)[1]
        yield [f"{case.name} k=100", *_asked(case, found.low * (1 + NARROW), 100, limit)]
    for case in (dense(2, 2), sticky(2, 2)):
        seconds, bracket = _reference(case, 1000, limit)
        yield [f"{case.name} k=1000", f"{seconds:.3f}", f"exact: {bracket.is_closed}"]


def every_length(limit: float) -> Iterator[list[str]]:
    """A proof for all lengths, a millionth above the worst ratio of 24 symbols."""
    for states, symbols in ((2, 2), (4, 3), (8, 4), (16, 2), (16, 4)):
        case = dense(states, symbols)
        found = _reference(case, 24, limit)[1]
        yield [case.name, *_asked(case, found.low * (1 + NARROW), None, limit)]


def hard(limit: float) -> Iterator[list[str]]:
    """The families that no bound prunes well: the exact worst ratio, or a bracket."""
    cases = [
        (sticky(16, 4), 20),
        (cyclic(16, 4), 20),
        (sticky(16, 4, Fraction(0)), 20),
        (satisfiability(8, 8), 9),
    ]
    for case, length in cases:
        seconds, bracket = _reference(case, length, limit)
        words = f"exact: {float(bracket.low):.10g}" if bracket.is_closed else str(bracket)
        yield [f"{case.name} k={length}", f"{seconds:.2f}", words]
        if not bracket.is_closed:
            ratio = bracket.low * (1 + NARROW)
            yield [f"{case.name} a millionth above", *_asked(case, ratio, length, limit)]


SECTIONS: dict[str, tuple[Callable[[float], Iterator[list[str]]], list[str]]] = {
    "margins": (margins, ["model", "1% above (s)", "verdict", "1% below (s)", "verdict"]),
    "long": (long_words, ["model", "seconds", "verdict"]),
    "every-length": (every_length, ["model", "seconds", "verdict"]),
    "hard": (hard, ["model", "seconds", "answer"]),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--limit", type=float, default=60.0)
    arguments = parser.parse_args()
    for name in arguments.only:
        rows, header = SECTIONS[name]
        print(f"\n## {name}\n")
        print(table(header, list(rows(arguments.limit))), flush=True)


if __name__ == "__main__":
    main()
