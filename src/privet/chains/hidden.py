"""Hidden Markov models: a chain of states of which only an observation each is seen.

Contract. A model is public. State i has row i of `transition` and of `emission`; entry (i, j) of
the emission matrix is P(observation j | state i), and the first observation is emitted in the first
state. No law of the first state is part of the model: questions about one give it themselves. Exact
entries stay exact, as in `privet.chains.markov`.
"""

import os
from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from privet.chains.naming import check_fields, read_symbol_names, shown
from privet.chains.stochastic import FloatArray, Rows, read_stochastic
from privet.errors import ModelError
from privet.symbols import Alphabet
from privet.whole_files import write_json


class HiddenMarkovModel:
    """A hidden Markov model without a law of the first state.

    `transition`: k rows of k probabilities; `emission`: k rows of m; exact or floats; `states`,
    `observations`: k and m symbols or Alphabets, 0, 1, ... unless given. Errors: ModelError naming
    the row.
    """

    kind = "hidden-markov-model"

    def __init__(
        self,
        transition: Rows,
        emission: Rows,
        states: Iterable[Hashable] | Alphabet | None = None,
        observations: Iterable[Hashable] | Alphabet | None = None,
    ) -> None:
        steps = read_stochastic(transition, "the transition matrix")
        seen = read_stochastic(emission, "the emission matrix")
        size, columns = steps.floats.shape
        if size != columns:
            raise ModelError(f"The transition matrix has {size} rows of {columns} entries.")
        if len(seen.floats) != size:
            raise ModelError(
                f"The emission matrix has {len(seen.floats)} rows, and there are {size} states.",
                hint="It has one row for each state.",
            )
        self.alphabet = read_symbol_names(states, size, "states")
        self.observed = read_symbol_names(observations, seen.floats.shape[1], "observations")
        self._steps, self._seen = steps, seen

    @property
    def states(self) -> tuple[Hashable, ...]:
        """The symbols of the states, in the order of all rows."""
        return self.alphabet.symbols

    @property
    def observations(self) -> tuple[Hashable, ...]:
        """The symbols of the observations, in the order of the columns of `emission`."""
        return self.observed.symbols

    @property
    def transition(self) -> FloatArray:
        """(k, k) float64, read-only: entry (i, j) = P(next state = j | this state = i)."""
        return self._steps.floats

    @property
    def emission(self) -> FloatArray:
        """(k, m) float64, read-only: entry (i, j) = P(observation = j | state = i)."""
        return self._seen.floats

    @property
    def is_exact(self) -> bool:
        """Whether every probability was given as an exact number."""
        return self._steps.is_exact and self._seen.is_exact

    @property
    def exact_transition(self) -> tuple[tuple[Fraction, ...], ...]:
        """The exact rows of the transition matrix; floats stand for themselves over their sum."""
        return self._steps.exact

    @property
    def exact_emission(self) -> tuple[tuple[Fraction, ...], ...]:
        """The exact rows of the emission matrix; floats as in `exact_transition`."""
        return self._seen.exact

    def to_json(self) -> dict[str, Any]:
        """{"kind": "hidden-markov-model", "states", "observations", "transition", "emission"}."""
        return {
            "kind": self.kind,
            "states": self.alphabet.to_json(),
            "observations": self.observed.to_json(),
            "transition": self._steps.to_json(),
            "emission": self._seen.to_json(),
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model file that `privet.read_model` reads. Errors: as `MarkovChain.save`."""
        write_json(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "HiddenMarkovModel":
        """The inverse of `to_json`. Errors: ModelError naming the field or the row."""
        check_fields(data, cls.kind, ("transition", "emission"), ("states", "observations"))
        return cls(
            data["transition"], data["emission"], data.get("states"), data.get("observations")
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, HiddenMarkovModel)
            and (self.alphabet, self.observed) == (other.alphabet, other.observed)
            and np.array_equal(self.transition, other.transition)
            and np.array_equal(self.emission, other.emission)
            and self.exact_transition == other.exact_transition
            and self.exact_emission == other.exact_emission
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.observed, self.transition.tobytes()))

    def __repr__(self) -> str:
        kind = "exact" if self.is_exact else "floats"
        return (
            f"HiddenMarkovModel({len(self.alphabet)} states, {kind}: {shown(self.alphabet)}; "
            f"{len(self.observed)} observations: {shown(self.observed)})"
        )
