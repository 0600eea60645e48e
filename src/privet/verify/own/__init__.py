"""Our own mechanisms on small cases, handed to the verifier as full tables of outputs.

Contract. The law is written out from its definition for every input and every output that matters,
and every claim of the mechanism is compared with it: the guarantee, what it says it spends, and the
record loss for ALL pairs of inputs. Probabilities are rationals, or sums of c e^r with rational c
and r; the sign of such a sum is decidable, so no comparison is left open, ties included.
"""

from privet.verify.own.check import MechanismCheck, own_mechanism
from privet.verify.own.compare import Attained, Findings
from privet.verify.own.words import own_table

__all__ = ["Attained", "Findings", "MechanismCheck", "own_mechanism", "own_table"]
