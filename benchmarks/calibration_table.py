"""The table of docs/calibration-table.md: wrong symbols of every mechanism at the same guarantee.

    make tables                                              print the tables
    make tables ARGS=--write                                 the same, and write them into the page
    python benchmarks/calibration_table.py --only grid-3x3   one set of words only

Contract. Expected errors follow from the law of a mechanism, word for word, wherever it has one;
only decoding is simulated, by replayed releases. A figure has a standard error where the words are
a sample or the releases are, and is exact otherwise. A certified rate is looked for in up to so
many seconds, so it can depend on the machine, and the figures of that row with it; where none above
the published one was found, the cell says that its figure is for the published one.
"""

import argparse
import math
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import feasible_words
import numpy as np
from measure import rooms
from report import table
from series import put

import privet
from privet.mechanisms.base import HammingMechanism
from privet.randomness import using_source
from privet.testing import ReplaySource

PAGE = Path(__file__).resolve().parent.parent / "docs" / "calibration-table.md"
EPSILONS = (1, 2, 3, 5, 8)
ADJACENCIES = (1, 2)
SECONDS = 60.0
WORDS, LENGTH = 400, 30
_SAME_RATE = 1.001

NOT_FOUND = "(published rate)"
EXPONENTIAL = "exponential (published rate)"
PERMUTE_AND_FLIP = "permute-and-flip (published rate)"
CERTIFIED = "exponential (certified rate)"
RATE = "- its rate, times the published one"
SPENT = "- proved to spend at most"
EXACT = "exponential (exact rate)"
PERMUTE_AND_FLIP_EXACT = "permute-and-flip (exact rate)"
STAIRCASE = "staircase"
RESPONSE = "randomised response"
VITERBI = "randomised response + Viterbi"
MARGINALS = "randomised response + marginals"
MAY_BE_IMPOSSIBLE = (STAIRCASE, RESPONSE, MARGINALS)


@dataclass(frozen=True)
class Errors:
    """Wrong symbols of a word: `error` is the standard error of `mean`, 0 where it is exact."""

    mean: float
    error: float = 0.0

    def cell(self) -> str:
        """For a table: two digits of the standard error, or four digits of the figure."""
        if not self.error:
            return _digits(self.mean, 4)
        places = max(0, 1 - math.floor(math.log10(self.error)))
        return f"{self.mean:.{places}f} ± {self.error:.{places}f}"


@dataclass(frozen=True)
class World:
    """Words, and what is public about them.

    `words`: those that the laws are averaged over, None on all words, where only their `length`
    matters; `fixed`: whether they are all there are, or a sample; `chain`: what decoding knows;
    `fresh`: words for one of the `releases` that show what decoding does.
    """

    text: str
    language: privet.Language
    length: int
    words: privet.Words | None = None
    fixed: bool = True
    chain: privet.MarkovChain | None = None
    fresh: Callable[[], privet.Words] | None = None
    releases: int = 0


Table = dict[str, dict[int, str]]
"""{row: {epsilon: cell}}."""


def all_words() -> World:
    """Nothing is known: all words over six symbols."""
    language = privet.Language.all(privet.Alphabet(list("abcdef")))
    return World(f"All words of {LENGTH} symbols over an alphabet of 6.", language, LENGTH)


def grid(side: int, count: int = WORDS, length: int = LENGTH) -> World:
    """Walks of a chain through side x side rooms."""
    size = side * side
    chain = privet.MarkovChain(np.full(size, 1 / size), rooms(side))
    text = (
        f"Walks of {length} symbols through {side} x {side} rooms, from any of them: stay with "
        f"probability 0.8, else go next door. Laws are averaged over {count} words of that chain, "
        f"decoding over 20 releases of {count} fresh words each; it knows the chain."
    )
    language = privet.Language.from_chain(chain)
    words = chain.sample_words(count, length)
    return World(
        text, language, length, words, False, chain, lambda: chain.sample_words(count, length), 20
    )


def income() -> World:
    """US states by income quintile."""
    return _protected(feasible_words.income(), "US states", 100)


def mvad() -> World:
    """From school to work."""
    return _protected(feasible_words.mvad(), "people", 20)


