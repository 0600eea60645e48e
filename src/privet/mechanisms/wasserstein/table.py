"""The Wasserstein mechanism for any finite Pufferfish framework, given as a table.

Contract. The table holds, for each possible law theta and each secret that has positive probability
under it, the law of the number F(X) given the secret, in exact rationals that add up to 1. The
noise on F, counted in units of the grid of its values, is discrete Laplace of scale W / epsilon, W
the largest infinity-Wasserstein distance of two of these laws, over the pairs and over theta
[song-wang-chaudhuri-2017]. If W is 0 the law of F is the same whatever the secret of any pair, so F
itself is released and nothing is spent.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from typing import Any, ClassVar, NoReturn

from privet.errors import DomainError, ModelError, ParameterError, ParameterTypeError
from privet.exact import exact_number, float_up, read_epsilon
from privet.exact.number import Number
from privet.mechanisms.base import Mechanism
from privet.mechanisms.series import mean_magnitude, round_up
from privet.mechanisms.wasserstein.distance import Law, infinity_distance
from privet.mechanisms.wasserstein.refusals import no_record_loss
from privet.privacy import Guarantee
from privet.queries.base import nearest
from privet.randomness import current_source, discrete_laplace
from privet.randomness.noise import LARGEST_SCALE

Table = Mapping[Any, Mapping[Any, Mapping[Any, Number]]]
ExactTable = dict[Hashable, dict[Hashable, dict[Fraction, Fraction]]]


class WassersteinTable(Mechanism):
    """A number with the noise of the Wasserstein mechanism, by a table of its laws.

    `distributions`: {theta: {secret: {value: probability}}}, probabilities exact and adding up to
    1; a secret that has probability zero under theta is left out there. `pairs`: the secrets that
    must not be told apart, None for all pairs. `epsilon`: exactly. Errors: ModelError naming theta
    and secret; ParameterError, ParameterTypeError.
    """

    name: ClassVar[str] = "wasserstein-table"
    title: ClassVar[str] = "Wasserstein mechanism for a table"

    def __init__(
        self,
        distributions: Table,
        pairs: Sequence[tuple[Any, Any]] | None = None,
        *,
        epsilon: Number,
    ) -> None:
        self.epsilon = read_epsilon(epsilon)
        self.distributions = _read_table(distributions)
        self.pairs = None if pairs is None else _read_pairs(pairs, self.distributions)
        self.lowest, self.grid = _grid(self.distributions)
        self._distance = self._largest_distance()
        self._scale = round_up(self._distance / self.epsilon)
        if self._scale > LARGEST_SCALE:
            raise ParameterError(
                "The noise needs a scale above 2^40 units of the grid of the values.",
                hint="Give values with fewer digits, or ask for a larger epsilon.",
                parameter="epsilon",
            )

    @property
    def guarantee(self) -> Guarantee:
        """Pufferfish privacy of the pairs of secrets under the listed laws."""
        secrets = len({secret for laws in self.distributions.values() for secret in laws})
        unit = f"Any pair of the {secrets} listed secrets"
        if self.pairs is not None:
            unit = f"Any of the {len(self.pairs)} listed pairs of secrets"
        count = len(self.distributions)
        of = "the listed law" if count == 1 else f"one of the {count} listed laws"
        return Guarantee(self.epsilon, Fraction(0), unit, (f"the data follow {of}",))

    def distance(self) -> Fraction:
        """W, in units of the values."""
        return self._distance * self.grid

    def noise_scale(self) -> Fraction:
        """The scale of the noise in units of the values; 0 if none is needed."""
        return self._scale * self.grid

    def spent(self) -> Fraction:
        """An upper bound of the epsilon really spent: W over the scale; 0 if W is."""
        return min(self.epsilon, self._distance / self._scale) if self._scale else Fraction(0)

    def expected_error(self) -> float:
        """The expected absolute error of a release."""
        return mean_magnitude(self._scale) * float_up(self.grid)

    def release(self, value: Number) -> int | float:
        """The value F(X) with noise: an int if all values of the table are whole, else a float.

        Errors: DomainError, without the value, if the table gives it no probability.
        """
        try:
            units = (exact_number(value, "the value") - self.lowest) / self.grid
        except ParameterError:
            units = Fraction(1, 2)
        if units not in self._values:
            raise DomainError(
                "The value is not one that the table gives a positive probability.", position=None
            )
        noise = 0
        if self._scale:
            noise = int(discrete_laplace(current_source(), self._scale, 1)[0])
        noisy = self.lowest + (units + noise) * self.grid
        whole = self.lowest.denominator == self.grid.denominator == 1
        return int(noisy) if whole else nearest(noisy)

    def record_loss(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refused: see the error. Errors: ParameterError always."""
        raise no_record_loss()

    def parameters(self) -> dict[str, Any]:
        """Epsilon, the table as nested lists of exact text, and the pairs (None for all)."""
        return {
            "epsilon": str(self.epsilon),
            "distributions": [
                [theta, [[secret, _listed(law)] for secret, law in laws.items()]]
                for theta, laws in self.distributions.items()
            ],
            "pairs": None if self.pairs is None else [list(pair) for pair in self.pairs],
        }

    def to_json(self) -> dict[str, Any]:
        """{"mechanism": name, parameters...}; laws and secrets must be JSON values themselves."""
        return {"mechanism": self.name, **self.parameters()}

    def __repr__(self) -> str:
        secrets = len({secret for laws in self.distributions.values() for secret in laws})
        return (
            f"WassersteinTable({len(self.distributions)} laws, {secrets} secrets, "
            f"epsilon={str(self.epsilon)!r})"
        )

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "WassersteinTable":
        table = {
            theta: {secret: dict(law) for secret, law in laws}
            for theta, laws in data["distributions"]
        }
        pairs = data["pairs"]
        return cls(
            table, None if pairs is None else [tuple(p) for p in pairs], epsilon=data["epsilon"]
        )

    @property
    def _values(self) -> set[Fraction]:
        return {
            (value - self.lowest) / self.grid
            for laws in self.distributions.values()
            for law in laws.values()
            for value in law
        }

    def _largest_distance(self) -> Fraction:
        largest = 0
        for laws in self.distributions.values():
            known = {secret: self._law(law) for secret, law in laws.items()}
            chosen = combinations(known, 2) if self.pairs is None else self.pairs
            for first, second in chosen:
                if first in known and second in known:
                    largest = max(largest, infinity_distance(known[first], known[second]))
        return Fraction(largest)

    def _law(self, law: dict[Fraction, Fraction]) -> Law:
        common = lcm(*(share.denominator for share in law.values()))
        values, sums, total = [], [], 0
        for value, share in sorted(law.items()):
            total += int(share * common)
            values.append(int((value - self.lowest) / self.grid))
            sums.append(total)
        return Law(tuple(values), tuple(sums))


