"""A language as a JSON document, and back.

Contract. {"kind": "language", "alphabet": [symbols], ...} and the fields of one of these forms:

    "pattern": a regular expression over the symbols, see `languages.parse`
    "allowed": a row for each symbol of 0 and 1, whether the symbol of the column may follow it;
        and, unless a word may begin with any, "start": [symbols]
    "moves": [[state, symbol, next state], ...], a symbol null for a move that reads none, as many
        moves from a state by a symbol as there are; "initial": state, "accepting": [states]
    "transitions": a row for each state, an entry for each symbol in order, the next state or null
        where the word cannot go on; "initial": state, "accepting": [states], counted from 0

Unknown fields and wrong entries are a ModelError naming the field and the row, move or position; so
is a language that needs more than MOST_STATES deterministic states. What is written is the table of
the smallest automaton, so equal languages give equal documents.
"""

from typing import Any

import numpy as np

from privet.errors import ModelError
from privet.languages import tables
from privet.languages.automaton import Automaton
from privet.languages.expressions import automaton_of
from privet.languages.nondeterministic import determinise
from privet.languages.parse import parse
from privet.symbols import Alphabet

FORMS: dict[str, tuple[str, ...]] = {
    "pattern": ("pattern",),
    "allowed": ("allowed", "start"),
    "moves": ("moves", "initial", "accepting"),
    "transitions": ("transitions", "initial", "accepting"),
}
"""The fields of each form, the one that tells it first."""

OPTIONAL = ("start",)


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
    form = form_of(document)
    _check_fields(document, ("kind", "alphabet", *FORMS[form]))
    symbols = document["alphabet"]
    if not isinstance(symbols, list):
        raise _not_a_list("alphabet", "symbols")
    alphabet = Alphabet(symbols)
    readers = {
        "pattern": _by_pattern,
        "allowed": _by_allowed,
        "moves": _by_moves,
        "transitions": _by_transitions,
    }
    return alphabet, readers[form](alphabet, document)


def form_of(document: dict[str, Any]) -> str:
    """Which of FORMS the document is in. Errors: ModelError for none or several."""
    found = [form for form in FORMS if form in document]
    if not found:
        raise ModelError(
            "The language lacks the field 'transitions' (or 'pattern', 'allowed' or 'moves' in its "
            "place).",
            hint="One of them says which words there are.",
            field="transitions",
        )
    if len(found) > 1:
        raise ModelError(
            f"The language has the fields '{found[0]}' and '{found[1]}', which are two forms.",
            hint="Write it in one form.",
            field=found[1],
        )
    return found[0]


def _check_fields(document: dict[str, Any], fields: tuple[str, ...]) -> None:
    hint = f"Its fields are {', '.join(fields)}."
    for field in fields:
        if field not in document and field not in OPTIONAL:
            raise ModelError(f"The language lacks the field '{field}'.", hint=hint, field=field)
    for field in document:
        if field not in fields:
            raise ModelError(f"The language has no field '{field}'.", hint=hint, field=field)


def _by_pattern(alphabet: Alphabet, document: dict[str, Any]) -> Automaton:
    return determinise(automaton_of(parse(document["pattern"], alphabet), len(alphabet)))


def _by_allowed(alphabet: Alphabet, document: dict[str, Any]) -> Automaton:
    start = document.get("start")
    if start is not None and not isinstance(start, list):
        raise _not_a_list("start", "symbols")
    first = np.ones(len(alphabet), np.bool_)
    if start is not None:
        first = tables.read_start(alphabet, start)
    return tables.from_steps(alphabet, _rows(document, "allowed", len(alphabet)), first)


