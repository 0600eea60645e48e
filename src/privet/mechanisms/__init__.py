"""Mechanisms: randomised maps from data to a release, each with its law, its cost and its error.

A mechanism is one folder and one export line below; the registry and the conformance suite find it
by that line. The folder holds

    mechanism.py   the class
    reference.py   the same law again, slow and straight from the definition, run by the tests:
                   `law(mechanism, word) -> dict[tuple[int, ...], Fraction]` gives P(output) exactly
                   for every output word, where word and outputs are tuples of codes (mechanisms on
                   words)
    PROOF.md       why the guarantee, `spent`, the record loss and the error bounds hold

Mechanisms on words give back words (`HammingMechanism`); mechanisms on series (`SeriesMechanism`)
answer a query about words whose steps depend on each other.
"""

from privet.mechanisms.base import HammingMechanism, Mechanism
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.markov_laplace import MarkovLaplace
from privet.mechanisms.markov_quilt import MarkovQuilt
from privet.mechanisms.randomized_response import RandomizedResponse
from privet.mechanisms.series import SeriesMechanism
from privet.mechanisms.wasserstein import Wasserstein, WassersteinTable
from privet.mechanisms.word_exponential import WordExponential
from privet.mechanisms.word_permute_and_flip import WordPermuteAndFlip
from privet.mechanisms.word_staircase import WordStaircase

__all__ = [
    "REGISTRY",
    "Exponential",
    "HammingMechanism",
    "MarkovLaplace",
    "MarkovQuilt",
    "Mechanism",
    "RandomizedResponse",
    "SeriesMechanism",
    "Wasserstein",
    "WassersteinTable",
    "WordExponential",
    "WordPermuteAndFlip",
    "WordStaircase",
]

REGISTRY: dict[str, type[Mechanism]] = {
    kind.name: kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Mechanism) and hasattr(kind, "name")
}
"""The mechanisms by the name that receipts give them: every class exported above that has one."""