def _protected(data: feasible_words.Data, whose: str, releases: int) -> World:
    """The half of a data set that is not public, as far as it lies in the language."""
    protected = data.draw()
    inside = data.language.first_impossible_each(protected) < 0
    kept = [word for word, keep in zip(protected.to_lists(), inside, strict=True) if keep]
    words = privet.Words.from_lists(protected.alphabet, kept)
    length = int(words.lengths[0])
    support = data.chain.support()
    about = data.text.partition(". Every second")[0]
    text = (
        f"{about}. Chain and language are those of every second of the {whose}, taken as public; "
        f"the language has the {int(support.sum())} of {support.size} kinds of steps that they "
        f"show. Laws are averaged over the {len(words)} other words of {length} symbols that lie "
        f"in it ({len(protected) - len(words)} does not), decoding over {releases} releases of all "
        "of them."
    )
    return World(text, data.language, length, words, True, data.chain, lambda: words, releases)


STAYS = "home+ (ward+ (icu+ ward+)* rehab* home+)*"


def expression(count: int = WORDS) -> World:
    """Words of a regular expression, each equally likely."""
    alphabet = privet.Alphabet(["home", "ward", "icu", "rehab"])
    language = privet.Language.from_regex(alphabet, STAYS)
    words = privet.Words.from_lists(alphabet, [language.sample(LENGTH) for _ in range(count)])
    text = (
        f"`{STAYS}`: days at home and in hospital, words of {LENGTH} symbols. Laws are "
        f"averaged over {count} of them, each equally likely. There is no chain, so nothing is "
        "decoded."
    )
    return World(text, language, LENGTH, words, fixed=False)


WORLDS: dict[str, tuple[str, Callable[[], World]]] = {
    "all-words": ("All words over 6 symbols", all_words),
    "grid-3x3": ("Grid world, 3 x 3", lambda: grid(3)),
    "grid-4x4": ("Grid world, 4 x 4", lambda: grid(4)),
    "income": ("Income of US states", income),
    "mvad": ("From school to work (mvad)", mvad),
    "expression": ("A regular expression", expression),
}


def column(world: World, epsilon: int, adjacency: int, seconds: float = SECONDS) -> dict[str, str]:
    """Every mechanism at one guarantee: {row: cell}."""
    options: dict[str, Any] = {"epsilon": epsilon, "adjacency": adjacency}
    alphabet = world.language.alphabet
    response = privet.RandomizedResponse(alphabet, epsilon=Fraction(epsilon, adjacency))
    everywhere: dict[str, HammingMechanism] = {
        STAIRCASE: privet.WordStaircase(alphabet, **options),
        RESPONSE: response,
    }
    if world.words is None:
        return {
            title: Errors(mechanism.expected_errors(world.length)).cell()
            for title, mechanism in {**_on_all_words(world.language, options), **everywhere}.items()
        }
    published: Any = privet.WordExponential(world.language, **options, calibration="paper")
    cells = {
        EXPONENTIAL: by_law(world, published).cell(),
        PERMUTE_AND_FLIP: by_law(
            world, privet.WordPermuteAndFlip(world.language, **options)
        ).cell(),
        **_certified(world, published, options, seconds),
    }
    for title, mechanism in everywhere.items():
        cells[title] = Errors(mechanism.expected_errors(world.length)).cell()
    return {**cells, **{title: errors.cell() for title, errors in decoded(world, response).items()}}


def _on_all_words(
    language: privet.Language, options: dict[str, Any]
) -> dict[str, HammingMechanism]:
    exponential, flip = privet.WordExponential, privet.WordPermuteAndFlip
    return {
        EXPONENTIAL: exponential(language, **options, calibration="paper"),
        PERMUTE_AND_FLIP: flip(language, **options, calibration="paper"),
        EXACT: exponential(language, **options, calibration="exact"),
        PERMUTE_AND_FLIP_EXACT: flip(language, **options, calibration="exact"),
    }


