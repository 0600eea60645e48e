"""The models of the library by name, and as files that `privet verify model` reads.

Contract. A table becomes a hidden Markov model whose states are the inputs, seen once; its pairs
are the neighbours. Names are their text. Settings are text or whole numbers, as a command line has
them; what a builder refuses is refused. Errors: ParameterError for an unknown name or setting.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from privet.chains import MarkovChain
from privet.errors import ParameterError
from privet.exact import exact_number
from privet.exact.number import Number
from privet.verify.library.choices import above_threshold, report_noisy_max
from privet.verify.library.counts import (
    CountPrior,
    binomial,
    contagious,
    modular_geometric,
    noisy_count,
    truncated_geometric,
)
from privet.verify.library.models import FiniteModel, SecretModel
from privet.verify.library.responses import randomized_response, responses_on_chain
from privet.verify.library.sampling import subsampled
from privet.verify.problem import read_threshold

Setting = str | int


@dataclass(frozen=True)
class Entry:
    """`settings`: what `build` takes, with the values it has unless others are given.

    `length`: symbols of the words that a file of it asks about.
    """

    about: str
    build: Callable[..., FiniteModel | SecretModel]
    settings: Mapping[str, Setting]
    length: int = 1


def _subsampled(size: int, ratio: Number, share: Number) -> FiniteModel:
    return subsampled(randomized_response(size, ratio=ratio).rows, share=share)


def _counted(prior: Callable[[int, Number], CountPrior]) -> Callable[..., SecretModel]:
    def build(people: int, chance: Number, ratio: Number) -> SecretModel:
        return noisy_count(truncated_geometric(people, ratio=ratio), prior(people, chance))

    return build


def _responses(stay: Number, ratio: Number) -> SecretModel:
    kept = exact_number(stay, "stay")
    chain = MarkovChain(["1/2", "1/2"], [[kept, 1 - kept], [1 - kept, kept]])
    return responses_on_chain(chain, randomized_response(2, ratio=ratio).rows)


CATALOGUE: Mapping[str, Entry] = {
    "truncated-geometric": Entry(
        "a count with geometric noise, clamped to its range",
        truncated_geometric,
        {"largest": 3, "ratio": "1/2"},
    ),
    "modular-geometric": Entry(
        "a count with geometric noise, modulo its range",
        modular_geometric,
        {"largest": 3, "ratio": "1/2"},
    ),
    "randomized-response": Entry(
        "k-ary randomised response", randomized_response, {"size": 3, "ratio": "2"}
    ),
    "subsampled-response": Entry(
        "randomised response on a record that is kept with a chance",
        _subsampled,
        {"size": 3, "ratio": "2", "share": "1/10"},
    ),
    "report-noisy-max": Entry(
        "which of some noisy counts is the largest, or how large it is",
        report_noisy_max,
        {"queries": 2, "largest": 2, "ratio": "1/2", "reports": "index", "moved": "all"},
    ),
    "above-threshold": Entry(
        "the first noisy count above a noisy threshold",
        above_threshold,
        {
            "queries": 2,
            "largest": 2,
            "threshold": 1,
            "ratio": "1/2",
            "threshold_ratio": "1/2",
            "noise": "unbounded",
            "moved": "all",
        },
    ),
    "count-independent": Entry(
        "whether one person is ill, from a noisy count of people who fall ill independently",
        _counted(binomial),
        {"people": 3, "chance": "1/10", "ratio": "1/2"},
    ),
    "count-contagious": Entry(
        "the same where either everyone is ill or nobody",
        _counted(contagious),
        {"people": 3, "chance": "1/10", "ratio": "1/2"},
    ),
    "responses-on-chain": Entry(
        "the first state of a chain of two states, from randomised responses to every state",
        _responses,
        {"stay": "4/5", "ratio": "2"},
        length=10,
    ),
}


def made(name: str, settings: Mapping[str, str]) -> FiniteModel | SecretModel:
    """The model of that name. Errors: ParameterError, ModelError."""
    entry = _entry(name)
    for setting in settings:
        if setting not in entry.settings:
            raise ParameterError(
                f"The model {name} has no setting '{setting}'.",
                hint=f"It has {', '.join(f'{s}={v}' for s, v in entry.settings.items())}.",
                parameter="settings",
            )
    given = {
        setting: _read(setting, settings[setting], default) if setting in settings else default
        for setting, default in entry.settings.items()
    }
    return entry.build(**given)


def question_file(
    model: FiniteModel | SecretModel, *, ratio: Number | None = None, length: int = 1
) -> dict[str, Any]:
    """The content of a file for `privet verify model`; without a ratio it asks for the worst.

    Errors: ParameterError for a ratio that is not above 0.
    """
    if isinstance(model, FiniteModel):
        names = [str(name) for name in model.inputs]
        content = {
            "states": names,
            "observations": ["nothing" if x is None else str(x) for x in model.outputs],
            "transition": [[str(int(i == j)) for j in names] for i in names],
            "emission": _texts(model.rows),
            "initial": {name: name for name in names},
            "pairs": [[names[i], names[j]] for i, j in model.neighbours],
        }
    else:
        content = {
            "states": [str(state) for state in model.model.states],
            "observations": [str(symbol) for symbol in model.model.observations],
            "transition": _texts(model.model.exact_transition),
            "emission": _texts(model.model.exact_emission),
            "initial": {str(name): list(map(str, law)) for name, law in model.secrets.items()},
            "pairs": [[str(one), str(other)] for one, other in model.pairs],
        }
    claim = {} if ratio is None else {"ratio": str(read_threshold(ratio, None).low)}
    return {"kind": "verification", **content, **claim, "length": length}


def named_file(
    name: str, settings: Mapping[str, str], *, ratio: Number | None = None
) -> dict[str, Any]:
    """`question_file` of the model of that name. Errors: ParameterError, ModelError."""
    return question_file(made(name, settings), ratio=ratio, length=_entry(name).length)


def _entry(name: str) -> Entry:
    if name not in CATALOGUE:
        raise ParameterError(
            f"The library has no model '{name}'.",
            hint=f"It has {', '.join(CATALOGUE)}.",
            parameter="name",
        )
    return CATALOGUE[name]


def _read(name: str, text: str, default: Setting) -> Setting:
    if not isinstance(default, int):
        return text
    try:
        return int(text)
    except ValueError:
        raise ParameterError(f"{name} is not a whole number.", parameter=name) from None


def _texts(rows: Any) -> list[list[str]]:
    return [[str(entry) for entry in row] for row in rows]
