"""Which mechanism leaves the fewest wrong symbols where not every word can happen.

    make tables                  print the page
    make tables ARGS=--write     the same, and rewrite docs/feasible-words.md

Contract. All mechanisms are compared at the same guarantee. Expected errors come from the laws of
the mechanisms where there is one, from replayed releases otherwise (the page is the same at every
run). Every release of a mechanism that promises words of the language is checked to keep it, and
its errors to be what its law expects. What decoding may know is fitted to words that are not the
ones released.
"""

import argparse
import math
import sys
import tempfile
import textwrap
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from measure import rooms
from numpy.typing import NDArray
from report import table

import privet
from privet.data import expand_columns, read_table, words_from_wide
from privet.estimate.transitions import transitions
from privet.randomness import using_source
from privet.testing import ReplaySource

PAGE = Path(__file__).resolve().parent.parent / "docs" / "feasible-words.md"
EPSILONS = (1, 2, 3, 5)
ADJACENCIES = (1, 2)
RELEASES = 20
GRID_RELEASES = 10
"""Fewer, as each is of fresh words, and learning a chain of 16 states takes its time."""
GRID_WORDS = 400
_GRID_LENGTH = 30
_FAR = 5.0
"""Standard errors that a right mechanism strays from its law once in two million settings."""

Draw = Callable[[], privet.Words]


@dataclass(frozen=True)
class Data:
    """Words to be protected, and what is public about them.

    `draw`: the words to release (fixed, or fresh ones of a chain); `chain`: what decoding knows;
    `releases`: how many are made to see what decoding does.
    """

    title: str
    text: str
    draw: Draw
    chain: privet.MarkovChain
    chain_is: str
    language: privet.Language
    releases: int


@dataclass(frozen=True)
class Share:
    """A share of wrong symbols: `error` is its standard error, None where it is exact."""

    mean: float
    error: float | None = None

    def cell(self) -> str:
        """For a table."""
        return f"{self.mean:.4f}" + ("" if self.error is None else f" ± {self.error:.4f}")


@dataclass(frozen=True)
class Found:
    """A mechanism at one setting; `possible`: the share of released words that can happen."""

    wrong: Share
    possible: float


EXPONENTIAL = "exponential (published)"
PERMUTE_AND_FLIP = "permute-and-flip (published)"
RESPONSE = "randomised response"
STAIRCASE = "staircase on all words"
VITERBI = "randomised response + Viterbi, public chain"
MARGINALS = "randomised response + posterior marginals, public chain"
LEARNT_VITERBI = "randomised response + Viterbi, learnt chain"
LEARNT_MARGINALS = "randomised response + posterior marginals, learnt chain"

PUBLISHED = {EXPONENTIAL: privet.WordExponential, PERMUTE_AND_FLIP: privet.WordPermuteAndFlip}
DECODED = (VITERBI, MARGINALS, LEARNT_VITERBI, LEARNT_MARGINALS)


def mvad() -> Data:
    """712 young people, 72 months each, read from the wheel that `make setup` keeps as data."""
    wheels = sorted(Path(sys.prefix, "inputs").glob("sequenzo-*.whl"))
    if not wheels:
        raise SystemExit("The life courses are not there: run 'make setup'.")
    alphabet = privet.Alphabet(["employment", "FE", "HE", "joblessness", "school", "training"])
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheels[-1]) as wheel:
        path = Path(folder, "mvad.csv")
        path.write_bytes(wheel.read("sequenzo/datasets/mvad.csv"))
        read = read_table(path)
    words = words_from_wide(read, alphabet, expand_columns(read.column_names, ["*.9?"])).words
    about = (
        "The state of 712 young people in 72 months from school to work: 6 states. These are the "
        "mvad sequences of [mcvicar-anyadike-danes-2002]; they do not come with Privet, `make "
        "setup` downloads them in the sequenzo package"
    )
    return _halved("From school to work (mvad)", about, "people", words)


