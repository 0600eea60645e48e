"""The general exponential mechanism on a finite set of outputs."""

from privet.mechanisms.exponential.mechanism import Exponential

__all__ = ["Exponential"]
