"""What certificates and counterexamples show, in words; ratios and words of observations to read.

Contract. Models and mechanisms are public: their numbers are told, exactly where that is short.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction

from privet.chains import HiddenMarkovModel
from privet.exact import log_down, log_up
from privet.privacy.guarantee import decimal_up
from privet.verify.certificate_files import Counterexample, Shown
from privet.verify.outcome import Ratio
from privet.verify.problem import Law
from privet.weighted.certificate import fraction_text
from privet.weighted.words_check import WordClaim

_SHOWN = 6
"""Probabilities of a law that are shown."""

_SHOWN_SYMBOLS = 24
_SHORT_FRACTION = 24
"""Characters of a fraction that is shown beside its decimals."""


def number(value: Ratio) -> str:
    """Decimals, and the fraction where it is short and says more."""
    if not isinstance(value, Fraction):
        return "infinite"
    decimals = f"{float(value):.7g}" if value.numerator.bit_length() < 1000 else _huge(value)
    text = fraction_text(value)
    if value.denominator == 1 or Fraction(decimals) == value:
        return decimals if len(text) > _SHORT_FRACTION or value.denominator > 1 else text
    return f"{decimals} ({text})" if len(text) <= _SHORT_FRACTION else decimals


def _huge(value: Fraction) -> str:
    """As many digits, of a fraction whose parts are beyond floats."""
    try:
        return f"{float(value):.7g}"
    except OverflowError:
        return f"about 2^{value.numerator.bit_length() - value.denominator.bit_length()}"


def word_text(word: Sequence[Hashable]) -> str:
    """A word for people: repetitions as counts, a long one cut with its length told."""
    runs: list[tuple[str, int]] = []
    for symbol in map(str, word):
        if runs and runs[-1][0] == symbol:
            runs[-1] = symbol, runs[-1][1] + 1
        else:
            runs.append((symbol, 1))
    parts = [symbol if times == 1 else f"{symbol} x{times}" for symbol, times in runs]
    rest = sum(times for _, times in runs[_SHOWN_SYMBOLS:])
    end = f", ... and {rest} more" if rest else ""
    return f"{', '.join(parts[:_SHOWN_SYMBOLS])}{end}"


def shown_text(each: Shown) -> str:
    """What a certificate or a counterexample shows, in a sentence or two."""
    if isinstance(each, WordClaim):
        return _spending(each)
    model = each.model
    about = f"A model of {len(model.states)} states and {len(model.observations)} observations"
    laws = f"first state {law_text(model, each.first)} against {law_text(model, each.second)}"
    if isinstance(each, Counterexample):
        return (
            f"{about}, {laws}: VIOLATED. The word {word_text(each.word)} is {times_text(each)} as "
            f"likely, which is more than {number(each.ratio)} times."
        )
    words = words_text(each.lengths.shortest, each.lengths.longest)
    return f"{about}, {laws}: HOLDS. No {words} is more than {number(each.ratio)} times as likely."


def times_text(each: Counterexample) -> str:
    """How much likelier the word is under the first law."""
    over, under = each.probabilities
    return f"{number(over / under)} times" if under else "infinitely"


def words_text(shortest: int, longest: int | None) -> str:
    """'word of 1 to 20 symbols'."""
    if longest is None and shortest <= 1:
        return "word of any length"
    if longest == shortest:
        return f"word of {longest} symbols"
    end = "or more" if longest is None else f"to {longest}"
    return f"word of {shortest} {end} symbols"


def _spending(claim: WordClaim) -> str:
    places = len(claim.ratios)
    change = "1 place changes" if places == 1 else f"1 to {places} places change"
    return (
        f"A language of {len(claim.moves)} states and {len(claim.moves[0])} symbols, the "
        f"exponential mechanism at rate {float(log_down(1 / claim.q)):.6g}: HOLDS. Where {change} "
        f"of a {words_text(claim.shortest, claim.longest)} of the language, it spends at most "
        f"epsilon {decimal_up(log_up(claim.factor), 6)}."
    )


def law_text(model: HiddenMarkovModel, law: Law) -> str:
    """A law of the first state: the states that it makes possible, with their probabilities."""
    parts = [
        str(state) if share == 1 else f"{state}: {number(share)}"
        for state, share in zip(model.states, law, strict=True)
        if share
    ]
    more = f", ... {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return f"({', '.join(parts[:_SHOWN])}{more})"
