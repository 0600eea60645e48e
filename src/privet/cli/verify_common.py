"""What the verify commands share: exit codes, claims in words, numbers, words, files of a report.

Contract. Exit 0: the claim holds (or a value is known exactly); 1: it is violated, or a certificate
is not valid; 2: the command or its input cannot be used; 3: undecided. So 1 is never a file that
could not be read. Models and mechanisms are public: their numbers are printed.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.errors import CertificateError, ParameterError, PrivetError, UndecidedError

if TYPE_CHECKING:
    from privet.verify import Counterexample, ModelCertificate
    from privet.verify.outcome import Ratio

HOLDS, VIOLATED, USAGE, UNDECIDED = 0, 1, 2, 3

ClaimedRatio = Annotated[
    str | None,
    typer.Option(
        "--ratio", metavar="C", help="The claim, exactly: at most C times as likely (2, 27/10)."
    ),
]
ClaimedEpsilon = Annotated[
    str | None,
    typer.Option("--epsilon", "-e", metavar="E", help="The claim as epsilon: the ratio is e^E."),
]
TimeLimit = Annotated[
    str,
    typer.Option(metavar="SECONDS", help="Give up on a pair after so long and tell what is known."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")]


@contextmanager
def verdicts_alone() -> Iterator[None]:
    """Exit code 1 is left to verdicts: input that cannot be used is 2, no answer is 3."""
    from privet.cli.failing import Failed, failed
    from privet.cli.hints import in_options

    try:
        yield
    except (ParameterError, CertificateError):
        raise
    except UndecidedError as error:
        kind = type(error).__name__
        raise Failed(kind, f"undecided: {error.message}", error.hint, UNDECIDED) from None
    except MemoryError:
        raise Failed(
            "MemoryError", "undecided: There is not enough memory.", "", UNDECIDED
        ) from None
    except PrivetError as error:
        raise failed(error, in_options(error, frozenset()), USAGE) from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        place = f"{error.filename}: " if error.filename is not None else ""
        told = f"{place}{error.strerror or 'input/output error'}."
        raise Failed("OSError", told, "", USAGE) from None


def read_seconds(text: str) -> Fraction:
    """A positive number of seconds. Errors: ParameterError."""
    from privet.exact import exact_number

    seconds = exact_number(text, "--time-limit")
    if seconds <= 0:
        raise ParameterError("--time-limit must be greater than 0.", parameter="time_limit")
    return seconds


def one_claim(ratio: str | None, epsilon: str | None) -> None:
    """Errors: ParameterError if both are given."""
    if ratio is not None and epsilon is not None:
        raise ParameterError(
            "--ratio and --epsilon are the same claim.", hint="Give one of the two."
        )


def number(value: "Ratio") -> str:
    """Decimals, and the fraction where it is short and says more."""
    from privet.verify import wording

    return wording.number(value)


def exact(value: "Ratio | None") -> str | None:
    """For JSON: the exact fraction as text, or "inf"."""
    from privet.weighted.certificate import fraction_text

    if value is None:
        return None
    return fraction_text(value) if isinstance(value, Fraction) else "inf"


def word_text(word: Sequence[Hashable]) -> str:
    """A word for people: repetitions as counts, a long one cut with its length told."""
    from privet.verify import wording

    return wording.word_text(word)


def claim_text(ratio: object, epsilon: object) -> str:
    """'at most 2 times', or with e^1."""
    return f"at most {ratio} times" if ratio is not None else f"at most e^{epsilon} times"


def refuse_existing_files(paths: Sequence[Path], overwrite: bool) -> None:
    """Before anything is computed. Errors: OutputError."""
    from privet.whole_files import refuse_existing, refuse_unwritable

    for path in paths:
        refuse_unwritable(path)
        refuse_existing(path, overwrite)


def save_shown(
    shown: "Sequence[ModelCertificate | Counterexample]", path: Path, overwrite: bool
) -> int:
    """Write what can be checked again, if there is any; how many there are."""
    from privet.cli import say
    from privet.verify import save_certificates

    if not shown:
        say(f"note: there is nothing that can be checked again, so {path} was not written.")
        return 0
    save_certificates(shown, path, overwrite=overwrite)
    return len(shown)


def lengths_text(length: Any) -> str:
    """The words that are asked about."""
    if length is None:
        return "words of every length"
    if isinstance(length, range):
        return f"words of {length.start} to {length.stop - 1} symbols"
    return "words of 1 symbol" if length == 1 else f"words of {length} symbols"


def print_files(certificate: Path | None, saved: int, drawn: Sequence[Path]) -> None:
    """Where what was written is."""
    from privet.cli.output import print_text

    if certificate is not None and saved:
        print_text(f"Certificate: {certificate} (privet verify certificate {certificate})")
    if drawn:
        print_text(f"Pictures: {', '.join(map(str, drawn))}")
