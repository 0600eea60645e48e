"""The Markov Quilt Mechanism."""

from privet.mechanisms.markov_quilt.mechanism import MarkovQuilt

__all__ = ["MarkovQuilt"]
