"""The symbols and the fields of a model: what its rows and columns are called.

Contract. A model has at least two states, with distinct names; a description has the fields of its
kind and no others. Anything else is a ModelError.
"""

from collections.abc import Hashable, Iterable

from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.symbols import Alphabet


def read_symbol_names(
    names: Iterable[Hashable] | Alphabet | None, size: int, role: str
) -> Alphabet:
    """The alphabet of `size` states or observations. Errors: ModelError."""
    if size < 2:
        raise ModelError(f"The model has {size} of its {role}; it needs at least two.")
    if isinstance(names, str | bytes):
        raise ParameterTypeError(
            f"The {role} are one string.", hint="Write list('abc') or ['low', 'high']."
        )
    try:
        alphabet = (
            names
            if isinstance(names, Alphabet)
            else Alphabet(range(size) if names is None else names)
        )
    except ParameterError as error:
        raise ModelError(f"The {role} cannot be used. {error.message}", hint=error.hint) from None
    if len(alphabet) != size:
        raise ModelError(
            f"There are {len(alphabet)} {role} and {size} columns of probabilities.",
            hint="Give one name for each column.",
        )
    return alphabet


def check_fields(
    data: object, kind: str, needed: tuple[str, ...], optional: tuple[str, ...]
) -> None:
    """Refuse a description of another kind, or with fields missing or unknown."""
    if not isinstance(data, dict) or data.get("kind") != kind:
        raise ModelError(
            f"The description is not of kind '{kind}'.", hint=f'It has "kind": "{kind}".'
        )
    for field in needed:
        if field not in data:
            raise ModelError(f"The description of the {kind} lacks '{field}'.", field=field)
    for field in data:
        if field not in ("kind", *needed, *optional):
            raise ModelError(
                f"The description of the {kind} has an unknown field '{field}'.", field=field
            )


_ORIGIN = ("file", "sha256", "epsilon")


def read_origin(given: object) -> dict[str, str] | None:
    """{"file", "sha256", "epsilon"}: the release a chain was learnt from. Errors: ModelError."""
    if given is None:
        return None
    known = isinstance(given, dict) and set(given) == set(_ORIGIN)
    if not isinstance(given, dict) or not known or not all(map(_is_text, given.values())):
        raise ModelError(
            "learnt_from does not name a release.",
            hint=f"Its fields are {', '.join(_ORIGIN)}, all of them text, as privet fit writes.",
            field="learnt_from",
        )
    return {name: given[name] for name in _ORIGIN}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def differing(first: Iterable[object], second: Iterable[object]) -> tuple[str, str]:
    """The names that only the first of two lists has, and only the second, for messages."""
    one, two = list(first), list(second)
    return _few([x for x in one if x not in two]), _few([x for x in two if x not in one])


def other_names(alphabet: Alphabet, of_chain: str, other: Alphabet, of_other: str) -> str:
    """Which names differ, as a hint; `of_chain`: who has the first ("the chain")."""
    own, others = differing(alphabet.symbols, other.symbols)
    parts = [
        f"only {owner} {'have' if owner.endswith('s') else 'has'} {names}"
        for owner, names in ((of_chain, own), (of_other, others))
        if names
    ]
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _few(names: list[object]) -> str:
    few = ", ".join(repr(name) for name in names[:8])
    return f"{few}, ..." if len(names) > 8 else few


def shown(alphabet: Alphabet) -> str:
    """The first few symbols, for messages: alphabets are public."""
    few = ", ".join(str(symbol) for symbol in alphabet.symbols[:8])
    return f"{few}, ..." if len(alphabet) > 8 else few
