"""What the remedies of errors are called on the command line.

Contract. An error keeps its message; its hint is in terms of options where Privet's own hint is in
terms of Python. Nothing is added that the error does not hold.
"""

import re
from collections.abc import Collection

from privet.errors import DomainError, MissingValueError, PrivetError

_OPTIONS = {
    "account": "--account NAME",
    "adjacency": "--adjacency",
    "budget": "--budget",
    "calibration": "--calibration",
    "confidence": "--confidence",
    "decode_method": "--decode-method",
    "delta": "--delta",
    "epsilon": "--epsilon",
    "initial": "--initial",
    "length": "--length",
    "levels": "--levels STATE=NUMBER,...",
    "mechanism": "--mechanism",
    "method": "--method",
    "nodes": "--nodes START:STOP",
    "pseudocount": "--pseudocount",
    "neighbours": "--neighbours",
    "query": "--query",
    "ratio": "--ratio",
    "seconds": "--calibration-seconds",
    "reason": "--reason TEXT",
    "rows_per_person": "--person COLUMN --rows-per-person N",
    "split": "--split NAME=SHARE",
    "time_limit": "--time-limit SECONDS",
    "unit": "--unit",
    "variance": "--variance",
}
"""Parameters of Python and the options that set them."""

_ACCOUNTS = (
    (r"made with IndependentRecords\((\w+)\)", r"made with --unit \1"),
    (r"made with IndependentRecords", "made with --unit"),
    (
        "made with the framework of the query's mechanism, so with its chains and start",
        "made with the --chain (or --box) and the --initial of the query",
    ),
    (r"with unit='(\w+)'", r"made with --records \1"),
    (r" \(account\.framework\.alphabet\)", ""),
    ("adjacency=1", "--adjacency 1"),
    (r"Make the mechanism with account\.framework", "Give the account's own --chain and --initial"),
    ("Use MarkovLaplace", "Use --method best"),
    ("with rows", "with --rows N"),
)
"""What accounts are made with, in Python and on the command line."""


def in_options(error: PrivetError, options: Collection[str]) -> str:
    """The error as a line for the command line, its remedy as options; `options`: there are."""
    column = getattr(error, "column", None)
    # The columns of a wide table are one series, with one symbol for all of them.
    symbol = "SYMBOL" if error.payload.get("every_column") else f"'{column}=SYMBOL'"
    rows = f" {_how_rows_count()}" if hasattr(error, "position") else ""
    if isinstance(error, MissingValueError) and column is not None:
        hint = f"Name a symbol for missing values, --missing {symbol}, or complete them."
        if "ragged" in error.hint:
            hint = f"If sequences end early, add --ragged. {hint}"
        if "stands for" not in error.hint:
            return str(error)
        return f"{error.message} {hint}{rows}"
    if isinstance(error, DomainError) and column is not None and rows and "'other'" in error.hint:
        shown = error.hint[error.hint.find("(") : error.hint.rfind(")") + 1]
        listed = "list them with the others"
        if "--symbols" not in options and "--column" not in options:
            listed = "give a model that has them as states beside"  # of a query, say
        hint = f"Name a symbol for such labels, --other {symbol}, or {listed} {shown}."
        if error.payload.get("all_rows"):
            hint = f"No label of it is: is it a column of such symbols {shown}? {hint}"
        return f"{error.message} {hint}{rows}"
    if isinstance(error, DomainError) and "outside='allow'" in error.hint:
        hint = error.hint.replace("allow words outside it (outside='allow')", "add --outside allow")
        return (
            f"{error.message} {hint} Words, positions and rows count from 0, words in the order in "
            "which they begin in the file, rows without the header."
        )
    hint = _reworded(error)
    if hint != error.hint:
        return f"{error.message} {hint}"
    option = _OPTIONS.get(str(getattr(error, "parameter", "")), "")
    name = option.split()[0] if option else ""
    if name and name in options and name not in str(error):
        return f"{error} The option is {option}."
    return str(error)


def _reworded(error: PrivetError) -> str:
    """The hint with what is written in Python written as options."""
    hint = error.hint.replace("Give a pseudocount such as 1", "Add --pseudocount 1")
    hint = hint.replace("with set_budget", "with privet ledger budget")
    hint = hint.replace("create=True or `privet ledger init`", "privet ledger init")
    hint = hint.replace(", and so does giving its framework and its budget", "")
    hint = hint.replace("say that lengths differ (ragged).", "add --ragged.")
    hint = re.sub(r"\bratio=(\d+)(?= claims)", r"--ratio \1", hint)
    if getattr(error, "parameter", "") in ("ledger", "rows"):
        for python, option in _ACCOUNTS:
            hint = re.sub(python, option, hint)
    return hint


def _how_rows_count() -> str:
    from privet.data.arrow import ROWS_COUNT

    return ROWS_COUNT
