"""Permute-and-flip on words: the first accepted word of a random order."""

from privet.mechanisms.word_permute_and_flip.mechanism import WordPermuteAndFlip

__all__ = ["WordPermuteAndFlip"]
