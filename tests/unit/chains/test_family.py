"""Families of chains: one order of the states, and what is refused."""

from fractions import Fraction

import pytest

from privet.chains import ChainFamily, MarkovChain
from privet.errors import ModelError, ParameterError, ParameterTypeError

FIRST = MarkovChain(["1/3", "2/3"], [["9/10", "1/10"], ["1/5", "4/5"]], ["a", "b"])


def test_all_chains_take_the_order_of_the_first() -> None:
    other = MarkovChain(["1/4", "3/4"], [["1/2", "1/2"], ["1/7", "6/7"]], ["b", "a"])
    family = ChainFamily([FIRST, other], "any")
    assert family.states == ("a", "b")
    assert len(family) == 2
    assert family.chains[1].exact_initial == (Fraction(3, 4), Fraction(1, 4))
    assert family == ChainFamily(iter([FIRST, other]), "any")
    assert hash(family) == hash(ChainFamily([FIRST, other], "any"))
    assert family != ChainFamily([FIRST, other])
    assert repr(family) == "ChainFamily(2 chains of 2 states, initial='any')"


def test_families_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(ModelError, match="Chain 1 of the family has other states"):
        ChainFamily([FIRST, MarkovChain([1, 0], [[1, 0], [0, 1]], ["a", "c"])])
    with pytest.raises(ModelError, match="no chains"):
        ChainFamily([])
    with pytest.raises(ParameterTypeError, match="Member 1 of the family is a str"):
        ChainFamily([FIRST, "chain"])  # type: ignore[list-item]  # on purpose
    with pytest.raises(ParameterTypeError, match="not of a int"):
        ChainFamily(3)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ParameterError, match="kind of start 'middle'"):
        ChainFamily(FIRST, "middle")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ModelError, match="closed classes"):
        ChainFamily(MarkovChain([1, 0], [[1, 0], [0, 1]]), "stationary")
