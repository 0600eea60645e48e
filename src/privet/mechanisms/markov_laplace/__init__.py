"""Laplace noise for a query about a Markov chain, at the smallest scale that is known to do."""

from privet.mechanisms.markov_laplace.mechanism import MarkovLaplace

__all__ = ["MarkovLaplace"]