def _certified(
    world: World, published: Any, options: dict[str, Any], seconds: float
) -> dict[str, str]:
    """The exponential mechanism at the largest rate that was certified, and what is known of it."""
    mechanism: Any = privet.WordExponential(
        world.language, **options, calibration="exact", longest=world.length, seconds=seconds
    )
    gain = mechanism.rate(world.length) / published.rate(world.length)
    spent = f"{math.ceil(mechanism.spent(world.length) * 1000) / 1000:.3f}"
    if gain < _SAME_RATE:
        return {CERTIFIED: f"{by_law(world, published).cell()} {NOT_FOUND}", RATE: "-", SPENT: "-"}
    return {CERTIFIED: by_law(world, mechanism).cell(), RATE: f"{gain:.3f}", SPENT: spent}


def by_law(world: World, mechanism: HammingMechanism) -> Errors:
    """Expected errors by the law of the mechanism for each word."""
    assert world.words is not None
    expected = np.array([mechanism.expected_errors(word) for word in world.words.to_lists()])
    spread = 0.0 if world.fixed else float(expected.std(ddof=1)) / math.sqrt(expected.size)
    return Errors(float(expected.mean()), spread)


def decoded(world: World, response: privet.RandomizedResponse) -> dict[str, Errors]:
    """Randomised response decoded with the public chain, by releases; nothing without a chain."""
    if world.chain is None or world.fresh is None:
        return {}
    wrong: dict[str, list[float]] = {VITERBI: [], MARGINALS: []}
    for _ in range(world.releases):
        words = world.fresh()
        released = response.release(words)
        guesses = {
            VITERBI: privet.decode.viterbi(released, response, world.chain),
            MARGINALS: privet.decode.posterior(released, response, world.chain).most_likely(),
        }
        for title, guess in guesses.items():
            wrong[title].append(float((guess.codes != words.codes).sum()) / len(words))
    return {
        title: Errors(float(np.mean(each)), float(np.std(each, ddof=1)) / math.sqrt(len(each)))
        for title, each in wrong.items()
    }


def section(
    world: World,
    epsilons: Sequence[int] = EPSILONS,
    adjacencies: Sequence[int] = ADJACENCIES,
    seconds: float = SECONDS,
) -> str:
    """The text and a table for each adjacency: a mechanism a row, epsilon in the columns."""
    text = world.text
    if world.words is not None:
        text += f" Each certified rate was looked for in up to {seconds:.0f} seconds."
    parts = [textwrap.fill(text, 100, break_on_hyphens=False)]
    for adjacency in adjacencies:
        columns = []
        for epsilon in epsilons:
            begun = time.monotonic()
            columns.append(column(world, epsilon, adjacency, seconds))
            took = time.monotonic() - begun
            print(f"b = {adjacency}, epsilon {epsilon}: {took:.0f} s", file=sys.stderr, flush=True)
        header = ("mechanism", *(f"epsilon {epsilon}" for epsilon in epsilons))
        rows = [
            (_starred(title, world), *(cells[title] for cells in columns)) for title in columns[0]
        ]
        places = "one symbol" if adjacency == 1 else f"{adjacency} symbols"
        parts.append(f"Protected: any {places} of a word.\n\n{table(header, rows).rstrip()}")
    return "\n\n".join(parts)


def _starred(title: str, world: World) -> str:
    """With a star where the language forbids words and the mechanism does not keep to it."""
    return f"{title} *" if title in MAY_BE_IMPOSSIBLE and not world.language.is_all else title


def _digits(value: float, digits: int) -> str:
    """So many significant digits, without an exponent."""
    if not value:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"


def main(arguments: Sequence[str]) -> int:
    """Compute, print, and write the tables if that was asked."""
    parser = argparse.ArgumentParser(description="Wrong symbols of mechanisms on words.")
    parser.add_argument("--write", action="store_true", help=f"write into docs/{PAGE.name}")
    parser.add_argument("--only", action="append", choices=[*WORLDS], help="these words only")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="to look for each rate")
    options = parser.parse_args(arguments)
    for name in options.only or WORLDS:
        title, make = WORLDS[name]
        with using_source(ReplaySource(2026)):
            content = section(make(), EPSILONS, ADJACENCIES, options.seconds)
        show(name, title, content, options.write)
    return 0


def show(name: str, title: str, content: str, write: bool) -> None:
    """Print a table, and put it into the page if that was asked."""
    print(f"## {title}\n\n{content}\n", flush=True)
    if write:
        # Read as late as this: another process may have written its tables meanwhile.
        page = put(PAGE.read_text(encoding="utf-8"), name, content)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
