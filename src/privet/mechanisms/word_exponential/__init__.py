"""The exponential mechanism on words, which on all words is randomised response per symbol."""

from privet.mechanisms.word_exponential.mechanism import WordExponential

__all__ = ["WordExponential"]
