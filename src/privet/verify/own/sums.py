"""Sums of c e^r with rational c and r, and their signs.

Contract. Powers of e with distinct rational exponents are linearly independent over the rationals
(Lindemann and Weierstrass, [baker-1975]), so a sum is zero exactly if every coefficient is, once
equal exponents are put together. The sign of any other sum shows in an enclosure that is narrow
enough: `sign` always ends, and is right.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from flint import arb, ctx

from privet.exact.enclosure import ball

_FIRST_BITS = 128


class ExponentialSum:
    """sum of terms[r] e^r; immutable, equal to another with the same terms."""

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        self.terms = {r: c for r, c in terms.items() if c}
        self._hash = hash(frozenset(self.terms.items()))

    @classmethod
    def of(cls, number: Fraction | int) -> "ExponentialSum":
        """A rational number."""
        return cls({Fraction(0): Fraction(number)})

    @classmethod
    def collected(cls, parts: Iterable[tuple[Fraction, Fraction]]) -> "ExponentialSum":
        """The sum of c e^r over the pairs (r, c)."""
        terms: dict[Fraction, Fraction] = {}
        for r, c in parts:
            terms[r] = terms.get(r, Fraction(0)) + c
        return cls(terms)

    def shifted(self, exponent: Fraction) -> "ExponentialSum":
        """The sum times e^exponent."""
        return ExponentialSum({r + exponent: c for r, c in self.terms.items()})

    def minus(self, other: "ExponentialSum") -> "ExponentialSum":
        """The sum less another."""
        return ExponentialSum.collected(
            [*self.terms.items(), *((r, -c) for r, c in other.terms.items())]
        )

    def times(self, other: "ExponentialSum") -> "ExponentialSum":
        """The product with another."""
        return ExponentialSum.collected(
            (r + s, c * d) for r, c in self.terms.items() for s, d in other.terms.items()
        )

    def enclosed(self) -> arb:
        """A ball around the number, at the working precision of the caller."""
        return sum((ball(c) * ball(r).exp() for r, c in self.terms.items()), arb(0))

    def sign(self) -> int:
        """-1, 0 or 1."""
        if not self.terms:
            return 0
        bits = _FIRST_BITS
        while True:
            with ctx.workprec(bits):
                value = self.enclosed()
                if value > 0:
                    return 1
                if value < 0:
                    return -1
            bits *= 2

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, ExponentialSum) and self.terms == other.terms

    def __hash__(self) -> int:
        return self._hash
