"""Mechanisms on series: what an answer with discrete Laplace noise tells about one state.

Contract. For every chain of the family and every node, the law of the query's whole numbers given
the state of the node comes from listing all words. With noise of scale b an output o has

    P(o | X_i = a) = sum over answers n of P(n | X_i = a) e^(-|o - n|_1 / b)

up to one factor. Beyond the least and the largest answer in a coordinate that factor is all that
changes, so the outputs in the box of all answers are all there are. For a record loss, two words
with answers n, n' are |n - n'|_1 / b apart at the output n, and at none farther.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np

from privet.chains import ChainBox, MarkovChain
from privet.errors import ModelError, ParameterError
from privet.exact import exact_number
from privet.mechanisms import SeriesMechanism, WassersteinTable
from privet.privacy import MarkovFramework, RecordLoss
from privet.queries import Nodes, Query, cut
from privet.verify.library.models import LARGEST_TABLE, Law
from privet.verify.own.compare import Comparison, Findings, compare
from privet.verify.own.sums import ExponentialSum

Word = tuple[int, ...]
Numbers = tuple[int, ...]
Laws = Mapping[Any, Mapping[Numbers, Fraction]]
"""secret -> law of the numbers given the secret."""

_MOST_WORDS = 1 << 9


@dataclass(frozen=True)
class SeriesTable:
    """The numbers of every word, its chance under every chain, and the scale of the noise."""

    answers: dict[Word, Numbers]
    chances: tuple[dict[Word, Fraction], ...]
    scale: Fraction
    symbols: tuple[Any, ...]

    def named(self, word: Word) -> tuple[Any, ...]:
        """The word in symbols."""
        return tuple(self.symbols[code] for code in word)


def series_table(
    mechanism: SeriesMechanism, query: Query, length: int, nodes: Nodes
) -> SeriesTable:
    """Everything that the claims about words of one length are compared with."""
    chains = _exact_chains(mechanism.framework)
    size = len(mechanism.alphabet)
    if length > _MOST_WORDS or size**length > _MOST_WORDS:
        raise ParameterError(
            f"There are more than {_MOST_WORDS} words of that length.",
            hint="Take a shorter length.",
            parameter="length",
        )
    answers = {
        word: _numbers(mechanism, query, word, nodes)
        for word in product(range(size), repeat=length)
    }
    chances = tuple(_word_law(initial, rows, answers) for initial, rows in chains)
    scale = mechanism.grid_scale(query, length, nodes)
    return SeriesTable(answers, chances, scale, mechanism.alphabet.symbols)


def protected(table: SeriesTable, epsilon: Fraction) -> Findings:
    """Whether no answer tells two states of one node apart by more than epsilon.

    Secrets are named (chain, node, state).
    """
    return compare(_comparisons(_conditional(table), table.scale, None, epsilon))


def lost(table: SeriesTable, loss: RecordLoss) -> Findings:
    """Whether any two words are within the losses of the nodes where they differ."""
    values = [value for start, stop, value in loss.pieces for _ in range(start, stop)]
    one = ExponentialSum.of(1)

    def comparisons() -> Iterator[Comparison]:
        for (w, n), (v, m) in combinations(table.answers.items(), 2):
            allowed = sum((x for x, a, b in zip(values, w, v, strict=True) if a != b), Fraction(0))
            first, second = table.named(w), table.named(v)
            yield Comparison(first, second, n, one, _noise(n, m, table.scale), allowed)

    return compare(comparisons())


def table_protected(mechanism: WassersteinTable, epsilon: Fraction) -> Findings:
    """As `protected`, for the listed laws and pairs; secrets are named (law, secret)."""
    unit, lowest = mechanism.grid, mechanism.lowest
    laws: list[Laws] = [
        {
            (theta, secret): {(int((x - lowest) / unit),): share for x, share in law.items()}
            for secret, law in secrets.items()
        }
        for theta, secrets in mechanism.distributions.items()
    ]
    scale = mechanism.noise_scale() / unit
    return compare(_comparisons(laws, scale, mechanism.pairs, epsilon))


def _comparisons(
    groups: Iterable[Laws],
    scale: Fraction,
    pairs: Iterable[tuple[Any, Any]] | None,
    allowed: Fraction,
) -> Iterator[Comparison]:
    """Every output of the box, for every pair of secrets of a group, in both directions."""
    chosen = None if pairs is None else {frozenset(pair) for pair in pairs}
    for laws in groups:
        seen = [numbers for law in laws.values() for numbers in law]
        box = [range(min(column), max(column) + 1) for column in zip(*seen, strict=True)]
        if np.prod([len(side) for side in box], dtype=float) * len(laws) ** 2 > LARGEST_TABLE:
            raise ParameterError(
                "The query has too many possible answers to list.",
                hint="Take a shorter length or a coarser query.",
                parameter="length",
            )
        for out in product(*box):
            chance = {secret: _chance(law, out, scale) for secret, law in laws.items()}
            for a, b in permutations(laws, 2):
                if chosen is None or frozenset((a[-1], b[-1])) in chosen:
                    yield Comparison(a, b, out, chance[a], chance[b], allowed)


def _chance(law: Mapping[Numbers, Fraction], out: Numbers, scale: Fraction) -> ExponentialSum:
    """P(out), up to a factor of the noise alone."""
    if not scale:
        return ExponentialSum.of(law.get(out, Fraction(0)))
    return ExponentialSum.collected((-_apart(out, n) / scale, c) for n, c in law.items())


def _noise(one: Numbers, other: Numbers, scale: Fraction) -> ExponentialSum:
    """P(`one` | numbers `other`) over P(`one` | numbers `one`)."""
    if not scale:
        return ExponentialSum.of(int(one == other))
    return ExponentialSum({-_apart(one, other) / scale: Fraction(1)})


def _apart(one: Numbers, other: Numbers) -> Fraction:
    return Fraction(sum(abs(a - b) for a, b in zip(one, other, strict=True)))


def _conditional(table: SeriesTable) -> Iterator[Laws]:
    """For each chain and node, the law of the numbers given each state the node can be in."""
    length = len(next(iter(table.answers)))
    for number, chances in enumerate(table.chances):
        for node in range(length):
            joint: dict[Any, Any] = defaultdict(lambda: defaultdict(Fraction))
            for word, share in chances.items():
                secret = (number, node, table.symbols[word[node]])
                joint[secret][table.answers[word]] += share
            yield {
                secret: {n: share / sum(law.values()) for n, share in law.items()}
                for secret, law in joint.items()
            }


def _numbers(mechanism: SeriesMechanism, query: Query, word: Word, nodes: Nodes) -> Numbers:
    codes, offsets = cut(np.array(word), np.array([0, len(word)]), nodes)
    return tuple(query.raw(mechanism.alphabet, codes, offsets))


def _word_law(initial: Law, rows: tuple[Law, ...], words: Iterable[Word]) -> dict[Word, Fraction]:
    """P(word), where it is positive."""
    law = {}
    for word in words:
        share = initial[word[0]]
        for a, b in pairwise(word):
            share *= rows[a][b]
        if share:
            law[word] = share
    return law


def _exact_chains(framework: MarkovFramework) -> list[tuple[Law, tuple[Law, ...]]]:
    """(law of the first state, transition matrix) of each chain."""
    chains = framework.chains
    if isinstance(chains, ChainBox) or framework.initial == "any":
        raise ModelError(
            "The framework holds infinitely many laws, and only finitely many can be listed.",
            hint="Check it on chains with initial='given' or 'stationary'.",
        )
    return [(_start(chain, framework.initial), _rows(chain)) for chain in chains]


def _start(chain: MarkovChain, initial: str) -> Law:
    law = chain.exact_stationary() if initial == "stationary" else chain.exact_initial
    return tuple(exact_number(share, "share") if isinstance(share, str) else share for share in law)


def _rows(chain: MarkovChain) -> tuple[Law, ...]:
    return tuple(tuple(row) for row in chain.exact_transition)
