"""Model files on the command line: the language of --language, the chain of --decode or --chain.

Contract. A model is public. Its symbols are the alphabet of the words; symbols that are listed
beside it must be the same ones. What a file holds is told from its "kind", and a chain stands for
the language of the words that it can produce. Nothing here reads data.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.chains import MarkovChain
    from privet.languages import Language
    from privet.symbols import Alphabet


def read_language_file(path: Path, option: str = "--language") -> "Language":
    """The language in a file, or the words that the chain in it can produce.

    Errors: FileFormatError, ModelError naming the file and the place in it.
    """
    from privet.chains import MarkovChain, read_model
    from privet.errors import ModelError
    from privet.languages import Language

    model = read_model(path)
    if isinstance(model, Language):
        return model
    if isinstance(model, MarkovChain):
        return Language.from_chain(model)
    raise ModelError(
        f"The model {path} is a {model.kind}, which {option} does not take.",
        hint='Its "kind" must be "language" or "markov-chain".',
        path=str(path),
    )


def read_chain_file(path: Path, option: str) -> "MarkovChain":
    """The Markov chain in a file. Errors: as `read_language_file`."""
    from privet.chains import MarkovChain, read_model
    from privet.errors import ModelError

    model = read_model(path)
    if isinstance(model, MarkovChain):
        return model
    raise ModelError(
        f"The model {path} is not a Markov chain, which {option} needs.",
        hint='Its "kind" must be "markov-chain"; privet fit learns one from public or released '
        "sequences.",
        path=str(path),
    )


def symbols_of(model: "Alphabet", listed: Sequence[Hashable] | None, path: Path) -> list[Hashable]:
    """The symbols of a model, in its order. Errors: ModelError if others were listed beside it."""
    from privet.chains.naming import differing
    from privet.errors import ModelError

    own = [str(symbol) for symbol in model.symbols]
    others = [] if listed is None else [str(symbol) for symbol in listed]
    if listed is not None and sorted(own) != sorted(others):
        only_own, only_listed = differing(own, others)
        parts = [
            f"only {owner} {names}"
            for owner, names in (("the model has", only_own), ("the symbols have", only_listed))
            if names
        ]
        raise ModelError(
            f"The model {path} has other states ({len(own)}) than there are symbols "
            f"({len(listed)}): {'; '.join(parts) or 'one is there twice'}.",
            hint="Leave --symbols out to use those of the model, and take --missing and --other "
            "from among them.",
            path=str(path),
        )
    return [*model.symbols]


@contextmanager
def symbols_from(path: Path | None) -> Iterator[None]:
    """Labels that are no symbols have another remedy where the symbols come from a model."""
    from privet.data.arrow import ROWS_COUNT
    from privet.errors import DomainError, MissingValueError

    try:
        yield
    except DomainError as error:
        column = error.payload.get("column")
        if path is None or column is None or "position" not in error.payload:
            raise
        if error.payload.get("all_rows"):
            raise DomainError(
                f"No label of the column '{column}' is a state of {path} ({_states(path)}).",
                hint="Is it the right model, and the right column? The symbols come from the "
                "model.",
                column=column,
            ) from None
        hint = f"The symbols come from {path}: correct the data, or add the state to the model."
        if isinstance(error, MissingValueError):
            ragged = " (or add --ragged, if sequences end early)" if "ragged" in error.hint else ""
            hint = (
                f"The symbols come from {path}: complete the data{ragged}, or name one of them "
                f"for missing values, --missing '{column}=SYMBOL', after adding it to the model."
            )
        raise type(error)(error.message, hint=f"{hint} {ROWS_COUNT}", **error.payload) from None


def _states(path: Path) -> str:
    """The first few states of a model, which are public."""
    from privet.chains.naming import shown

    return shown(read_language_file(path).alphabet)


def over(language: "Language", alphabet: "Alphabet") -> "Language":
    """The language with the symbols of `alphabet`, which are written the same, in their order."""
    from privet.languages import Language
    from privet.languages.automaton import Automaton

    own = [str(symbol) for symbol in language.alphabet.symbols]
    order = [own.index(str(symbol)) for symbol in alphabet.symbols]
    made = language.automaton
    return Language(alphabet, Automaton(made.transitions[:, order], made.initial, made.accepting))


def learnt_notes(path: Path | None) -> tuple[str, ...]:
    """A note if the language in a file was learnt from a release."""
    from privet.chains import MarkovChain, read_model

    model = None if path is None else read_model(path)
    origin = model.learnt_from if isinstance(model, MarkovChain) else None
    if origin is None:
        return ()
    note = (
        f"the language is that of a chain learnt from the release {origin['file']} of epsilon "
        f"{origin['epsilon']}: if that was a release of these data too, the two add up"
    )
    return (note,)
