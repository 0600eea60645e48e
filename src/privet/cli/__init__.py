"""The command line: `privet`.

Contract. Exit codes: 0 done, 1 refused or failed, 2 usage (a bad parameter), 130 interrupted, 141
the reader of the output went away. Whatever goes wrong is one line on the standard error that names
the place and the remedy; there is no traceback and no private value, not even for an error nobody
foresaw (its kind and place in the program are told, never its text). With `--json` the standard
output holds one JSON value and nothing else, of an error too; `privet.cli.outputs` has the schemas.
Interrupting leaves nothing half-written. No mathematics here; a command imports what it needs when
it runs, so that help is fast.
"""

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from privet.cli.failing import Failed

EXIT_REFUSED, EXIT_USAGE, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code and raises nothing."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    from privet.cli.failing import Failed
    from privet.cli.output import answered

    given = list(sys.argv[1:] if arguments is None else arguments)
    answered.yes = False
    try:
        with _warnings_as_lines(), _ending_signals_as_exceptions():
            code = _run(given)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        close_standard_output()
        return EXIT_PIPE
    except KeyboardInterrupt as error:
        message = "interrupted; nothing was left half-written."
        return Failed("Interrupted", message, _remarks_of(error), EXIT_INTERRUPTED).tell(given)
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else EXIT_REFUSED
    except Exception as error:
        return _failed(error, given).tell(given)


def _run(arguments: list[str]) -> int:
    import typer

    from privet.cli.app import app
    from privet.cli.failing import Failed

    # Typer brings its own copy of click; its public exception leads to the common base of both.
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]
    command = typer.main.get_command(app)
    try:
        # Not command.main, which has ways of its own with interrupts and broken pipes.
        # A copy: it takes what it reads out of the list.
        with command.make_context("privet", [*arguments]) as context:
            command.invoke(context)
        return 0
    except typer.Exit as ending:
        return ending.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except usage_error as error:
        message = error.format_message()  # type: ignore[attr-defined]  # click's, typed only in its copy
        place = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":  # private to Typer's copy of click
            sys.stdout.write(f"{message}\n")
        elif message:
            path = place.command_path if place is not None else "privet"
            end = "" if message.endswith((".", "?")) else "."
            listed = sorted(getattr(getattr(place, "command", None), "commands", {}))
            if message.startswith("No such command") and "Did you mean" not in message:
                end += f" The commands are {', '.join(f'{path} {name}' for name in listed)}."
            raise Failed(
                "UsageError", f"{message}{end}", f"Try '{path} --help'.", EXIT_USAGE
            ) from None
        return EXIT_USAGE


def _options_of(arguments: Sequence[str]) -> frozenset[str]:
    """The options of the command that was called."""
    import typer

    from privet.cli.app import app

    command: Any = typer.main.get_command(app)
    for argument in arguments:
        inner = getattr(command, "commands", {}).get(argument)
        if inner is None:
            break
        command = inner
    return frozenset(name for param in command.params for name in param.opts)


def _failed(error: Exception, arguments: Sequence[str]) -> "Failed":
    from privet.cli.failing import Failed, failed
    from privet.cli.hints import in_options
    from privet.errors import ParameterError, PrivetError

    if isinstance(error, Failed):
        return error
    if isinstance(error, PrivetError):
        code = EXIT_USAGE if isinstance(error, ParameterError) else EXIT_REFUSED
        return failed(error, in_options(error, _options_of(arguments)), code)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        told = f"{place}{error.strerror or 'input/output error'}."
        return Failed("OSError", told, "", EXIT_REFUSED)
    if isinstance(error, MemoryError):
        remedy = "Release fewer columns, or the file in parts."
        return Failed("MemoryError", "not enough memory.", remedy, EXIT_REFUSED)
    # The text of a foreign error may hold a value of the data: only its kind and place are told.
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = "?" if last is None else _place(last.tb_frame, last.tb_lineno)
    return Failed(
        "InternalError",
        f"internal error {type(error).__name__} at {place}; nothing was written.",
        f"Report it. {_remarks_of(error)}".strip(),
        EXIT_REFUSED,
    )


def _remarks_of(error: BaseException) -> str:
    """What Privet itself says beside an error that is not its own: that a budget stays spent."""
    notes: list[str] = getattr(error, "__notes__", [])
    if not notes:
        return ""
    from privet.releasing.paying import STAYS_CHARGED

    return " ".join(note for note in notes if note.startswith(STAYS_CHARGED))


def _place(frame: FrameType, line: int) -> str:
    return f"{frame.f_globals.get('__name__', '?')}:{line}"


def say(text: str) -> None:
    """One line on the standard error."""
    words = " ".join(f"privet: {text}".split())
    # Names come from files: nothing in them may steer the terminal.
    line = "".join(sign if sign.isprintable() else "?" for sign in words)
    try:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    except OSError:
        pass  # Nobody is there to read it.


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Our own warnings are lines; those of libraries are left out, they may quote data."""
    from privet.errors import PrivacyLeakWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", PrivacyLeakWarning)
        warnings.showwarning = lambda message, *_rest: say(f"warning: {message}")
        yield


@contextmanager
def _ending_signals_as_exceptions() -> Iterator[None]:
    """A request to end the process unwinds it, so that temporary files are removed."""

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before: dict[int, object] = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        try:
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, end)
        except ValueError:
            break  # Not the main thread, which alone may handle signals.
    try:
        yield
    finally:
        for number in before:
            signal.signal(number, signal.SIG_DFL)


def close_standard_output() -> None:
    """Nothing may be written at exit any more, or Python would complain about the broken stream."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
