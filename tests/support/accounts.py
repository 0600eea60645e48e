"""Accounts of a ledger, releases that are charged to them, and a source that must not be drawn."""

from typing import Any

import pyarrow as pa
from numpy.typing import NDArray

from privet import (
    Alphabet,
    IndependentRecords,
    Ledger,
    MarkovChain,
    MarkovFramework,
    RandomizedResponse,
    Words,
)
from privet.errors import RandomnessError
from privet.ledger import Account
from privet.randomness import RandomSource

DAY = Alphabet(["home", "work", "sick"])
CHAIN = MarkovChain(
    ["1/2", "1/4", "1/4"],
    [["3/5", "2/5", "0"], ["1/5", "3/5", "1/5"], ["1/4", "1/4", "1/2"]],
    ["home", "work", "sick"],
)
DIARY = MarkovFramework(CHAIN)
VOTE = Alphabet(["Clinton", "Dole"])
TABLE = pa.table(
    {"who": [1, 1, 2], "vote": ["Clinton", "Dole", "Dole"], "tv": ["home", "sick", "work"]}
)
WORDS = Words.from_lists(DAY, [["home", "work", "sick"], ["work", "work"], ["home"] * 5])


class NoBits(RandomSource):
    """Whoever draws from it is found out."""

    def fill(self, out: NDArray[Any]) -> None:
        raise RandomnessError(f"There are no {out.nbytes} bytes.")


def account(ledger: Ledger, framework: Any = None, budget: Any = 10, **options: Any) -> Account:
    """Another account of the ledger."""
    chosen = IndependentRecords() if framework is None else framework
    return ledger.account(f"a{len(ledger.accounts())}", chosen, budget, **options)


def rows_of(epsilon: Any = 1) -> dict[str, RandomizedResponse]:
    """Both columns of `TABLE`."""
    return {
        "vote": RandomizedResponse(VOTE, epsilon=epsilon),
        "tv": RandomizedResponse(DAY, epsilon=epsilon),
    }
