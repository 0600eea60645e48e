"""What a data set is, and the four that are shipped.

Contract. Each is one CSV file in this folder, described in SOURCES.md, with the public alphabet of
each of its categorical columns written down here and not taken from the file. The table is read
when it is first asked for. The data are public: they are for demonstrations, documentation and
tests, and the only data whose realised error is ever shown.
"""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import DataError, ParameterError
from privet.symbols import Alphabet, Words

if TYPE_CHECKING:
    import pyarrow as pa

_LEANINGS = (
    "extremely liberal",
    "liberal",
    "slightly liberal",
    "moderate",
    "slightly conservative",
    "conservative",
    "extremely conservative",
)
_PARTIES = (
    "strong Democrat",
    "weak Democrat",
    "independent Democrat",
    "independent",
    "independent Republican",
    "weak Republican",
    "strong Republican",
)
_EDUCATION = (
    "8 grades or less",
    "some high school",
    "high school",
    "some college",
    "college degree",
    "master's degree",
    "doctorate",
)


@dataclass(frozen=True)
class Dataset:
    """A public data set.

    `alphabets`: the public alphabet of each categorical column, by name; `path`: its CSV file;
    `roles`: for sequences, which columns are "id", "time" and "state"; `table`: the file as an
    Arrow table of text columns, read once, when first asked for.
    """

    name: str
    description: str
    source: str
    licence: str
    alphabets: dict[str, Alphabet]
    roles: dict[str, str] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        """The CSV file that came with the package."""
        return Path(__file__).with_name(f"{self.name}.csv")

    @cached_property
    def table(self) -> "pa.Table":
        """The table, every column as text. Errors: MissingExtraError without the extra `data`."""
        from privet.data import read_table

        return read_table(self.path)

    def words(self) -> Words:
        """The sequences. Errors: DataError for a data set that is a plain table."""
        if not self.roles:
            raise DataError(
                f"The data set '{self.name}' is a table and has no sequences.",
                hint="Use .table and .alphabets, or another data set: income, seattle, meters.",
            )
        from privet.data import words_from_long

        alphabet = self.alphabets[self.roles["state"]]
        return words_from_long(self.table, alphabet, **self.roles).words


VOTERS = Dataset(
    name="voters",
    description="944 voters in the US presidential election of 1996.",
    source="American National Election Studies, 1996 (anes96)",
    licence="public domain",
    alphabets={
        "tv_news": Alphabet([str(days) for days in range(8)]),
        "self_placement": Alphabet(_LEANINGS),
        "clinton_placement": Alphabet(_LEANINGS),
        "dole_placement": Alphabet(_LEANINGS),
        "party": Alphabet(_PARTIES),
        "education": Alphabet(_EDUCATION),
        "income": Alphabet([str(bracket) for bracket in range(1, 25)]),
        "vote": Alphabet(["Clinton", "Dole"]),
    },
)

INCOME = Dataset(
    name="income",
    description="The income quintile of each of 48 US states in the 81 years 1929 to 2009.",
    source="US Bureau of Economic Analysis, Regional Economic Accounts",
    licence="work of the US government, public domain in the United States",
    alphabets={"quintile": Alphabet([str(quintile) for quintile in range(1, 6)])},
    roles={"id": "state", "time": "year", "state": "quintile"},
)

SEATTLE = Dataset(
    name="seattle",
    description="The weather of Seattle on each of the 1461 days of 2012 to 2015.",
    source="US National Oceanic and Atmospheric Administration, daily summaries",
    licence="work of the US government, public domain in the United States",
    alphabets={"weather": Alphabet(["drizzle", "fog", "rain", "snow", "sun"])},
    roles={"id": "station", "time": "date", "state": "weather"},
)

METERS = Dataset(
    name="meters",
    description="An electricity meter in 224 steps of 3 hours, 24 times, as levels.",
    source="Hebrail and Berard, electric power of one household, UCI (2012), doi:10.24432/C58K54",
    licence="Creative Commons Attribution 4.0",
    alphabets={"level": Alphabet(["idle", "low", "high", "peak"])},
    roles={"id": "meter", "time": "step", "state": "level"},
)

_ALL = {dataset.name: dataset for dataset in (VOTERS, INCOME, SEATTLE, METERS)}

NAMES = tuple(_ALL)
"""The names that `load` knows."""


def load(name: str) -> Dataset:
    """The data set of that name. Errors: ParameterError listing the names there are."""
    if name not in _ALL:
        raise ParameterError(
            f"There is no data set '{name}'.", hint=f"There are: {', '.join(NAMES)}."
        )
    return _ALL[name]
