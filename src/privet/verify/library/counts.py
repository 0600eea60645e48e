"""Noisy counts of people, and what is believed about who is counted.

Contract. The count of ill people among n is released once, with two-sided geometric noise
P(z) = (1 - r) / (1 + r) r^|z|, either truncated to 0..n (what falls outside goes to the end)
[ghosh-roughgarden-sundararajan-2012] or taken modulo n + 1. Between counts that differ by one the
truncated mechanism has the ratio 1/r exactly. Whether one person's illness is hidden as well
depends on the prior [kifer-machanavajjhala-2014]: a `CountPrior` is the law of the count given that
this person is ill, and given that the person is well. A person who is surely ill or surely well
leaves nothing to hide and is refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from privet.chains import HiddenMarkovModel
from privet.errors import ModelError, ParameterError
from privet.exact.number import Number
from privet.verify.library.models import (
    FiniteModel,
    Law,
    SecretModel,
    read_chance,
    read_ratio,
    read_size,
)


@dataclass(frozen=True)
class CountPrior:
    """(n+1,) each: the law of the count 0..n given that the person is ill, or is well."""

    ill: Law
    well: Law


def truncated_geometric(largest: int, *, ratio: Number = Fraction(1, 2)) -> FiniteModel:
    """Counts 0..`largest` with geometric noise, clamped to 0..`largest`; neighbours differ by 1."""
    size, r = read_size(largest, "largest"), read_ratio(ratio)
    inside, end = (1 - r) / (1 + r), 1 / (1 + r)

    def share(true: int, noisy: int) -> Fraction:
        return (end if noisy in (0, size) else inside) * r ** abs(noisy - true)

    return _on_counts(size, [[share(i, k) for k in range(size + 1)] for i in range(size + 1)])


def modular_geometric(largest: int, *, ratio: Number = Fraction(1, 2)) -> FiniteModel:
    """Counts 0..`largest` with geometric noise modulo `largest` + 1; neighbours differ by 1.

    P(d) = (1 - r) (r^d + r^(M-d)) / ((1 + r) (1 - r^M)) for the difference d modulo M: the sum of
    the geometric law over d + M z, z any integer.
    """
    size, r = read_size(largest, "largest"), read_ratio(ratio)
    whole = size + 1
    factor = (1 - r) / ((1 + r) * (1 - r**whole))
    law = [factor * (r**d + r ** (whole - d)) for d in range(whole)]
    return _on_counts(size, [[law[(k - i) % whole] for k in range(whole)] for i in range(whole)])


def independent(chances: Iterable[Number]) -> CountPrior:
    """People fall ill independently, person i with chances[i]; person 0 is the secret.

    Errors: ParameterError; ModelError if person 0 is surely ill or surely well.
    """
    shares = [read_chance(chance, f"chances[{i}]") for i, chance in enumerate(chances)]
    if not shares:
        raise ParameterError("chances is empty: nobody is counted.", parameter="chances")
    if not 0 < shares[0] < 1:
        raise _surely()
    others = [Fraction(1)]
    for share in shares[1:]:
        others = [
            (1 - share) * stay + share * come
            for stay, come in zip([*others, Fraction(0)], [Fraction(0), *others], strict=True)
        ]
    return CountPrior((Fraction(0), *others), (*others, Fraction(0)))


def binomial(people: int, chance: Number) -> CountPrior:
    """`people` fall ill independently, each with `chance`."""
    return independent([chance] * read_size(people, "people"))


def contagious(people: int, chance: Number) -> CountPrior:
    """Either everyone is ill, with `chance`, or nobody is."""
    size, share = read_size(people, "people"), read_chance(chance, "chance")
    return exchangeable([1 - share, *[Fraction(0)] * (size - 1), share])


def exchangeable(shares: Iterable[Number]) -> CountPrior:
    """shares[m] = P(m of the n people are ill), any m of them being equally likely.

    The free prior: an exchangeable law is given by these n + 1 numbers. Errors: ParameterError for
    shares that are no law; ModelError if the person is surely ill or surely well.
    """
    law = [read_chance(share, f"shares[{m}]") for m, share in enumerate(shares)]
    people = len(law) - 1
    if people < 1 or sum(law) != 1:
        raise ParameterError(
            "shares are no law of the number of ill people.",
            hint="Give one number for each of 0..n ill people, adding up to 1.",
            parameter="shares",
        )
    ill = sum((share * m for m, share in enumerate(law)), Fraction(0)) / people
    if not 0 < ill < 1:
        raise _surely()
    return CountPrior(
        tuple(share * m / (people * ill) for m, share in enumerate(law)),
        tuple(share * (people - m) / (people * (1 - ill)) for m, share in enumerate(law)),
    )


def noisy_count(mechanism: FiniteModel, prior: CountPrior) -> SecretModel:
    """The count as a state that stays, seen once a step through `mechanism`.

    Words of one symbol are one release; longer ones are releases of the same count again. Secrets
    "ill" and "well": of one person. Errors: ModelError if mechanism and prior differ in size.
    """
    size = len(mechanism.inputs)
    if len(prior.ill) != size:
        raise ModelError(
            f"The prior is about counts up to {len(prior.ill) - 1}, and the mechanism takes counts "
            f"up to {size - 1}.",
            hint="Make both for the same number of people.",
        )
    still = [[int(i == j) for j in range(size)] for i in range(size)]
    model = HiddenMarkovModel(
        still, mechanism.rows, states=mechanism.inputs, observations=mechanism.outputs
    )
    return SecretModel(model, {"ill": prior.ill, "well": prior.well}, (("ill", "well"),))


def _on_counts(largest: int, rows: list[list[Fraction]]) -> FiniteModel:
    counts = tuple(range(largest + 1))
    pairs = tuple((i, i + 1) for i in range(largest))
    return FiniteModel(tuple(map(tuple, rows)), counts, counts, pairs)


def _surely() -> ModelError:
    return ModelError(
        "The person is surely ill or surely well: one of the two secrets has probability zero.",
        hint="Give the person a chance strictly between 0 and 1.",
    )
