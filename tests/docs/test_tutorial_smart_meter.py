"""The figures that docs/tutorial/smart-meter.md quotes are those that the program finds."""

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from pages import ROOT
from privet import (
    ChainBox,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RecordLoss,
    Words,
    datasets,
    queries,
)

FOLDER = ROOT / "docs" / "tutorial"
PAGE = (FOLDER / "smart-meter.md").read_text(encoding="utf-8")
BOX = json.loads(PAGE.split("cat > box.json <<'END'\n")[1].split("END\n")[0])
PEAK = queries.count("peak")


def words(who: str) -> Words:
    """The meters whose names begin so, in the two states of the page."""
    names = datasets.meters().table["meter"].to_pylist()[::224]
    lists = [
        ["peak" if level == "peak" else "below" for level in word]
        for name, word in zip(names, datasets.meters().words().to_lists(), strict=True)
        if str(name).startswith(who)
    ]
    return Words.from_lists(MarkovChain.from_json(_chain()).alphabet, lists)


def _chain() -> dict[str, object]:
    half = ["1/2", "1/2"]
    return {
        "kind": "markov-chain",
        "states": BOX["states"],
        "initial": half,
        "transition": [half, half],
    }


def noise_scale(framework: MarkovFramework) -> float:
    return float(MarkovLaplace(framework, epsilon=1).scale(224))


def shares(trial: Words) -> list[tuple[Fraction, Fraction]]:
    """By hour of the day: how often peak follows `below`, and `peak`."""
    found = []
    for hour in range(8):
        pairs = [p for word in trial for p in list(itertools.pairwise(word))[hour::8]]
        after = [[b for a, b in pairs if a == state] for state in BOX["states"]]
        below, peak = (Fraction(each.count("peak"), len(each)) for each in after)
        found.append((below, peak))
    return found


def test_the_box_holds_every_hour_of_the_trial_and_the_text_says_its_edges() -> None:
    found = shares(words("trial"))
    for row in range(2):
        each = [share[row] for share in found]
        assert Fraction(BOX["lower"][row][1]) <= min(each)
        assert max(each) <= Fraction(BOX["upper"][row][1])
        assert Fraction(BOX["lower"][row][0]) <= 1 - max(each)
        assert 1 - min(each) <= Fraction(BOX["upper"][row][0])
    assert min(below for below, _ in found) == Fraction(1, 321)
    assert f"{float(max(below for below, _ in found)):.2f}" == "0.38"
    assert [f"{float(end([peak for _, peak in found])):.1f}" for end in (min, max)] == [
        "0.1",
        "0.9",
    ]


def test_what_each_assumption_costs() -> None:
    trial = words("trial")
    scales = [
        noise_scale(MarkovFramework(MarkovChain.fit(trial))),
        noise_scale(MarkovFramework(ChainBox.from_words(trial, confidence="0.99"))),
        noise_scale(MarkovFramework(ChainBox.from_json(BOX))),
    ]
    assert [round(scale, 1) for scale in scales] == [2.0, 3.2, 53.3]  # scales; 2.0 errs by 1.9
    margin = ChainBox(
        [["0.6", "0.001"], ["0.05", "0.05"]],
        [["0.999", "0.4"], ["0.95", "0.95"]],
        BOX["states"],
    )
    assert round(noise_scale(MarkovFramework(margin))) == 110
    rows = dict(re.findall(r"^\| (.*?) \| ([\d.]+) \|$", PAGE, flags=re.MULTILINE))
    assert list(rows.values()) == ["1.9", "3.2", "53", "110", "224"]


def test_what_the_releases_cost_together() -> None:
    framework = MarkovFramework(ChainBox.from_json(BOX))

    def loss(epsilon: str, nodes: tuple[int, int] | None = None) -> RecordLoss:
        return MarkovLaplace(framework, epsilon=epsilon).record_loss(224, PEAK, nodes)

    halves = loss("1", (0, 112)) + loss("1", (112, 224))
    everybody = halves + loss("1")
    with_home_3 = everybody + loss("0.4")
    assert "1 spent before, 1.1225 with this release" in PAGE
    assert float(framework.epsilon(halves)) == pytest.approx(1.1225, abs=1e-4)
    for total, text in ((with_home_3, "e^2.42, about 11.2"), (everybody, "e^2.07,\n  about 7.9")):
        assert text in PAGE
        power, factor = (float(x) for x in re.findall(r"[\d.]+\d", text))
        assert 0 <= power - float(framework.epsilon(total)) < 0.01
        assert round(math.exp(float(framework.epsilon(total))), 1) == factor


def test_the_truth_and_the_links() -> None:
    homes = words("home")
    assert sum(word.count("peak") for word in homes) == 313
    assert "The true count is 313." in PAGE
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    assert [t for t in targets if not Path(FOLDER / t).exists()] == []
