"""Small public data sets with their source and licence (SOURCES.md).

Contract. `voters()`, `income()`, `seattle()` and `meters()`, or `load(name)` for a name in `NAMES`,
each give a `Dataset`; a name keeps its columns and categories for as long as it exists.
"""

from privet.datasets.catalogue import INCOME, METERS, NAMES, SEATTLE, VOTERS, Dataset, load

__all__ = ["NAMES", "Dataset", "income", "load", "meters", "seattle", "voters"]


def voters() -> Dataset:
    """944 voters of 1996 by party, education, vote and more: a table of categorical columns."""
    return VOTERS


def income() -> Dataset:
    """48 US states by income quintile, 1929 to 2009: 48 sequences of 81 symbols."""
    return INCOME


def seattle() -> Dataset:
    """The weather of Seattle, 2012 to 2015: one sequence of 1461 symbols."""
    return SEATTLE


def meters() -> Dataset:
    """An electricity meter by level, 24 stretches of four weeks: 24 sequences of 224 symbols."""
    return METERS
