"""What the remedies of errors are called on the command line.

Contract. An error keeps its message; its hint is in terms of options where Privet's own hint is in
terms of Python. Nothing is added that the error does not hold.
"""

from privet.errors import DomainError, MissingValueError, PrivetError

_OPTIONS = {
    "adjacency": "--adjacency",
    "calibration": "--calibration",
    "confidence": "--confidence",
    "decode_method": "--decode-method",
    "delta": "--delta",
    "epsilon": "--epsilon",
    "length": "--length",
    "mechanism": "--mechanism",
    "pseudocount": "--pseudocount",
    "rows_per_person": "--person COLUMN --rows-per-person N",
    "split": "--split NAME=SHARE",
    "variance": "--variance",
}
"""Parameters of Python and the options that set them."""


def in_options(error: PrivetError) -> str:
    """The error as a line for the command line, its remedy as options."""
    column = getattr(error, "column", None)
    rows = f" {_how_rows_count()}" if hasattr(error, "position") else ""
    if isinstance(error, MissingValueError) and column is not None:
        hint = f"Name a symbol for missing values, --missing '{column}=SYMBOL', or complete them."
        if "ragged" in error.hint:
            hint = f"If sequences end early, add --ragged. {hint}"
        if "stands for" not in error.hint:
            return str(error)
        return f"{error.message} {hint}{rows}"
    if isinstance(error, DomainError) and column is not None and rows and "'other'" in error.hint:
        shown = error.hint[error.hint.find("(") : error.hint.rfind(")") + 1]
        hint = (
            f"Name a symbol for such labels, --other '{column}=SYMBOL', or list them with the "
            f"others {shown}."
        )
        return f"{error.message} {hint}{rows}"
    if isinstance(error, DomainError) and "outside='allow'" in error.hint:
        return (
            f"{error.message} Correct the data or the language, or add --outside allow; every "
            "release is in the language all the same. Words and positions count from 0, words in "
            "the order in which they begin in the file."
        )
    if "Give a pseudocount such as 1" in error.hint:
        hint = error.hint.replace("Give a pseudocount such as 1", "Add --pseudocount 1")
        return f"{error.message} {hint}"
    option = _OPTIONS.get(str(getattr(error, "parameter", "")), "")
    if option and option.split()[0] not in str(error):
        return f"{error} The option is {option}."
    return str(error)


def _how_rows_count() -> str:
    from privet.data.arrow import ROWS_COUNT

    return ROWS_COUNT
