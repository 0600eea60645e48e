"""A language as a JSON document, and back.

Contract. {"kind": "language", "alphabet": [symbols], "transitions": [[state or null, ...], ...],
"initial": state, "accepting": [states]}: a row for each state, an entry for each symbol in order,
null where the word cannot go on. Unknown fields and wrong entries are a ModelError naming the field
and row. What is written is the smallest automaton, so equal languages give equal documents.
"""

from typing import Any

import numpy as np

from privet.errors import ModelError
from privet.languages.automaton import Automaton
from privet.symbols import Alphabet

FIELDS = ("kind", "alphabet", "transitions", "initial", "accepting")


def write(alphabet: Alphabet, automaton: Automaton) -> dict[str, Any]:
    """The document. Errors: ParameterTypeError if a symbol has no JSON form."""
    rows = automaton.transitions.tolist()
    return {
        "kind": "language",
        "alphabet": alphabet.to_json(),
        "transitions": [[None if state < 0 else state for state in row] for row in rows],
        "initial": automaton.initial,
        "accepting": np.flatnonzero(automaton.accepting).tolist(),
    }


def read(document: object) -> tuple[Alphabet, Automaton]:
    """The alphabet and the automaton of a document."""
    if not isinstance(document, dict) or document.get("kind") != "language":
        raise ModelError(
            "The document does not describe a language.", hint='Its "kind" must be "language".'
        )
    for field in FIELDS:
        if field not in document:
            raise ModelError(f"The language lacks the field '{field}'.", hint=_shape(), field=field)
    for field in document:
        if field not in FIELDS:
            raise ModelError(f"A language has no field '{field}'.", hint=_shape(), field=field)
    symbols = document["alphabet"]
    if not isinstance(symbols, list):
        raise ModelError("alphabet is not a list of symbols.", hint=_shape(), field="alphabet")
    alphabet = Alphabet(symbols)
    table = _table(document["transitions"], len(alphabet))
    accepting = np.zeros(len(table), np.bool_)
    states = document["accepting"]
    if not isinstance(states, list):
        raise ModelError("accepting is not a list of states.", hint=_shape(), field="accepting")
    accepting[[_state(state, len(table), "accepting") for state in states]] = True
    initial = _state(document["initial"], len(table), "initial")
    return alphabet, Automaton(np.array(table, np.int32), initial, accepting)


def _table(rows: object, symbols: int) -> list[list[int]]:
    if not isinstance(rows, list) or not rows:
        raise ModelError(
            "transitions is not a list of rows, one for each state.",
            hint=_shape(),
            field="transitions",
        )
    table = []
    for number, row in enumerate(rows):
        where = f"transitions, row {number}"
        if not isinstance(row, list) or len(row) != symbols:
            raise ModelError(
                f"{where}: an entry is needed for each of the {symbols} symbols.",
                hint="An entry is the next state, or null.",
                field="transitions",
                row=number,
            )
        table.append([-1 if s is None else _state(s, len(rows), where) for s in row])
    return table


def _state(state: object, states: int, where: str) -> int:
    if type(state) is not int or not 0 <= state < states:
        raise ModelError(
            f"{where}: an entry is not one of the states 0..{states - 1}.",
            hint="States are the rows of transitions, counted from 0.",
            field=where.split(",")[0],
        )
    return state


def _shape() -> str:
    return f"Its fields are {', '.join(FIELDS)}."
