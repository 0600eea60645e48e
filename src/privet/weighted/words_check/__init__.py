"""Re-checks how much the exponential mechanism on words spends, in integers, without the search.

Contract. Imports no engine: the certificate is read again, strictly, and its claim follows from
integer arithmetic alone, in which every rounding has a side: weights of v and boxes outward, those
of w down. A CertificateError names the step that fails. `privet.weighted.words.certificate` says
what the fields mean, and PROOF.md beside it why they prove the claim. Integers of 64 bits cannot
overflow here: every product is of factors whose bits are bounded where it is formed.
"""

from privet.weighted.words_check.check import PartChecker, WordClaim, check_word_certificate

__all__ = ["PartChecker", "WordClaim", "check_word_certificate"]