def _read_table(distributions: Table) -> ExactTable:
    if not isinstance(distributions, Mapping) or not distributions:
        raise ParameterTypeError(
            "The table is not a mapping from laws to {secret: {value: probability}}.",
            parameter="distributions",
        )
    table: ExactTable = {}
    for theta, laws in distributions.items():
        if not isinstance(laws, Mapping):
            raise ParameterTypeError(f"The entry of law {theta!r} is not a mapping from secrets.")
        table[theta] = {secret: _read_law(law, theta, secret) for secret, law in laws.items()}
    if all(len(laws) < 2 for laws in table.values()):
        raise ModelError(
            "No law has two secrets of positive probability, so nothing would be protected.",
            hint="List the law of the number given each of at least two secrets.",
        )
    return table


def _read_law(
    law: Mapping[Any, Number], theta: Hashable, secret: Hashable
) -> dict[Fraction, Fraction]:
    place = f"of secret {secret!r} under law {theta!r}"
    if not isinstance(law, Mapping):
        raise ParameterTypeError(f"The law {place} is not a mapping from values.")
    read: dict[Fraction, Fraction] = {}
    for value, share in law.items():
        number, part = (
            exact_number(value, f"A value {place}"),
            exact_number(share, f"A share {place}"),
        )
        if part < 0:
            raise ModelError(f"A probability {place} is negative.")
        if part:
            read[number] = read.get(number, Fraction(0)) + part
    if sum(read.values()) != 1:
        raise ModelError(
            f"The probabilities {place} do not add up to 1 exactly.",
            hint="Write them as fractions: '1/3'. Leave out secrets of probability zero.",
        )
    return read


def _read_pairs(
    pairs: Sequence[tuple[Any, Any]], table: ExactTable
) -> tuple[tuple[Hashable, Hashable], ...]:
    known = {secret for laws in table.values() for secret in laws}
    read = []
    for number, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterTypeError(f"Entry {number} of pairs is not a pair of secrets.")
        if pair[0] not in known or pair[1] not in known:
            raise ParameterError(
                f"Entry {number} of pairs names a secret that no law lists.", parameter="pairs"
            )
        read.append((pair[0], pair[1]))
    if all(first == second for first, second in read):
        raise ParameterError(
            "No pair has two different secrets, so nothing would be protected.", parameter="pairs"
        )
    return tuple(read)


def _grid(table: ExactTable) -> tuple[Fraction, Fraction]:
    """The lowest value, and the largest unit that divides every difference of values."""
    values = {value for laws in table.values() for law in laws.values() for value in law}
    lowest = min(values)
    common = lcm(*((value - lowest).denominator for value in values))
    unit = gcd(*(int((value - lowest) * common) for value in values))
    return lowest, Fraction(unit or 1, common)


def _listed(law: dict[Fraction, Fraction]) -> list[list[str]]:
    return [[str(value), str(share)] for value, share in law.items()]