def income() -> Data:
    """The income quintiles of 48 US states in 81 years."""
    words = privet.datasets.income().words()
    about = "The income quintile of 48 US states in 81 years: 5 states"
    return _halved("Income of US states", about, "US states", words)


def _halved(title: str, about: str, whose: str, words: privet.Words) -> Data:
    """Every second word is public, from the first on; the others are to be protected."""
    lists = words.to_lists()
    public = privet.Words.from_lists(words.alphabet, lists[::2])
    protected = privet.Words.from_lists(words.alphabet, lists[1::2])
    chain = privet.MarkovChain.fit(public)
    seen = chain.support()
    language = privet.Language.from_allowed(words.alphabet, seen)
    outside = int((language.first_impossible_each(protected) >= 0).sum())
    length = int(protected.lengths[0])
    return Data(
        title,
        f"{about}. Every second of the {len(lists)} words is taken as public: the chain is fitted "
        f"to those {len(public)}, and the language is made of the {int(seen.sum())} of "
        f"{seen.size} kinds of steps that they show, from any start: 1 of "
        f"{_scientific(seen.shape[0] ** length, language.count(length))} words of {length} "
        f"symbols belongs to it. The other {len(protected)} words are released; {outside} of them "
        f'{"is" if outside == 1 else "are"} outside the language (`outside="allow"`), and no '
        "mechanism that keeps to the language can ever give such a word back.",
        lambda: protected,
        chain,
        f"fitted to the public {whose}",
        language,
        RELEASES,
    )


def _scientific(all_words: int, possible: int) -> str:
    """How many times as many words there are, to two digits."""
    ratio = Fraction(all_words, possible)
    digits = math.floor(math.log10(ratio.numerator) - math.log10(ratio.denominator))
    if digits < 4:
        return f"{float(ratio):,.1f}"
    return f"{float(ratio / 10**digits):.1f}x10^{digits}"


def grid_world() -> Data:
    """Walks through 4 x 4 rooms: the words come from the very chain that decoding knows."""
    chain = privet.MarkovChain(np.full(16, 1 / 16), rooms(4))
    language = privet.Language.from_chain(chain)
    ratio = _scientific(16**_GRID_LENGTH, language.count(_GRID_LENGTH))
    return Data(
        "Grid world",
        f"Walks of {_GRID_LENGTH} symbols through 4 x 4 rooms: stay with probability 0.8, else go "
        f"next door; 1 of {ratio} words is a walk. Each release is of {GRID_WORDS} fresh words of "
        "that chain, which decoding knows: the best case for decoding, since the model is true. "
        "The language is the support of the chain.",
        lambda: chain.sample_words(GRID_WORDS, _GRID_LENGTH),
        chain,
        "the one that made the words",
        language,
        GRID_RELEASES,
    )


def measure(data: Data, epsilon: int, adjacency: int) -> dict[str, Found]:
    """Every mechanism at one guarantee."""
    found, words = {}, data.draw()
    for title, kind in PUBLISHED.items():
        mechanism = kind(
            data.language,
            epsilon=epsilon,
            adjacency=adjacency,
            calibration="paper",
            outside="allow",
        )
        found[title] = _published(data, words, mechanism)
    staircase = privet.WordStaircase(data.language.alphabet, epsilon=epsilon, adjacency=adjacency)
    found[STAIRCASE] = _on_all_words(data, staircase)
    share = Fraction(epsilon, adjacency)
    response = privet.RandomizedResponse(data.language.alphabet, epsilon=share)
    found[RESPONSE] = _on_all_words(data, response)
    return found | _decoded(data, response)


def _published(data: Data, words: privet.Words, mechanism: Any) -> Found:
    """By its law for each word; one release shows that law and language are kept."""
    expected, variance = [], 0.0
    for word in words.to_lists():
        law = mechanism.distance_distribution(word)
        levels = np.arange(law.size)
        expected.append(float(law @ levels))
        variance += float(law @ levels**2) - expected[-1] ** 2
    released = mechanism.release(words)
    off = _wrong(released, words) * words.codes.size - sum(expected)
    if abs(off) > _FAR * math.sqrt(variance) + 1e-9 or _possible(data, released) < 1:
        raise ValueError(f"a release of {mechanism!r} is not what its law says")
    shares = np.array(expected) / words.lengths
    fixed = data.draw() is data.draw()
    return Found(Share(float(shares.mean()), None if fixed else _standard_error(shares)), 1.0)


