"""Tools for testing Privet and code that uses it: replayable bits, statistical checks."""

from privet.testing.replay import ChosenSource, ReplaySource
from privet.testing.statistics import TestResult, chi_square_agrees

__all__ = ["ChosenSource", "ReplaySource", "TestResult", "chi_square_agrees"]
