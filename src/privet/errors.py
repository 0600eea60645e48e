"""Everything Privet refuses, as one tree.

Contract. Every error raised on purpose is a `PrivetError` and, where Python has a fitting built-in,
that built-in too, so `except ValueError` keeps working. The message is one sentence that names the
place (parameter, file, column, row position) and `hint` is the remedy. Neither ever contains a
private value: counts and positions only. Payload keywords become attributes.

    PrivetError
    ├── ParameterError (ValueError)         a parameter of a mechanism or command is out of range
    │   └── ParameterTypeError (TypeError)  ... or of a kind that cannot be read as a number
    ├── DomainError (ValueError)            a symbol, label or code lies outside the public alphabet
    │   └── MissingValueError               ... because there is no value at all
    ├── DataError (ValueError)              a table or sequence has the wrong shape, or none
    │   ├── ColumnNotFoundError (LookupError)
    │   └── FileFormatError                 a file is not what its ending says, or cannot be read
    ├── OutputError (OSError)               a file could not be written; nothing was left behind
    ├── ModelError (ValueError)             a language, chain or hidden Markov model is ill-formed
    ├── BudgetExceededError (RuntimeError)  the release would cost more than is left
    ├── LedgerError (RuntimeError)          a ledger refuses, or is not what was asked for
    │   ├── LedgerUnavailableError (OSError)    the store cannot be reached, read or written
    │   └── LedgerDamagedError                  rows were changed, removed or added outside Privet
    ├── CertificateError (ValueError)       a proof or a counterexample does not show what it claims
    ├── UndecidedError (RuntimeError)       an exact answer was not reached within the limits
    ├── RandomnessError (RuntimeError)      the bit source cannot be trusted or copied
    └── MissingExtraError (ImportError)     an optional dependency is not installed

    PrivacyLeakWarning (UserWarning)        a public input was taken from the protected data
"""


class PrivetError(Exception):
    """Root of the tree: `message` (one sentence), `hint` (the remedy) and payload attributes."""

    def __init__(self, message: str, *, hint: str = "", **payload: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.payload = payload
        for name, value in payload.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process pools by pickling; keyword arguments are lost by default.
        return (_rebuild, (type(self), self.message, self.hint, self.payload))


def _rebuild(
    kind: type[PrivetError], message: str, hint: str, payload: dict[str, object]
) -> PrivetError:
    return kind(message, hint=hint, **payload)


class ParameterError(PrivetError, ValueError):
    """A parameter is out of the range in which the guarantee can be stated."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter is of a kind that is refused rather than converted (a bool, a bare string)."""


class DomainError(PrivetError, ValueError):
    """A value lies outside the public alphabet; carries `position`, never the value."""


class MissingValueError(DomainError):
    """There is no value at a position; missing must be an explicit symbol of the alphabet."""


class DataError(PrivetError, ValueError):
    """A table or a set of sequences is empty, ragged where it may not be, or otherwise unusable."""


class ColumnNotFoundError(DataError, LookupError):
    """A column that was named is not in the table; carries `column`."""


class FileFormatError(DataError):
    """A file does not hold what its name promises; carries `path`."""


class OutputError(PrivetError, OSError):
    """Writing failed and nothing half-written was left; carries `path`."""


class ModelError(PrivetError, ValueError):
    """A language, Markov chain or hidden Markov model is not well formed."""


class BudgetExceededError(PrivetError, RuntimeError):
    """The release asked for would cost more than the budget has left."""


class LedgerError(PrivetError, RuntimeError):
    """A ledger, account or reservation does not allow what was asked of it."""


class LedgerUnavailableError(LedgerError, OSError):
    """The store of a ledger cannot be reached, read or written; what was asked did not go through.

    When the store went away while it answered, a reservation may stand there: it counts as spent.
    """


class LedgerDamagedError(LedgerError):
    """Rows of a ledger do not fit together; carries `row`, the number of the first that does not.

    Nothing more is spent from such a ledger.
    """


class CertificateError(PrivetError, ValueError):
    """A certificate or counterexample fails its check; the message names the field or the step."""


class UndecidedError(PrivetError, RuntimeError):
    """A limit came before the exact answer; carries `low` and `high`, between which it lies."""


class RandomnessError(PrivetError, RuntimeError):
    """The bit source cannot give trustworthy bits, or was about to be duplicated."""


class MissingExtraError(PrivetError, ImportError):
    """An optional dependency is missing; the hint is the line that installs it."""


class RoundingWarning(UserWarning):
    """A claim fails by no more than the rounding of the doubles that it was asked of."""


class PrivacyLeakWarning(UserWarning):
    """Something that must be public was derived from the data being protected."""