def _on_all_words(data: Data, mechanism: Any) -> Found:
    """By its law, which depends on the length alone; possible by one release."""
    words = data.draw()
    length = int(words.lengths[0])
    wrong = mechanism.expected_errors(length) / length
    return Found(Share(wrong), _possible(data, mechanism.release(words)))


def _decoded(data: Data, response: privet.RandomizedResponse) -> dict[str, Found]:
    """By releases: the public chain, and the one learnt from the release on the public support."""
    wrong: dict[str, list[float]] = {title: [] for title in DECODED}
    possible: dict[str, list[float]] = {title: [] for title in DECODED}
    support = data.chain.support()
    for _ in range(data.releases):
        words = data.draw()
        released = response.release(words)
        learnt = transitions(released, response, support=support, restarts=1, iterations=300)
        for chain, (path, symbols) in (
            (data.chain, (VITERBI, MARGINALS)),
            (learnt.chain, (LEARNT_VITERBI, LEARNT_MARGINALS)),
        ):
            guesses = {
                path: privet.decode.viterbi(released, response, chain),
                symbols: privet.decode.posterior(released, response, chain).most_likely(),
            }
            for title, guess in guesses.items():
                wrong[title].append(_wrong(guess, words))
                possible[title].append(_possible(data, guess))
    return {
        title: Found(
            Share(float(np.mean(shares)), _standard_error(np.array(shares))),
            float(np.mean(possible[title])),
        )
        for title, shares in wrong.items()
    }


def _wrong(guess: privet.Words, truth: privet.Words) -> float:
    return float(np.mean(guess.codes != truth.codes))


def _possible(data: Data, words: privet.Words) -> float:
    return float(np.mean(data.language.first_impossible_each(words) < 0))


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / math.sqrt(values.size)


def without_a_release(data: Data) -> float:
    """Wrong symbols of the best guess that only the public chain makes, the same for all words."""
    words = data.draw()
    length, law = int(words.lengths[0]), data.chain.initial
    guess = []
    for _ in range(length):
        guess.append(int(law.argmax()))
        law = law @ data.chain.transition
    return float(np.mean(words.codes.reshape(-1, length) != np.array(guess)))


Results = dict[tuple[int, int], dict[str, Found]]
"""By adjacency and epsilon."""


def tables(results: Results) -> str:
    """One table for each adjacency: a mechanism a row, epsilon in the columns."""
    parts = []
    for adjacency in ADJACENCIES:
        header = ("mechanism", *(f"epsilon {each}" for each in EPSILONS), "words that can happen")
        rows = []
        for title in results[adjacency, EPSILONS[0]]:
            founds = [results[adjacency, epsilon][title] for epsilon in EPSILONS]
            cells = [found.wrong.cell() for found in founds]
            rows.append((title, *cells, _range([found.possible for found in founds])))
        places = "one symbol" if adjacency == 1 else f"{adjacency} symbols"
        parts.append(f"Protected: any {places} of a word.\n\n{table(header, rows)}")
    return "\n".join(parts)


def _range(shares: list[float]) -> str:
    low, high = min(shares), max(shares)
    if low == 1:
        return "all"
    if f"{low:.1%}" == f"{high:.1%}":
        return f"{low:.1%}"
    return f"{low:.1%} to {high:.1%}"


def _best(founds: dict[str, Found], titles: Any) -> Share:
    return min((founds[title].wrong for title in titles), key=lambda share: share.mean)


def _beats(founds: dict[str, Found], titles: Any, others: Any) -> bool:
    """Whether the best of `titles` is surely better than the best of `others`."""
    ours, theirs = _best(founds, titles), _best(founds, others)
    return ours.mean + _FAR * math.hypot(ours.error or 0, theirs.error or 0) < theirs.mean


