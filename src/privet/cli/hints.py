"""What the remedies of errors are called on the command line.

Contract. An error keeps its message; its hint is in terms of options where Privet's own hint is in
terms of Python. Nothing is added that the error does not hold.
"""

from collections.abc import Collection

from privet.errors import DomainError, MissingValueError, PrivetError

_OPTIONS = {
    "adjacency": "--adjacency",
    "calibration": "--calibration",
    "confidence": "--confidence",
    "decode_method": "--decode-method",
    "delta": "--delta",
    "epsilon": "--epsilon",
    "length": "--length",
    "levels": "--levels STATE=NUMBER,...",
    "mechanism": "--mechanism",
    "method": "--method",
    "nodes": "--nodes START:STOP",
    "pseudocount": "--pseudocount",
    "query": "--query",
    "rows_per_person": "--person COLUMN --rows-per-person N",
    "split": "--split NAME=SHARE",
    "variance": "--variance",
}
"""Parameters of Python and the options that set them."""


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
        hint = (
            f"Name a symbol for such labels, --other {symbol}, or list them with the "
            f"others {shown}."
        )
        if error.payload.get("all_rows"):
            hint = f"No label of it is: is it a column of such symbols {shown}? {hint}"
        return f"{error.message} {hint}{rows}"
    if isinstance(error, DomainError) and "outside='allow'" in error.hint:
        hint = error.hint.replace("allow words outside it (outside='allow')", "add --outside allow")
        return (
            f"{error.message} {hint} Words, positions and rows count from 0, words in the order in "
            "which they begin in the file, rows without the header."
        )
    if "Give a pseudocount such as 1" in error.hint:
        hint = error.hint.replace("Give a pseudocount such as 1", "Add --pseudocount 1")
        return f"{error.message} {hint}"
    option = _OPTIONS.get(str(getattr(error, "parameter", "")), "")
    name = option.split()[0] if option else ""
    if name and name in options and name not in str(error):
        return f"{error} The option is {option}."
    return str(error)


def _how_rows_count() -> str:
    from privet.data.arrow import ROWS_COUNT

    return ROWS_COUNT
