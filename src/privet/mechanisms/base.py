"""What every mechanism is: a law, what it costs, what it does to the data, and a sampler of it.

Contract. The parameter of a mechanism is rounded to a rational toward more privacy when it is made;
its law is exact in that rational and `release` samples exactly that law. `spent` is computed from
the same rational with outward rounding and never exceeds the epsilon asked for. Errors are counted
in symbols (Hamming distance between the data and the release). Nothing here is random but
`release`, and nothing depends on the protected data but its argument.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError, ParameterTypeError
from privet.exact import read_count
from privet.privacy import Guarantee, RecordLoss, Response
from privet.symbols import Alphabet, Encoded, read_words

FloatArray = npt.NDArray[np.float64]
LONGEST_WORD = 10**9

CodeArray = npt.NDArray[np.unsignedinteger[Any]]


class Mechanism(ABC):
    """A randomised map from data to a release, with its guarantee.

    `name`: the key of the registry and of receipts; `epsilon`: what was asked for, exactly.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    """What tables and receipts call it, in words."""

    epsilon: Fraction

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What a release promises."""

    @property
    def response(self) -> Response | None:
        """How it answers each record, independently of all others; None if it does not do that."""
        return None

    @abstractmethod
    def release(self, *args: Any, **kwargs: Any) -> Any:
        """A draw from the mechanism's law at the data given, as the mechanism says.

        The bare sampler: `privet.release` is the accountable act with a receipt.
        """

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Constructor arguments as JSON values (exact numbers as text), without the alphabet."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Everything needed to make an equal mechanism: {"mechanism": name, ...}."""

    @classmethod
    @abstractmethod
    def _from_json(cls, data: dict[str, Any]) -> "Mechanism":
        """The inverse of `to_json`."""

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Mechanism":
        """The mechanism that `to_json` described. Errors: ParameterError for an unknown name."""
        from privet.mechanisms import REGISTRY

        if not isinstance(data, dict):
            raise ParameterTypeError(
                f"A {type(data).__name__} is not the description of a mechanism.",
                hint="It must be what to_json gave.",
            )
        kind = REGISTRY.get(str(data.get("mechanism")))
        if kind is None:
            raise ParameterError(
                "The description names no mechanism of this version.",
                hint=f"Known are {', '.join(REGISTRY)}.",
            )
        try:
            return kind._from_json(data)
        except KeyError as error:
            raise ParameterError(
                f"The description of the {kind.title} lacks {error}.",
                hint="It must be what to_json gave.",
            ) from None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mechanism)
            and type(other) is type(self)
            and self._identity() == other._identity()
        )

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> Hashable:
        """What equal mechanisms have in common."""
        return repr(self.to_json())


class HammingMechanism(Mechanism):
    """A mechanism on words that sees them through their Hamming distances alone.

    `adjacency` b: two words are neighbours if they have one length and differ in 1..b places. On
    all words P(output | input) = law(distance) is the same for every input of a length, so a length
    says as much as a word. On a language that forbids some words (`on_language.py`) it is not, and
    a method that is given a length says what holds for all its words, or refuses.
    """

    alphabet: Alphabet
    adjacency: int

    # What a subclass states about its law, each for words of one length n.

    @abstractmethod
    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l); -inf nowhere it is possible."""

    @abstractmethod
    def probability_of_word(self, length: int) -> list[Fraction]:
        """[exact P(one given word at distance l), l = 0..n]: for short words, as a reference."""

    @abstractmethod
    def spent(self, length: int = 1) -> Fraction:
        """An upper bound, within 2^-64, of the epsilon really spent on words of that length."""

    @abstractmethod
    def record_loss(self, length: int = 1) -> RecordLoss:
        """The loss of each symbol of a word of that length, for all pairs of inputs."""

    @abstractmethod
    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """(lower, upper) bound of the expected errors, from the theorem that states it."""

    @abstractmethod
    def _draw(self, codes: CodeArray, offsets: npt.NDArray[np.int64]) -> CodeArray:
        """A release of each word codes[offsets[i]:offsets[i+1]], flat, of the same dtype."""

    # What follows from it.

    def release(self, x: Any) -> Any:
        """A release of `x` in the same kind: one word (list, array, Codes) or many (Words).

        Errors: DomainError by position, DataError for an array that is not one-dimensional,
        ParameterError if no word has as many symbols as `adjacency` lets change.
        """
        encoded = self._checked(x)
        return encoded.rebuild(self._draw(encoded.codes, encoded.offsets))

    def check(self, x: Any) -> None:
        """Refuse what `release` would refuse, without drawing anything. Errors: as `release`."""
        self._checked(x)

    def check_part(self, words: Any) -> None:
        """`check` of some of the words, which may all be short. Errors: as `check`, but for that.

        Whoever looks at parts must see to it that some word is as long as `adjacency`.
        """
        self._check_words(self._read(words))

    def release_part(self, words: Any) -> Any:
        """`release` of some of the words that were checked, which may all be short."""
        encoded = self._read(words)
        self._check_words(encoded)
        return encoded.rebuild(self._draw(encoded.codes, encoded.offsets))

    def distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = P(Hamming distance between input and release = l).

        `word`: a word or its length. Entries below the smallest double are 0 here, though not in
        the law; `log_distance_distribution` has them.
        """
        return np.exp(self.log_distance_distribution(word))

    def expected_errors(self, word: Sequence[Any] | int) -> float:
        """The expected number of symbols that differ, for a word or its length."""
        distribution = self.distance_distribution(word)
        return float(distribution @ np.arange(distribution.size))

    def _checked(self, x: Any) -> Encoded:
        encoded = self._read(x)
        self._check_adjacency(encoded)
        self._check_words(encoded)
        return encoded

    def _read(self, x: Any) -> Encoded:
        return read_words(self.alphabet, x)

    def _check_adjacency(self, encoded: Encoded) -> None:
        # A word shorter than the adjacency is protected whole, so a few may well be among longer
        # ones; if all are, the adjacency is a mistake, and paying for it would only add errors.
        longest = int(np.diff(encoded.offsets).max(initial=0))
        if 0 < longest < self.adjacency:
            raise ParameterError(
                f"adjacency is {self.adjacency}, but the longest word has {longest} symbols.",
                hint=f"Use an adjacency of at most {longest}, which protects a whole word.",
                parameter="adjacency",
            )

    def _check_words(self, encoded: Encoded) -> None:
        """Refuse words that the mechanism is not for, by word and position; here there are none."""

    def _length(self, word: Sequence[Any] | int) -> int:
        if isinstance(word, int | np.integer):
            length = read_count(word, "length", minimum=0)
            if length > LONGEST_WORD:
                raise ParameterError(
                    f"length is above {LONGEST_WORD}, the longest word there is a law for.",
                    parameter="length",
                )
            return length
        return int(self._read(word).codes.size)

    def _identity(self) -> Hashable:
        # Not by to_json, which symbols without a JSON form (tuples, say) do not have.
        return self.alphabet, repr(self.parameters())

    def to_json(self) -> dict[str, Any]:
        """{"mechanism": name, "alphabet": [...], parameters...}."""
        return {"mechanism": self.name, "alphabet": self.alphabet.to_json(), **self.parameters()}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{type(self).__name__}({self.alphabet!r}, {shown})"