def finding(results: Results, alone: float) -> str:
    """What the tables of one data set say, read off them."""
    settings = list(results.values())
    sentences = []
    for what, titles in (
        ("Randomised response alone", (RESPONSE,)),
        ("Randomised response + Viterbi with the public chain", (VITERBI,)),
        ("Randomised response + posterior marginals with the public chain", (MARGINALS,)),
        ("Randomised response + Viterbi with the chain learnt from the release", (LEARNT_VITERBI,)),
    ):
        beaten = sum(_beats(founds, titles, PUBLISHED) for founds in settings)
        worse = sum(_beats(founds, PUBLISHED, titles) for founds in settings)
        ratios = [_best(founds, titles).mean / _best(founds, PUBLISHED).mean for founds in settings]
        sentences.append(
            f"- {what} has fewer wrong symbols than the better published mechanism in {beaten} of "
            f"{len(settings)} settings and more in {worse}, by over {_FAR:.0f} standard errors: "
            f"{min(ratios):.2f} to {max(ratios):.2f} times as many."
        )
    sentences.append(_at_twice_the_rate(results))
    better = sum(founds[MARGINALS].wrong.mean < alone for founds in settings)
    sentences.append(
        f"- The public chain alone, with no release at all, has a share of {alone:.4f} wrong: "
        f"posterior marginals are better than that in {better} of {len(settings)} settings, the "
        "better published mechanism in "
        f"{sum(_best(founds, PUBLISHED).mean < alone for founds in settings)}."
    )
    return "\n".join(
        textwrap.fill(line, 100, subsequent_indent="  ", break_on_hyphens=False)
        for line in sentences
    )


def _at_twice(results: Results) -> list[float]:
    """For each epsilon, wrong symbols by Viterbi over those of the published at twice the rate."""
    return [
        results[2, epsilon][VITERBI].wrong.mean / _best(results[1, epsilon], PUBLISHED).mean
        for epsilon in EPSILONS
    ]


def _at_twice_the_rate(results: Results) -> str:
    """The published rate for 1 symbol is twice that for 2: what calibration could give at most."""
    ratios = _at_twice(results)
    return (
        "- If the published mechanisms could run at twice their rate (their rows for one symbol, "
        "read as figures for 2), Viterbi with the public chain would still have fewer wrong "
        f"symbols in {sum(ratio < 1 for ratio in ratios)} of {len(ratios)} settings: "
        f"{min(ratios):.2f} to {max(ratios):.2f} times as many."
    )


INTRODUCTION = """\
# Words that stay feasible: which mechanism leaves the fewest wrong symbols

Written by `make tables ARGS=--write`; without `ARGS` the page is only printed. Figures are shares
of symbols that differ from the true word, all at the same guarantee: epsilon for words that
differ in up to 1 or 2 symbols.

- The published mechanisms release a word of the language: the exponential mechanism
  [chen-leahy-jones-hale-2023] and permute-and-flip [benvenuti-rao-hale-2026], both at the
  published rate epsilon / (2b).
- Randomised response answers each symbol alone at epsilon / b (on all words this is the
  exponential mechanism at twice the published rate, and as private); the staircase is the best
  known mechanism on all words for b = 2 and the same as randomised response for b = 1. Neither
  keeps to the language.
- Decoding turns a released word into a guess of the true one by a Markov chain. It never sees the
  true words, so the guarantee stays. Viterbi gives the most likely whole word, which the chain
  can produce; posterior marginals give the most likely symbol at each position, with the fewest
  errors, but next to each other they need not be possible. The public chain is one that is known
  beforehand; the learnt one is estimated from the release itself (`privet.estimate.transitions`,
  with the public language as its support), so that decoding then knows no more than the published
  mechanisms do.

A figure without "±" is exact: it follows from the law of the mechanism for the very words, or from
the length. With "±" it is a mean and its standard error: over {releases} independent releases of
all protected words; on the grid world over {grid_releases} releases of {words} fresh words each or,
for the published mechanisms, over the laws of {words} fresh words. The last column says how many
released words are in the language, over the epsilons of the table. Every release of the published
mechanisms was checked to be in the language and to agree with its law.
"""

