"""The staircase mechanism on words: the best law when neighbours differ in several places."""

from privet.mechanisms.word_staircase.mechanism import WordStaircase

__all__ = ["WordStaircase"]
