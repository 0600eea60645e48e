"""The published theorems on composition, each a function that checks its conditions.

Contract. A rule takes what its theorem speaks of and returns the epsilon that the theorem states,
exactly or rounded up. A condition that fails is a ParameterError that names it: no rule answers
where its theorem is silent. Whether the epsilons given to a rule are true of the mechanisms is
taken for granted. Nodes count from 0 and parts of a series are (start, stop), stop left out.
The accountant does not need these rules: it adds record losses, which on chains is never above
II.6 and III.7, nor above III.1 and III.3 on the secrets those cover.
"""

from privet.accounting.rules.independent import parallel_composition, sequential_composition
from privet.accounting.rules.quilts import same_active_quilts, sum_of_quilt_mechanisms
from privet.accounting.rules.subchains import disjoint_subchains, disjoint_subchains_with_quilts
from privet.accounting.rules.tables import TablesComposed, from_output_tables, pufferfish_epsilon

__all__ = [
    "TablesComposed",
    "disjoint_subchains",
    "disjoint_subchains_with_quilts",
    "from_output_tables",
    "parallel_composition",
    "pufferfish_epsilon",
    "same_active_quilts",
    "sequential_composition",
    "sum_of_quilt_mechanisms",
]
