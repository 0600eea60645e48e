"""Sets of words that may occur: the outputs a word mechanism may give."""

from privet.languages.automaton import Automaton
from privet.languages.language import Language

__all__ = ["Automaton", "Language"]