def _by_moves(alphabet: Alphabet, document: dict[str, Any]) -> Automaton:
    moves, initial, accepting = (document[field] for field in FORMS["moves"])
    for field, entries in (("moves", moves), ("accepting", accepting)):
        if not isinstance(entries, list):
            raise _not_a_list(field, "states" if field == "accepting" else field)
    _check_name(initial, "initial")
    for number, state in enumerate(accepting):
        _check_name(state, f"accepting[{number}]")
    for number, move in enumerate(moves):
        _check_move(alphabet, move, f"moves[{number}]")
    _check_passable(moves, initial, accepting)
    table: dict[Any, dict[Any, list[Any]]] = {initial: {}}
    for state, symbol, target in moves:
        table.setdefault(target, {})
        table.setdefault(state, {}).setdefault(symbol, []).append(target)
    return determinise(tables.nondeterministic(alphabet, table, initial, accepting))


def _check_move(alphabet: Alphabet, move: object, where: str) -> None:
    if not isinstance(move, list) or len(move) != 3:
        raise ModelError(
            f"{where} is not a list of three.",
            hint="A move is [state, symbol, next state].",
            field="moves",
        )
    state, symbol, target = move
    _check_name(state, where)
    _check_name(target, where)
    if symbol is not None and symbol not in alphabet:
        raise ModelError(
            f"{where} reads {symbol!r}, which is not a symbol of the alphabet.",
            hint=f"The alphabet is {alphabet!r}.",
            field="moves",
        )


def _check_name(state: object, where: str) -> None:
    if type(state) not in (str, int):
        raise ModelError(
            f"{where}: a state is named by text or a whole number, not by a "
            f"{type(state).__name__}.",
            field=where.split("[")[0],
        )


def _check_passable(moves: list[Any], initial: object, accepting: list[Any]) -> None:
    """Refuse a state that no word can pass through: most likely it is another one, misspelt."""
    reached = {initial, *(target for _, _, target in moves)}
    left = {*accepting, *(state for state, _, _ in moves)}
    lost, stuck = "no move leads there", "no move leaves it, and no word ends there"
    places = [("initial", initial, left, stuck)]
    places += [(f"accepting[{i}]", state, reached, lost) for i, state in enumerate(accepting)]
    for number, (state, _, target) in enumerate(moves):
        places.append((f"moves[{number}]", state, reached, lost))
        places.append((f"moves[{number}]", target, left, stuck))
    for where, state, known, problem in places:
        if state not in known:
            raise ModelError(
                f"{where} names the state {state!r}, but {problem}.",
                hint="Write the state as elsewhere, or leave it out: no word passes through it.",
                field=where.split("[")[0],
            )


def _by_transitions(alphabet: Alphabet, document: dict[str, Any]) -> Automaton:
    rows = _rows(document, "transitions", len(alphabet))
    table = [
        [-1 if s is None else _state(s, len(rows), f"transitions, row {number}") for s in row]
        for number, row in enumerate(rows)
    ]
    states = document["accepting"]
    if not isinstance(states, list):
        raise _not_a_list("accepting", "states")
    accepting = np.zeros(len(table), np.bool_)
    accepting[[_state(state, len(table), "accepting") for state in states]] = True
    initial = _state(document["initial"], len(table), "initial")
    return Automaton(np.array(table, np.int32), initial, accepting)


def _rows(document: dict[str, Any], field: str, symbols: int) -> list[list[Any]]:
    rows = document[field]
    if not isinstance(rows, list) or not rows:
        raise _not_a_list(field, "rows")
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != symbols:
            raise ModelError(
                f"{field}, row {number}: an entry is needed for each of the {symbols} symbols.",
                hint="Entries are in the order of the alphabet.",
                field=field,
                row=number,
            )
    return rows


def _state(state: object, states: int, where: str) -> int:
    if type(state) is not int or not 0 <= state < states:
        raise ModelError(
            f"{where}: an entry is not one of the states 0..{states - 1}.",
            hint="States are the rows of transitions, counted from 0.",
            field=where.split(",")[0],
        )
    return state


def _not_a_list(field: str, of: str) -> ModelError:
    return ModelError(f"{field} is not a list of {of}.", field=field)
