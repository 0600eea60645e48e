"""The whole check of a certificate, and the claim that follows from it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.weighted.words_check.language import (
    Language,
    Symmetry,
    read_language,
    read_symmetries,
)
from privet.weighted.words_check.reading import fields, list_of, rational, require
from privet.weighted.words_check.sides import SIDE_FIELDS, Side
from privet.weighted.words_check.tree import Proof

_FIELDS = (
    "kind", "version", "moves", "initial", "accepting", "q", "shortest", "longest", "symmetries",
    "left", "right", "parts",
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


def check_word_certificate(document: object) -> WordClaim:
    """The claim of a certificate in JSON form. Errors: CertificateError naming what fails."""
    data = fields(document, _FIELDS, "the certificate")
    require(data["kind"] == "word-spending-certificate", "kind", "is another")
    require(type(data["version"]) is int and data["version"] == 1, "version", "is not 1")
    language = read_language(data)
    symmetries = read_symmetries(data["symmetries"], language)
    parts = list_of(data["parts"], "parts")
    require(1 <= len(parts) <= _MOST_PARTS, "parts", "has none or too many entries")
    proved: list[Fraction] = []
    claims = [fields(part, ("ratio", "tree"), f"parts[{i}]") for i, part in enumerate(parts)]
    proof: Proof | None = None
    for index, part in enumerate(claims):
        ratio = rational(part["ratio"], f"parts[{index}].ratio")
        if part["tree"] is None:
            trivial = 1 / language.q ** (index + 1)
            require(ratio == trivial, f"parts[{index}].ratio", "is not the trivial bound")
        else:
            if proof is None:
                left, right = _checked_sides(data, language, symmetries)
                proof = Proof(language, left, right, symmetries, len(parts))
            levels = list_of(part["tree"], f"parts[{index}].tree")
            proof.follow(levels, index + 1, ratio, proved, f"parts[{index}].tree")
        proved.append(ratio)
    boxes = data["left"] is not None or data["right"] is not None
    require(proof is not None or not boxes, "left", "has boxes that no tree needs")
    return WordClaim(
        language.moves,
        language.initial,
        language.accepting,
        language.q,
        language.shortest,
        language.longest,
        tuple(proved),
    )


def check_boxes(document: object) -> None:
    """Only that the boxes hold the vectors of the language. Errors: CertificateError."""
    data = fields(document, _FIELDS, "the certificate")
    language = read_language(data)
    _checked_sides(data, language, read_symmetries(data["symmetries"], language))


def _checked_sides(
    data: dict[str, Any], language: Language, symmetries: list[Symmetry]
) -> tuple[Side, Side]:
    left = Side(language, fields(data["left"], SIDE_FIELDS, "left"), symmetries, False)
    right = Side(language, fields(data["right"], SIDE_FIELDS, "right"), symmetries, True)
    left.check("left")
    right.check("right")
    return left, right
