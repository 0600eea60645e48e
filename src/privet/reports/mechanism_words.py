"""What each mechanism does to the data, in sentences for people who do not read formulas.

Contract. The numbers are those of the receipt; a mechanism without a sentence has its title.
"""

from privet.plain_text import count, percent, plain
from privet.releasing import Answer, Part, Receipt


def in_words(receipt: Receipt, part: Part) -> str:
    """How a released value, word or number came about."""
    name = str(part.mechanism["mechanism"])
    if isinstance(part, Answer):
        return _of_answer(part)
    sentence = {
        "randomized-response": _randomized_response,
        "exponential": _exponential,
        "word-exponential": _word_exponential,
        "word-permute-and-flip": _permute_and_flip,
        "word-staircase": _staircase,
    }.get(name)
    text = f"The {receipt.mechanism(part.column).title}." if sentence is None else sentence(part)
    if "decoded" in receipt.layout:
        text += (
            " What it gave was then decoded: replaced by likely sequences of a public model. That "
            "looks at nothing but the protected values, so it costs no privacy."
        )
    return text


def _randomized_response(part: Part) -> str:
    keep = part.law.get("keep_probability")
    if keep is None:
        return "Each value is kept or replaced by chance, independently of all others."
    others = part.categories - 1
    other = "the other category" if others == 1 else f"one of the other {count(others)} categories"
    equally = "" if others == 1 else ", each equally likely"
    return (
        f"Each value is kept with probability {percent(float(keep))}; otherwise it is replaced by "
        f"{other}{equally}. Chance decides anew for every value."
    )


def _exponential(part: Part) -> str:
    return (
        f"One of {count(part.categories)} possible outputs is drawn by chance. The better an "
        "output fits the data, the likelier it is, but none is certain and none is impossible."
    )


def _word_exponential(part: Part) -> str:
    keep = part.law.get("keep_probability")
    if keep is not None:
        return _randomized_response(part)
    return (
        "Each sequence is replaced by one drawn by chance from all possible sequences of its "
        "length; each further difference from the true one makes a sequence less likely by the "
        "same factor."
    )


def _permute_and_flip(_part: Part) -> str:
    return (
        "Each sequence is replaced by one drawn by chance: possible sequences are tried in random "
        "order, and each is accepted with a probability that falls with its differences from the "
        "true one."
    )


def _staircase(_part: Part) -> str:
    return (
        "Each sequence is replaced by one drawn by chance; how likely a sequence is falls in steps "
        "with the number of its differences from the true one."
    )


def _of_answer(answer: Answer) -> str:
    numbers = (
        "The number" if answer.symbols == 1 else f"Each of the {count(answer.symbols)} numbers"
    )
    return (
        f"{numbers} is the true statistic plus noise drawn by chance (discrete Laplace, scale "
        f"{plain(float(answer.noise_scale))}). The noise is wide enough to hide any one step, "
        "together with what the other steps give away of it under the stated chains."
    )
