"""Model files on the command line: the language of --language, the chain of --decode or --chain.

Contract. A model is public. Its symbols are the alphabet of the words; symbols that are listed
beside it must be the same ones. What a file holds is told from its "kind", and a chain stands for
the language of the words that it can produce. Nothing here reads data.
"""

from collections.abc import Hashable, Sequence
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
    from privet.errors import ModelError

    own = [str(symbol) for symbol in model.symbols]
    if listed is not None and sorted(own) != sorted(str(symbol) for symbol in listed):
        raise ModelError(
            f"The model {path} has other states ({len(own)}) than there are symbols "
            f"({len(listed)}).",
            hint=f"Its states are {', '.join(own[:20])}{', ...' if len(own) > 20 else ''}; leave "
            "--symbols out to use them, and take --missing and --other from among them.",
            path=str(path),
        )
    return [*model.symbols]
