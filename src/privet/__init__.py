"""Privet: differential privacy for categories and sequences of categories.

Contract. Every public name imports from here (`from privet import RandomizedResponse`), and
`accounting`, `estimate`, `decode`, `queries`, `testing`, `datasets` and `verify` are submodules.
Importing `privet` imports nothing else: a name brings in its room, and the libraries that room
needs, when it is first used (PEP 562). An unknown name is an AttributeError, as in any module.
`dir(privet)` lists the public names.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet import accounting, datasets, estimate, queries, testing, verify
    from privet.accounting import Accountant, Explanation
    from privet.chains import ChainBox, HiddenMarkovModel, MarkovChain, read_model, save_model
    from privet.errors import (
        BudgetExceededError,
        CertificateError,
        ColumnNotFoundError,
        DataError,
        DomainError,
        FileFormatError,
        LedgerDamagedError,
        LedgerError,
        LedgerUnavailableError,
        MissingExtraError,
        MissingValueError,
        ModelError,
        OutputError,
        ParameterError,
        ParameterTypeError,
        PrivacyLeakWarning,
        PrivetError,
        RandomnessError,
        RoundingWarning,
        UndecidedError,
    )
    from privet.estimate import decode
    from privet.languages import Language
    from privet.ledger import Ledger
    from privet.mechanisms import (
        Exponential,
        MarkovLaplace,
        MarkovQuilt,
        RandomizedResponse,
        Wasserstein,
        WordExponential,
        WordPermuteAndFlip,
        WordStaircase,
    )
    from privet.privacy import Guarantee, IndependentRecords, MarkovFramework, RecordLoss
    from privet.releasing import (
        Receipt,
        Release,
        decode_release,
        estimate_release,
        plan,
        plan_query,
        plan_table,
        release,
        words_from_table,
    )
    from privet.reports import report
    from privet.symbols import Alphabet, Codes, Words

    __version__: str

__all__ = [
    "Accountant",
    "Alphabet",
    "BudgetExceededError",
    "CertificateError",
    "ChainBox",
    "Codes",
    "ColumnNotFoundError",
    "DataError",
    "DomainError",
    "Explanation",
    "Exponential",
    "FileFormatError",
    "Guarantee",
    "HiddenMarkovModel",
    "IndependentRecords",
    "Language",
    "Ledger",
    "LedgerDamagedError",
    "LedgerError",
    "LedgerUnavailableError",
    "MarkovChain",
    "MarkovFramework",
    "MarkovLaplace",
    "MarkovQuilt",
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
    "RoundingWarning",
    "UndecidedError",
    "Wasserstein",
    "WordExponential",
    "WordPermuteAndFlip",
    "WordStaircase",
    "Words",
    "__version__",
    "accounting",
    "datasets",
    "decode",
    "decode_release",
    "estimate",
    "estimate_release",
    "plan",
    "plan_query",
    "plan_table",
    "queries",
    "read_model",
    "release",
    "report",
    "save_model",
    "testing",
    "verify",
    "words_from_table",
]

_SUBMODULES = {
    "accounting": "accounting",
    "datasets": "datasets",
    "decode": "estimate.decode",
    "estimate": "estimate",
    "queries": "queries",
    "testing": "testing",
    "verify": "verify",
}
"""Public submodules, and where they are."""

_ROOM_OF = {
    "Accountant": "accounting",
    "Alphabet": "symbols",
    "ChainBox": "chains",
    "Codes": "symbols",
    "Explanation": "accounting",
    "Exponential": "mechanisms",
    "Guarantee": "privacy",
    "HiddenMarkovModel": "chains",
    "IndependentRecords": "privacy",
    "Language": "languages",
    "Ledger": "ledger",
    "MarkovChain": "chains",
    "MarkovFramework": "privacy",
    "MarkovLaplace": "mechanisms",
    "MarkovQuilt": "mechanisms",
    "RandomizedResponse": "mechanisms",
    "Receipt": "releasing",
    "RecordLoss": "privacy",
    "Release": "releasing",
    "Wasserstein": "mechanisms",
    "WordExponential": "mechanisms",
    "WordPermuteAndFlip": "mechanisms",
    "WordStaircase": "mechanisms",
    "Words": "symbols",
    "decode_release": "releasing",
    "estimate_release": "releasing",
    "plan": "releasing",
    "plan_query": "releasing",
    "plan_table": "releasing",
    "read_model": "chains",
    "release": "releasing",
    "report": "reports",
    "save_model": "chains",
    "words_from_table": "releasing",
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
        return import_module(f"privet.{_SUBMODULES[name]}")
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
