"""Privet: differential privacy for categories and sequences of categories.

Contract. Every public name imports from here (`from privet import RandomizedResponse`), and
`estimate`, `testing` and `datasets` are reached as submodules. Importing `privet` imports nothing
else: a name brings in its room, and the libraries that room needs, when it is first used (PEP 562).
An unknown name is an AttributeError, as in any module. `dir(privet)` lists the public names.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet import datasets, estimate, testing
    from privet.errors import (
        BudgetExceededError,
        ColumnNotFoundError,
        DataError,
        DomainError,
        FileFormatError,
        MissingExtraError,
        MissingValueError,
        ModelError,
        OutputError,
        ParameterError,
        ParameterTypeError,
        PrivacyLeakWarning,
        PrivetError,
        RandomnessError,
    )
    from privet.languages import Language
    from privet.mechanisms import (
        Exponential,
        RandomizedResponse,
        WordExponential,
        WordPermuteAndFlip,
        WordStaircase,
    )
    from privet.privacy import Guarantee, IndependentRecords, RecordLoss
    from privet.releasing import Receipt, Release, plan, release
    from privet.symbols import Alphabet, Codes, Words

    __version__: str

__all__ = [
    "Alphabet",
    "BudgetExceededError",
    "Codes",
    "ColumnNotFoundError",
    "DataError",
    "DomainError",
    "Exponential",
    "FileFormatError",
    "Guarantee",
    "IndependentRecords",
    "Language",
    "MissingExtraError",
    "MissingValueError",
    "ModelError",
    "OutputError",
    "ParameterError",
    "ParameterTypeError",
    "PrivacyLeakWarning",
    "PrivetError",
    "RandomizedResponse",
    "RandomnessError",
    "Receipt",
    "RecordLoss",
    "Release",
    "WordExponential",
    "WordPermuteAndFlip",
    "WordStaircase",
    "Words",
    "__version__",
    "datasets",
    "estimate",
    "plan",
    "release",
    "testing",
]

_SUBMODULES = frozenset({"datasets", "estimate", "testing"})

_ROOM_OF = {
    "Alphabet": "symbols",
    "Codes": "symbols",
    "Exponential": "mechanisms",
    "Guarantee": "privacy",
    "IndependentRecords": "privacy",
    "Language": "languages",
    "RandomizedResponse": "mechanisms",
    "Receipt": "releasing",
    "RecordLoss": "privacy",
    "Release": "releasing",
    "WordExponential": "mechanisms",
    "WordPermuteAndFlip": "mechanisms",
    "WordStaircase": "mechanisms",
    "Words": "symbols",
    "plan": "releasing",
    "release": "releasing",
}
"""Where a public name lives; one that is not listed here is an error class."""


# Hidden from type checkers, which would otherwise take every misspelt name for an object.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The public name `name`, from its room; kept, so that the next use costs nothing."""
        if name not in __all__:
            raise AttributeError(f"module 'privet' has no attribute {name!r}")
        value = _version() if name == "__version__" else _load(name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The public names and what is already loaded."""
        return sorted({*globals(), *__all__})


def _load(name: str) -> object:
    """The submodule or the object `name`; the import is the point of first use."""
    from importlib import import_module

    if name in _SUBMODULES:
        return import_module(f"privet.{name}")
    room = import_module(f"privet.{_ROOM_OF.get(name, 'errors')}")
    value: object = getattr(room, name)
    return value


def _version() -> str:
    """The installed version; a tree that is only on the path has none, and says so."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("privet")
    except PackageNotFoundError:
        return "0+not.installed"