ENDING = """\
## The finding, and what it rests on

{summary}

- Two things help randomised response: it needs no factor 2 in its rate, since on all words the
  normaliser does not depend on the input, and decoding brings in how likely words are. The
  published mechanisms know only which words are possible. A language that allows most steps, as
  mvad's does, says little; the chain, which says that states last, says much.
- The public chain is fitted to half of the words, taken as public; they are of the same kind as
  the protected half. Where no such words exist, compare with the learnt chain.
- A decoded word is smoother than the true one: rare states and short visits vanish. It has few
  wrong symbols, but counts and transitions should be estimated from the released words
  (`privet.estimate.frequencies`, `transitions`), not counted in decoded ones.
- The rate of the published mechanisms is the published one. On a language they may really spend
  less than epsilon: a rate certified for the language (calibration.md) can be up to twice as high,
  and no higher where two words differ in b places. The lines on twice the rate say what that would
  change at most; calibration-table.md has the certified rates themselves. Where the language is so
  strict that it says more than the noise does, what randomised response gains is that factor; where
  states last and most steps are possible, decoding stays ahead without it.
- Permute-and-flip and the exponential mechanism hardly differ on words this long: so many words lie
  near the true one that whether it is accepted matters little.
- A word outside the language can be released, but no mechanism that keeps to the language, and no
  decoding with the public support, can give it back.
"""


def summary(everything: dict[str, Results]) -> str:
    """The answer in one paragraph, read off all tables."""
    settings = [founds for results in everything.values() for founds in results.values()]
    total = len(settings)

    def tally(title: str) -> str:
        better = sum(_beats(founds, (title,), PUBLISHED) for founds in settings)
        worse = sum(_beats(founds, PUBLISHED, (title,)) for founds in settings)
        return f"fewer wrong symbols in {better} of {total} settings and more in {worse}"

    turned = [title for title, results in everything.items() if max(_at_twice(results)) >= 1]
    text = (
        "At the same guarantee and beside the better of the published mechanisms at their "
        f"published rate, randomised response decoded by Viterbi has {tally(VITERBI)} with the "
        f"public chain, {tally(LEARNT_VITERBI)} with the chain learnt from the release, and its "
        f"words can happen as well. Undecoded, it has {tally(RESPONSE)}, but few of its words can "
        "happen where the language is strict or epsilon small. So yes, decoding beats the "
        "published mechanisms as published. Beside the same mechanisms at twice their rate it "
        + (f"would not, or not always, on: {', '.join(turned)}." if turned else "would as well.")
    )
    return textwrap.fill(text, 100, break_on_hyphens=False)


def main(arguments: list[str]) -> int:
    """Measure, print, and write the page if that was asked."""
    parser = argparse.ArgumentParser(description="Errors of mechanisms on words that can happen.")
    parser.add_argument("--write", action="store_true", help="rewrite docs/feasible-words.md")
    options = parser.parse_args(arguments)
    parts = [INTRODUCTION.format(releases=RELEASES, grid_releases=GRID_RELEASES, words=GRID_WORDS)]
    everything: dict[str, Results] = {}
    with using_source(ReplaySource(2026)):
        for data in (mvad(), income(), grid_world()):
            results = {(b, e): measure(data, e, b) for b in ADJACENCIES for e in EPSILONS}
            everything[data.title] = results
            text = textwrap.fill(f"{data.text} The public chain is {data.chain_is}.", 100)
            found = finding(results, without_a_release(data))
            parts.append(f"## {data.title}\n\n{text}\n\n{tables(results)}\n{found}\n")
            print(parts[-1], flush=True)
    parts.append(ENDING.format(summary=summary(everything)))
    print(parts[-1])
    if options.write:
        PAGE.write_text("\n".join(parts), encoding="utf-8")
        print(f"wrote {PAGE.relative_to(PAGE.parent.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
