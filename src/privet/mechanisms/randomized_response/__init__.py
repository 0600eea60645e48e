"""k-ary randomised response with (epsilon, delta), value by value."""

from privet.mechanisms.randomized_response.mechanism import RandomizedResponse

__all__ = ["RandomizedResponse"]
