"""How a command fails: one line on the standard error and, with --json, one JSON value too.

Contract. The line says all there is to say; the value says the same in fields. There is never a
second JSON value: where a command has printed its own already, the exit code tells what is wrong.
Neither has a private value or the text of a foreign error.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from privet.errors import PrivetError


class Failed(Exception):  # not an error of its own, but what one comes to
    """What ended a command.

    `kind`: the class of the error; `remedy`: what to do, empty if that is not known; `code`: the
    exit code.
    """

    def __init__(self, kind: str, message: str, remedy: str, code: int) -> None:
        super().__init__(message)
        self.kind, self.message, self.remedy, self.code = kind, message, remedy, code

    def to_json(self) -> dict[str, Any]:
        """What --json prints of it."""
        return {
            "error": self.kind,
            "message": self.message,
            "hint": self.remedy or None,
            "exit_code": self.code,
        }

    def tell(self, arguments: Sequence[str]) -> int:
        """Say it, as JSON too if `arguments` ask for that; the exit code."""
        from privet.cli import close_standard_output, say

        opening = "" if self.kind == "Interrupted" else "error: "
        say(f"{opening}{self.message} {self.remedy}")
        if asks_for_json(arguments):
            from privet.cli.output import answered, print_json

            if not answered.yes:
                with suppress(OSError):  # nobody is there to read it
                    print_json(self.to_json())
        close_standard_output()
        return self.code


def failed(error: PrivetError, told: str, code: int) -> Failed:
    """The failure that an error of ours comes to; `told`: its message, then its remedy."""
    remedy = told.removeprefix(error.message).strip()
    return Failed(type(error).__name__, error.message, remedy, code)


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether --json is among the options, however wrong the others are."""
    given = list(arguments)
    return "--json" in (given[: given.index("--")] if "--" in given else given)
