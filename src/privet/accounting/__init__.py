"""What several releases cost together."""

from privet.accounting.accountant import Accountant
from privet.accounting.charge import Charged, Lost
from privet.accounting.explanation import Contribution, Explanation
from privet.accounting.older import OlderCharge

__all__ = ["Accountant", "Charged", "Contribution", "Explanation", "Lost", "OlderCharge"]
