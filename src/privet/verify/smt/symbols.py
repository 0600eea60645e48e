"""Parameters with constraints, and hidden Markov models whose entries are expressions in them.

Contract. A parameter is a real number in a range, "0 < p < 1", and any number of further
comparisons may hold between parameters; a name without a range is refused. Entries are exact
numbers or text. That every row is a law for every value that the constraints allow is a theorem to
be proved, and is proved before a question is answered (`privet.verify.smt.admission`); where it
fails the model is refused. Errors: ModelError.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from privet.chains import HiddenMarkovModel
from privet.chains.naming import check_fields, read_symbol_names, shown
from privet.chains.stochastic import refuse_frame
from privet.errors import ModelError, ParameterTypeError
from privet.exact import exact_number
from privet.exact.number import Number
from privet.symbols import Alphabet
from privet.verify.problem import read_threshold
from privet.verify.smt.expressions import (
    Comparison,
    Constant,
    Expression,
    Name,
    Operation,
    divisors,
    holds,
    names_of,
    read_comparisons,
    read_expression,
    value_of,
)

Entry = Number | Expression
Row = tuple[Expression, ...]
_BELOW, _ABOVE = ("<", "<="), (">", ">=")
ZERO, ONE = Constant(Fraction(0)), Constant(Fraction(1))


class Parameters:
    """Named real numbers: Parameters("0 < p < 1", "0 <= q <= 1/2", "p + q <= 1").

    Every name has a range, a chain "number < name < number" of < or <= (or of > or >=); chains of
    any other form are constraints. Errors: ModelError for text that cannot be read, an empty range
    and a name without a range.
    """

    def __init__(self, *constraints: str) -> None:
        self.texts = tuple(constraints)
        chains = [
            read_comparisons(text, f"constraint {number}")
            for number, text in enumerate(constraints)
        ]
        self.names = tuple(
            dict.fromkeys(name for chain in chains if (name := _ranged(chain)) is not None)
        )
        self.comparisons: tuple[Comparison, ...] = tuple(c for chain in chains for c in chain)
        for number, chain in enumerate(chains):
            for comparison in chain:
                self.check(comparison.left, f"constraint {number}")
                self.check(comparison.right, f"constraint {number}")

    def check(self, expression: Expression, what: str) -> None:
        """Errors: ModelError for a name without a range."""
        for name in sorted(names_of(expression) - set(self.names)):
            raise ModelError(
                f"{what} uses the parameter '{name}', which has no range.",
                hint=f'Give it one, as in Parameters("0 < {name} < 1").',
                name=name,
            )

    def read(self, value: Entry, what: str) -> Expression:
        """The expression that a number or text denotes, its names known. Errors: ModelError."""
        expression = read_expression(value, what)
        self.check(expression, what)
        return expression

    def allow(self, values: Mapping[str, Fraction]) -> bool:
        """Whether rational values, one for each name, satisfy every constraint."""
        try:
            return all(holds(comparison, values) for comparison in self.comparisons)
        except ModelError:
            return False

    def read_values(self, values: Mapping[str, Number]) -> dict[str, Fraction]:
        """Exact values in the order of the names. Errors: ModelError, ParameterError."""
        if set(values) != set(self.names):
            raise ModelError(f"Values are needed for exactly these parameters: {self!r}.")
        found = {}
        for name in self.names:
            found[name] = exact_number(values[name], f"the value of '{name}'")
        if not self.allow(found):
            raise ModelError("The values do not satisfy the constraints.")
        return found

    def divisors(self) -> Iterator[Expression]:
        """What the constraints divide by."""
        for comparison in self.comparisons:
            yield from divisors(comparison.left)
            yield from divisors(comparison.right)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Parameters) and self.texts == other.texts

    def __hash__(self) -> int:
        return hash(self.texts)

    def __repr__(self) -> str:
        return f"Parameters({', '.join(repr(text) for text in self.texts)})"


def _ranged(chain: Sequence[Comparison]) -> str | None:
    """The name of "number < name < number"; None for any other chain."""
    if len(chain) != 2 or not isinstance(chain[0].right, Name):
        return None
    first, second = chain
    low, high = first.left, second.right
    relations = first.relation, second.relation
    rising, falling = (all(r in signs for r in relations) for signs in (_BELOW, _ABOVE))
    if not (isinstance(low, Constant) and isinstance(high, Constant) and (rising or falling)):
        return None
    width = high.value - low.value if rising else low.value - high.value
    if width < 0 or (width == 0 and not all(r.endswith("=") for r in relations)):
        raise ModelError(f"The range of the parameter '{chain[0].right.name}' is empty.")
    return chain[0].right.name


class SymbolicModel:
    """A hidden Markov model whose probabilities may be expressions in `parameters`.

    `transition` (k, k) and `emission` (k, m): numbers or text such as "1 - p"; `states` and
    `observations` as for HiddenMarkovModel. Errors: ModelError for shapes, entries that cannot be
    read and names without a range; that rows sum to 1 is proved when a question is asked.
    """

    kind = "symbolic-hidden-markov-model"

    def __init__(
        self,
        transition: Sequence[Sequence[Entry]],
        emission: Sequence[Sequence[Entry]],
        parameters: Parameters,
        states: Iterable[Hashable] | Alphabet | None = None,
        observations: Iterable[Hashable] | Alphabet | None = None,
    ) -> None:
        if not isinstance(parameters, Parameters):
            raise ParameterTypeError(
                f"parameters is a {type(parameters).__name__}, not Parameters.",
                hint='Write Parameters("0 < p < 1").',
                parameter="parameters",
            )
        self.parameters = parameters
        self.transition = self._read_rows(transition, "transition")
        self.emission = self._read_rows(emission, "emission")
        size = len(self.transition)
        if any(len(row) != size for row in self.transition):
            raise ModelError(f"The transition matrix has {size} rows of another length.")
        if len(self.emission) != size:
            raise ModelError(
                f"The emission matrix has {len(self.emission)} rows, and there are {size} states.",
                hint="It has one row for each state.",
            )
        self.alphabet = read_symbol_names(states, size, "states")
        self.observed = read_symbol_names(observations, len(self.emission[0]), "observations")
        self._written = tuple(
            [[_as_text(entry) for entry in row] for row in rows] for rows in (transition, emission)
        )

    def _read_rows(self, rows: Sequence[Sequence[Entry]], name: str) -> tuple[Row, ...]:
        refuse_frame(rows, f"the {name} matrix")
        found = tuple(
            tuple(
                self.parameters.read(entry, f"Entry ({i}, {j}) of the {name} matrix")
                for j, entry in enumerate(row)
            )
            for i, row in enumerate(rows)
        )
        if not found or not found[0] or any(len(row) != len(found[0]) for row in found):
            raise ModelError(f"The {name} matrix is empty or its rows differ in length.")
        return found

    @property
    def states(self) -> tuple[Hashable, ...]:
        """The symbols of the states, in the order of all rows."""
        return self.alphabet.symbols

    @property
    def observations(self) -> tuple[Hashable, ...]:
        """The symbols of the observations, in the order of the columns of `emission`."""
        return self.observed.symbols

    def at(self, values: Mapping[str, Number]) -> HiddenMarkovModel:
        """The model of numbers at values of the parameters. Errors: ModelError, ParameterError."""
        return self.at_exact(self.parameters.read_values(values))

    def at_exact(self, values: Mapping[str, Fraction]) -> HiddenMarkovModel:
        """As `at`, for values that are known to be allowed."""
        rows = [
            [[value_of(entry, values) for entry in row] for row in matrix]
            for matrix in (self.transition, self.emission)
        ]
        return HiddenMarkovModel(rows[0], rows[1], self.alphabet, self.observed)

    def laws(self) -> Iterator[tuple[str, Row]]:
        """Every row that must be a law, with what it is called."""
        for name, rows in (("transition", self.transition), ("emission", self.emission)):
            for number, row in enumerate(rows):
                yield f"Row {number} of the {name} matrix", row

    def to_json(self) -> dict[str, Any]:
        """{"kind", "states", "observations", "parameters", "transition", "emission"}: text."""
        return {
            "kind": self.kind,
            "states": self.alphabet.to_json(),
            "observations": self.observed.to_json(),
            "parameters": list(self.parameters.texts),
            "transition": self._written[0],
            "emission": self._written[1],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "SymbolicModel":
        """The inverse of `to_json`. Errors: ModelError naming the field or the entry."""
        required = ("parameters", "transition", "emission")
        check_fields(data, cls.kind, required, ("states", "observations"))
        for name in required:
            if not isinstance(data[name], list):
                raise ModelError(f"The field '{name}' is not a list.")
        return cls(
            data["transition"],
            data["emission"],
            Parameters(*data["parameters"]),
            data.get("states"),
            data.get("observations"),
        )

    def __repr__(self) -> str:
        return (
            f"SymbolicModel({len(self.alphabet)} states: {shown(self.alphabet)}; "
            f"{len(self.observed)} observations: {shown(self.observed)}; {self.parameters!r})"
        )


def symbolic(model: HiddenMarkovModel | SymbolicModel) -> SymbolicModel:
    """The model itself, or one of numbers as one without parameters."""
    if isinstance(model, SymbolicModel):
        return model
    if isinstance(model, HiddenMarkovModel):
        return SymbolicModel(
            _constants(model.exact_transition),
            _constants(model.exact_emission),
            Parameters(),
            model.alphabet,
            model.observed,
        )
    raise ParameterTypeError(
        f"The model is a {type(model).__name__}, not a HiddenMarkovModel or a SymbolicModel.",
        hint="Make one with SymbolicModel(transition, emission, parameters).",
        parameter="model",
    )


def _constants(rows: Sequence[Sequence[Fraction]]) -> list[list[Constant]]:
    return [[Constant(entry) for entry in row] for row in rows]


def read_symbolic_secret(model: SymbolicModel, value: Any, name: str) -> Row:
    """(states,): the law of the first state that a state, a mapping or a row denotes."""
    if isinstance(value, Mapping):
        for state in value:
            if state not in model.states:
                raise ModelError(f"{name} names a state that the model does not have.")
        value = [value.get(state, 0) for state in model.states]
    elif isinstance(value, Hashable) and value in model.states:
        return tuple(ONE if value == state else ZERO for state in model.states)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise ModelError(
            f"{name} is not one of the states of the model.",
            hint="Give a state, {state: probability}, or one probability for each state.",
            parameter=name,
        )
    row = tuple(
        model.parameters.read(entry, f"Entry {number} of {name}")
        for number, entry in enumerate(value)
    )
    if len(row) != len(model.states):
        raise ModelError(
            f"{name} has {len(row)} probabilities, and the model has {len(model.states)} states.",
            hint="Give one probability for each state, in the order of the states.",
            parameter=name,
        )
    return row


def read_symbolic_ratio(model: SymbolicModel, value: Entry) -> Expression:
    """The claimed ratio; a number must be positive. Errors: ModelError, ParameterError."""
    if isinstance(value, str | Name | Operation):
        found = model.parameters.read(value, "ratio")
        if not isinstance(found, Constant):
            return found
        value = found
    if isinstance(value, Constant):
        value = value.value
    return Constant(read_threshold(value, None).low)


def _as_text(entry: Any) -> str:
    return str(entry.value if isinstance(entry, Constant) else entry)
