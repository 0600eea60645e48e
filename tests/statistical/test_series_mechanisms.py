"""The noise of answers about series: its law, its independence, and another library's sampler.

False alarm rate alpha = 1e-9 a test; the bits are replayed, so a run says the same everywhere.
`tests/golden/opendp_noise.json` holds draws that OpenDP made once (`make_laplace` on integers, the
same discrete Laplace law); where OpenDP is installed it draws again.
"""

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from privet import MarkovChain
from privet.mechanisms import MarkovLaplace, MarkovQuilt, SeriesMechanism
from privet.privacy import MarkovFramework
from privet.randomness import discrete_laplace, using_source
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
STATES = 40
SAMPLES = json.loads(
    (Path(__file__).parents[1] / "golden" / "opendp_noise.json").read_text(encoding="utf-8")
)["samples"]


def noise_law(values: npt.NDArray[np.int64], scale: float) -> npt.NDArray[np.float64]:
    """P of each of the values, and of all others last."""
    q = math.exp(-1 / scale)
    inner = (1 - q) / (1 + q) * q ** np.abs(values)
    return np.append(inner, max(0.0, 1 - inner.sum()))


def counted(drawn: Counter[int], values: npt.NDArray[np.int64]) -> list[int]:
    inside = [drawn[int(value)] for value in values]
    return [*inside, drawn.total() - sum(inside)]


def mechanisms() -> list[SeriesMechanism]:
    even = [Fraction(1, STATES)] * STATES
    framework = MarkovFramework(MarkovChain(even, [even] * STATES))
    return [
        MarkovLaplace(framework, epsilon=1),
        MarkovLaplace(framework, epsilon="2/7", method="group"),
        MarkovQuilt(framework, epsilon="1/2"),
    ]


@pytest.mark.parametrize("mechanism", mechanisms(), ids=lambda m: f"{m.name}-{m.epsilon}")
def test_the_noise_of_an_answer_has_the_stated_scale(mechanism: SeriesMechanism) -> None:
    # 2500 histograms of 40 counts. Wrong twin: 5% less noise.
    word = [0, 1, 2, 2, 3]
    true = np.array([1, 1, 2, 1] + [0] * (STATES - 4))
    with using_source(ReplaySource(1)):
        noise = np.array([mechanism.release("histogram", word) for _ in range(2_500)]) - true
    scale = float(mechanism.noise_scale("histogram", len(word)))
    reach = 12 * int(scale)
    values = np.arange(-reach, reach + 1)
    counts = counted(Counter(noise.ravel().tolist()), values)
    assert not chi_square_agrees(counts, noise_law(values, scale), ALPHA).rejected
    assert chi_square_agrees(counts, noise_law(values, scale * 0.95), ALPHA).rejected
    # Mean of |noise|: within five standard errors of the prediction.
    size, expected = noise.size, mechanism.expected_error("histogram", len(word))
    assert abs(np.abs(noise).mean() - expected) < 5 * scale / math.sqrt(size)


def test_the_noises_of_two_numbers_are_independent() -> None:
    # 50 000 pairs of neighbouring counts, each noise by its sign. Wrong twin: 5% are copies.
    mechanism = mechanisms()[0]
    with using_source(ReplaySource(2)):
        noise = np.array([mechanism.release("histogram", [0]) for _ in range(2_500)])
    noise[:, 0] -= 1
    signs = np.sign(noise.reshape(-1, 2)) + 1
    counts = np.bincount(signs[:, 0] * 3 + signs[:, 1], minlength=9)
    q = math.exp(-1 / float(mechanism.noise_scale("histogram", 1)))
    zero = (1 - q) / (1 + q)
    single = np.array([(1 - zero) / 2, zero, (1 - zero) / 2])
    law = np.outer(single, single).ravel()
    assert not chi_square_agrees(counts, law, ALPHA).rejected
    copied = 0.95 * law + 0.05 * np.diag(single).ravel()
    assert chi_square_agrees(counts, copied, ALPHA).rejected


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"scale {sample['scale']}")
def test_opendp_draws_from_the_same_law(sample: dict[str, Any]) -> None:
    drawn = Counter({int(value): count for value, count in sample["counts"].items()})
    assert drawn.total() == sample["draws"]
    check_agreement(drawn, Fraction(sample["scale"]))


def test_opendp_draws_from_the_same_law_today() -> None:
    dp = pytest.importorskip("opendp.prelude", reason="OpenDP is in an environment of its own")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    check_agreement(Counter(dp.m.make_laplace(*space, scale=7.5)([0] * 200_000)), Fraction(15, 2))


def check_agreement(theirs: Counter[int], scale: Fraction) -> None:
    """As many draws of ours as of theirs, 100 000 or more; the wrong twin's scale is 5% larger.

    Cells are runs of values about a fifth of the scale long.
    """
    ours, wider = (
        Counter(discrete_laplace(ReplaySource(3), b, theirs.total()).tolist())
        for b in (scale, scale * 21 / 20)
    )
    width = max(1, int(scale / 5))
    values = np.arange(-60 * width, 60 * width)

    def cells(numbers: Any) -> npt.NDArray[Any]:
        inside = np.reshape(numbers[:-1], (-1, width)).sum(axis=1)
        return np.append(inside, numbers[-1])

    counts = [cells(counted(drawn, values)) for drawn in (ours, theirs, wider)]
    right, wrong = (cells(noise_law(values, float(b))) for b in (scale, scale * 21 / 20))
    for drawn in counts[:2]:
        assert not chi_square_agrees(drawn, right, ALPHA).rejected
        assert chi_square_agrees(drawn, wrong, ALPHA).rejected
    assert not tells_apart(counts[0], counts[1])
    assert tells_apart(counts[2], counts[1])


def tells_apart(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether two samples of one size are rejected as draws from the same law.

    Given how many draws of both lie in a cell, each is of either sample with probability 1/2.
    """
    from scipy.stats import chi2

    full = one + other >= 100
    a, b = one[full], other[full]
    statistic = ((a - b) ** 2 / (a + b)).sum()
    return bool(chi2.sf(statistic, int(full.sum())) < ALPHA)
