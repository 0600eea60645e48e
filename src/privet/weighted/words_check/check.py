"""The whole check of a certificate, and the claim that follows from it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from privet.weighted.seal import SEAL, check_seal
from privet.weighted.words_check.language import read_language, read_symmetries
from privet.weighted.words_check.reading import fields, list_of, rational, require
from privet.weighted.words_check.sides import SIDE_FIELDS, Side
from privet.weighted.words_check.tree import Proof

_FIELDS = (
    "kind", "version", "moves", "initial", "accepting", "q", "shortest", "longest", "symmetries",
    "left", "right", "parts", SEAL,
)  # fmt: skip


_MOST_PARTS = 1000


@dataclass(frozen=True)
class WordClaim:
    """What a valid certificate proves.

    Two words of the automaton (`moves`, `initial`, `accepting`) with `shortest`..`longest` symbols
    (None: any number) and exactly d differences have Z(v)/Z(w) <= ratios[d - 1] at the ratio `q`.
    """

    moves: tuple[tuple[int, ...], ...]
    initial: int
    accepting: tuple[bool, ...]
    q: Fraction
    shortest: int
    longest: int | None
    ratios: tuple[Fraction, ...]

    @property
    def factor(self) -> Fraction:
        """e^epsilon: the most that the probability of an output changes, over d = 1, 2, ..."""
        return max(
            (ratio / self.q**d for d, ratio in enumerate(self.ratios, 1) if ratio),
            default=Fraction(1),
        )


Watch = Callable[[], None]
"""Called many times a second during a check; what it raises ends the check."""


class PartChecker:
    """Checks parts of one certificate; all that they share, once.

    `differences`: how many parts there will be, as many as there are unless it says otherwise.
    Errors, here and in the methods: CertificateError naming what fails.
    """

    def __init__(
        self, document: object, differences: int | None = None, watch: Watch | None = None
    ) -> None:
        self._data = data = fields(document, _FIELDS, "the certificate")
        require(data["kind"] == "word-spending-certificate", "kind", "is another")
        require(type(data["version"]) is int and data["version"] == 2, "version", "is not 2")
        self.language = read_language(data)
        self._symmetries = read_symmetries(data["symmetries"], self.language)
        self._differences = len(list_of(data["parts"], "parts"))
        if differences is not None:
            self._differences = differences
        good = 1 <= self._differences <= _MOST_PARTS
        require(good, "parts", "has none or too many entries")
        self._watch = watch or (lambda: None)
        self._proof: Proof | None = None

    @property
    def needed_boxes(self) -> bool:
        """Whether a part had a tree."""
        return self._proof is not None

    def check_boxes(self) -> Proof:
        """Only that the boxes hold the vectors of the language."""
        if self._proof is None:
            language, symmetries = self.language, self._symmetries
            left, right = (
                Side(language, fields(self._data[name], SIDE_FIELDS, name), symmetries, is_right)
                for name, is_right in (("left", False), ("right", True))
            )
            left.check("left", self._watch)
            right.check("right", self._watch)
            self._proof = Proof(language, left, right, symmetries, self._differences, self._watch)
        return self._proof

    def check(self, part: object, proved: Sequence[Fraction]) -> Fraction:
        """The ratio of the part after those that proved ratios for fewer differences."""
        index = len(proved)
        place = f"parts[{index}]"
        claim = fields(part, ("ratio", "tree"), place)
        ratio = rational(claim["ratio"], f"{place}.ratio")
        if claim["tree"] is None:
            trivial = 1 / self.language.q ** (index + 1)
            require(ratio == trivial, f"{place}.ratio", "is not the trivial bound")
        else:
            levels = list_of(claim["tree"], f"{place}.tree")
            self.check_boxes().follow(levels, index + 1, ratio, [*proved], f"{place}.tree")
        return ratio


def check_word_certificate(document: object, watch: Watch | None = None) -> WordClaim:
    """The claim of a certificate in JSON form. Errors: CertificateError naming what fails.

    A number that was changed is refused even where it would state something true: the seal tells.
    It is no signature, as anyone can seal another certificate; the proof is what is checked.
    """
    checker = PartChecker(document, watch=watch)
    data = fields(document, _FIELDS, "the certificate")
    check_seal(data)
    proved: list[Fraction] = []
    for part in data["parts"]:
        proved.append(checker.check(part, proved))
    boxes = data["left"] is not None or data["right"] is not None
    require(checker.needed_boxes or not boxes, "left", "has boxes that no tree needs")
    language = checker.language
    return WordClaim(
        language.moves,
        language.initial,
        language.accepting,
        language.q,
        language.shortest,
        language.longest,
        tuple(proved),
    )
