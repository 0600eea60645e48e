"""What the exponential mechanism on words really spends: brackets whose upper ends are proved."""

from privet.weighted.words.bracket import ALL_LENGTHS, SpentBracket, spent_bracket
from privet.weighted.words.certificate import WordCertificate
from privet.weighted.words.problem import WordAutomaton, WordProblem

__all__ = [
    "ALL_LENGTHS",
    "SpentBracket",
    "WordAutomaton",
    "WordCertificate",
    "WordProblem",
    "spent_bracket",
]
