"""Measurements of noise scales for queries about a series: part of `cases.py`.

Contract. Every repetition makes its chains and its framework anew, within the clock, so that
nothing is found ready. What is imported where it is needed is imported before the clock starts.
"""

from typing import Any

import numpy as np
from double_loop import DoubleLoop, pairs_in_all
from measure import EPSILON, cpu_seconds, emit

import privet

Chain = tuple[np.ndarray, np.ndarray]
"""Law of the first node and steps, before anything is made of them."""

_LENGTH = 10**6
"""Nodes of the series in which the double loop's node lies far from both ends."""

_LOOPS_AGREE = 1e-6
"""The loop counts in doubles; its scale differs from Privet's by less than this share."""


def neighbours(size: int, stay: float) -> np.ndarray:
    """(size, size) steps: stay with that probability, else move, rather to states nearby."""
    state = np.arange(size)
    weights = np.exp(-abs(state[:, None] - state) / 3)
    np.fill_diagonal(weights, 0)
    moves = weights / weights.sum(axis=1, keepdims=True)
    return np.asarray(stay * np.eye(size) + (1 - stay) * moves)


def quilt(stay: str, initial: str, length: str, repeats: str) -> None:
    """The exact quilt scale of one chain of 51 states."""
    _measure([_chain(51, stay)], initial, length, repeats, "quilt")


def quilt_family(count: str, initial: str, length: str, repeats: str) -> None:
    """The exact quilt scale of a family of chains of 4 states."""
    stream = np.random.default_rng(2017)
    family: list[Chain] = []
    for _ in range(int(count)):
        first, steps = stream.uniform(0.1, 1, 4), stream.uniform(0.1, 1, (4, 4))
        family.append((first / first.sum(), steps / steps.sum(axis=1, keepdims=True)))
    _measure(family, initial, length, repeats, "quilt")


def propagation(size: str, stay: str, length: str, repeats: str) -> None:
    """The scale by propagation of one stationary chain, and the quilt scale beside it."""
    _measure([_chain(int(size), stay)], "stationary", length, repeats, "propagation")


def double_loop(stay: str, way: str, most_pairs: str) -> None:
    """The plain search over quilts, whole or its first pairs, and the search's size."""
    steps = neighbours(51, float(stay))
    chain = privet.MarkovChain(*_chain(51, stay))
    framework = privet.MarkovFramework(chain, initial="stationary")
    own = float(framework.quilt_scale(_LENGTH, epsilon=1))
    loops: list[DoubleLoop] = []

    def search() -> None:
        loops.append(DoubleLoop(steps, way == "tabulated"))
        loops[-1].search(EPSILON, int(most_pairs))

    (seconds,), _ = cpu_seconds(search, 1)
    loop, in_all = loops[0], pairs_in_all(EPSILON, own)
    if loop.pairs < int(most_pairs) and abs(loop.scale / own - 1) > _LOOPS_AGREE:
        raise ValueError(f"the double loop finds the scale {loop.scale}, Privet {own}")
    emit(
        scale=own,
        pairs=loop.pairs,
        in_all=in_all,
        whole=seconds * in_all / loop.pairs,
    )


def _chain(size: int, stay: str) -> Chain:
    """Certain to begin in the first state."""
    return np.eye(size)[0], neighbours(size, float(stay))


def _measure(family: list[Chain], initial: Any, length: str, repeats: str, method: str) -> None:
    """Emit the seconds, the scale by that method and the quilt scale."""

    def scale(chains: list[Chain], method: str) -> Any:
        made = [privet.MarkovChain(first, steps) for first, steps in chains]
        framework = privet.MarkovFramework(made, initial=initial)
        if method == "quilt":
            return framework.quilt_scale(int(length), epsilon=1)
        return framework.scale(int(length), epsilon=1, method="propagation")

    scale([(np.array([0.5, 0.5]), np.array([[0.7, 0.3], [0.4, 0.6]]))], method)
    seconds, found = cpu_seconds(lambda: scale(family, method), int(repeats))
    beside = found if method == "quilt" else scale(family, "quilt")
    emit(seconds=seconds, scale=float(found), quilt_scale=float(beside))


SERIES_CASES = {
    "double-loop": double_loop,
    "propagation": propagation,
    "quilt": quilt,
    "quilt-family": quilt_family,
}
