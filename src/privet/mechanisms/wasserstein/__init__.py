"""The Wasserstein mechanism: for sums over short chains, and for any finite framework."""

from privet.mechanisms.wasserstein.mechanism import Wasserstein
from privet.mechanisms.wasserstein.table import WassersteinTable

__all__ = ["Wasserstein", "WassersteinTable"]
