"""`privet fit --box`: a box of Markov chains that holds the true one with a stated confidence.

Contract. From public series only. The box is written as a model file.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import ParameterError

if TYPE_CHECKING:
    from privet.chains.box import ChainBox
    from privet.symbols import Words

PUBLIC_BOX = (
    "the box holds counts of these sequences without any protection: make it from public sequences "
    "only"
)

_LARGEST_TABLE = 8


def refuse_with_box(receipt: Path | None, support: Path | None, pseudocount: str) -> None:
    """Errors: ParameterError for options that a box has no use for."""
    if receipt is not None or support is not None or pseudocount != "0":
        raise ParameterError(
            "--box makes a confidence region from the counts of public sequences as they are.",
            hint="Leave out --receipt, --support and --pseudocount.",
        )


def write_box(
    path: Path, words: "Words", confidence: str, *, overwrite: bool = False
) -> "ChainBox":
    """The box of those words, written to `path`. Errors: DataError, ParameterError, OutputError."""
    from privet.chains import save_model
    from privet.chains.box import ChainBox

    box = ChainBox.from_words(words, confidence=confidence)
    save_model(box, path, overwrite=overwrite)
    return box


def print_box(path: Path, box: "ChainBox", as_json: bool) -> None:
    """The bounds, and what to know of them; notes go to the standard error."""
    from privet.cli import say
    from privet.cli.output import percent, print_json, print_table, print_text

    notes = [PUBLIC_BOX]
    unseen = int((box.lower == 0).sum())
    if unseen:
        notes.append(
            f"{'1 transition was' if unseen == 1 else f'{unseen} kinds of transitions were'} never "
            "seen, so it may be impossible or not: such a box bounds no influence, and a query "
            "with it gets the noise of group DP"
        )
    for note in notes:
        say(f"note: {note}.")
    if as_json:
        print_json({"output": str(path), "box": box.to_json(), "notes": notes})
        return
    names = [str(symbol) for symbol in box.states]
    if len(names) <= _LARGEST_TABLE:
        rows = [
            [name, *(f"{low:.4f} to {high:.4f}" for low, high in zip(below, above, strict=True))]
            for name, below, above in zip(names, box.lower, box.upper, strict=True)
        ]
        print_table("Bounds of the probability of the next symbol", ["after", *names], rows)
    level = percent(float(box.confidence or 0))
    print_text(
        f"All of them hold together with confidence {level}, for a chain that is always the same."
    )
    print_text(f"Box: {path} ({len(names)} states)")
