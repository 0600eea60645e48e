"""The error a release was expected to have, beside that of other epsilons and other mechanisms.

Contract. Everything follows from the receipt: the mechanism in it is made again at other epsilons,
and its own formula says what to expect there; what is achievable is the fewest expected errors
among all mechanisms of Privet at the same guarantee. Nothing is simulated: where an error has no
formula (words of a language, decoded words) there is no comparison, and the reason is told.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import PrivetError
from privet.mechanisms import HammingMechanism, SeriesMechanism, Wasserstein
from privet.mechanisms.base import Mechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.queries import read_query
from privet.releasing import Answer, Part, PlanRow, Receipt, plan, plan_query
from privet.symbols import Alphabet

_POWERS = range(-4, 5)
"""Of the square root of 2: epsilons from a quarter to four times that of the release."""

_QUICK_STEPS = 1000
"""Series up to here are compared at every epsilon and with every mechanism."""


@dataclass(frozen=True)
class Comparison:
    """`at`: the epsilon of the release; `predicted`: (epsilon, error) of its mechanism.

    `achievable`: the same of the best mechanism, `best` its name; `error`: what an error is.
    `blind`: the error of guessing without the data; `reason`: why there is nothing to compare.
    """

    at: Fraction
    error: str
    predicted: tuple[tuple[Fraction, float], ...] = ()
    achievable: tuple[tuple[Fraction, float], ...] = ()
    best: str = ""
    blind: float | None = None
    reason: str = ""

    def error_at(self, epsilon: Fraction) -> tuple[float | None, float | None]:
        """(predicted, achievable) there, as far as they are known."""
        return dict(self.predicted).get(epsilon), dict(self.achievable).get(epsilon)


def compare(receipt: Receipt, part: Part) -> Comparison:
    """What the error of a part would be at other epsilons and with other mechanisms."""
    if isinstance(part, Answer):
        return _of_answer(part)
    whole = receipt.kind in ("words", "symbols")
    at = receipt.guarantee.epsilon if whole else part.epsilon
    what = "predicted share of wrong values"
    mechanism = Mechanism.from_json(part.mechanism)
    if not isinstance(mechanism, HammingMechanism):
        return Comparison(at, what, reason="its output is not of the kind of the data")
    if isinstance(mechanism, LanguageMechanism):
        return Comparison(at, what, reason="errors on a language are simulated")
    if "decoded" in receipt.layout:
        return Comparison(at, what, reason="the errors of decoded words are simulated")
    if not part.symbols:
        return Comparison(at, what, reason="nothing was released")
    length = _typical_length(receipt) if whole else 1
    predicted = _curve(at, lambda factor: _share_wrong(part, factor, length))
    covered = int(receipt.layout.get("adjacency") or 1) if whole else 1
    covered = min(covered, length)

    def best(factor: Fraction) -> PlanRow:
        return plan(
            mechanism.alphabet,
            epsilon=at * factor,
            delta=part.delta,
            length=length,
            adjacency=covered,
        ).recommended

    achievable = _curve(at, lambda factor: best(factor).share_wrong)
    title = best(Fraction(1)).title if achievable else ""
    return Comparison(at, what, predicted, achievable, title, _blind(mechanism.alphabet))


def _of_answer(answer: Answer) -> Comparison:
    what = "predicted error of a number"
    mechanism = Mechanism.from_json(answer.mechanism)
    if not isinstance(mechanism, SeriesMechanism):
        raise AssertionError
    if answer.query.get("query") == "own":
        return Comparison(answer.epsilon, what, reason="the query is a function of your own")
    query = read_query(answer.query)
    every = [steps for steps, series in answer.lengths.items() for _ in range(series)]
    quick = max(every) <= _QUICK_STEPS
    powers = (-4, -2, 0, 2, 4) if quick else (-2, 0, 2)

    def error(factor: Fraction) -> float:
        changed = {**answer.mechanism, "epsilon": str(answer.epsilon * factor)}
        other = Mechanism.from_json(changed)
        if not isinstance(other, SeriesMechanism):
            raise AssertionError
        return other.expected_error(query, every, answer.nodes)

    predicted = _curve(answer.epsilon, error, powers)
    if not quick or len(answer.lengths) > 1 or isinstance(mechanism, Wasserstein):
        return Comparison(answer.epsilon, what, predicted)
    best = plan_query(
        mechanism.framework,
        query,
        epsilon=answer.epsilon,
        length=every[0],
        nodes=answer.nodes,
        persons=len(every),
    ).recommended
    own = dict(predicted).get(answer.epsilon, answer.expected_error)
    least = min(own, best.expected_error) if best.expected_error is not None else own
    return Comparison(answer.epsilon, what, predicted, ((answer.epsilon, least),), best.title)


def _curve(
    at: Fraction, error: Callable[[Fraction], float], powers: "range | tuple[int, ...]" = _POWERS
) -> tuple[tuple[Fraction, float], ...]:
    """(epsilon, error) where there is an error: some mechanisms cannot run at a small epsilon."""
    points = []
    for power in powers:
        factor = _factor(power)
        try:
            points.append((at * factor, error(factor)))
        except PrivetError:
            continue
    return tuple(points)


def _factor(power: int) -> Fraction:
    """A power of the square root of 2; between whole powers of 2 a fraction close to it."""
    half = Fraction(1) if power % 2 == 0 else Fraction(7, 5)
    return half * Fraction(2) ** (power // 2)


def _share_wrong(part: Part, factor: Fraction, length: int) -> float:
    other = Mechanism.from_json({**part.mechanism, "epsilon": str(part.epsilon * factor)})
    if not isinstance(other, HammingMechanism):
        raise AssertionError
    return other.expected_errors(length) / length


def _typical_length(receipt: Receipt) -> int:
    """The one length of all words, or the rounded mean of several."""
    symbols, words = receipt.shape.get("symbols", 1), receipt.shape.get("words", 1)
    return max(1, round(symbols / words)) if words else 1


def _blind(alphabet: Alphabet) -> float:
    return (len(alphabet) - 1) / len(alphabet)
