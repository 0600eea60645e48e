"""Parts of outputs that are documents of their own: models, frameworks, queries, mechanisms.

Contract. They are what `to_json` of the Python object gives and `from_json` reads, so their numbers
are exact text.
"""

from typing import Annotated, Any, Literal

from pydantic import Field

from privet.chains.box_schema import ChainBoxFile
from privet.chains.schema import HiddenMarkovModelFile, MarkovChainFile, TransitionsFile
from privet.cli.outputs.base import Adjacency, Alphabet, Exact, Output, Symbol, absent

__all__ = ["ChainBoxFile", "HiddenMarkovModelFile", "MarkovChainFile", "TransitionsFile"]


class RecordLoss(Output):
    """What each record of a series or table loses, piece by piece.

    [[stop, units], ...]: the records up to but without `stop` lose `units` / 2^64.
    """

    bits: Literal[64]
    pieces: Annotated[
        list[
            Annotated[
                list[Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^[0-9]+$")]],
                Field(min_length=2, max_length=2),
            ]
        ],
        Field(description="[stop, units as text], in order of stop."),
    ]


class IndependentRecords(Output):
    """Records that are independent of one another."""

    kind: Literal["independent-records"]
    unit: Annotated[int, Field(ge=1)] | Literal["all"] = Field(
        description="How many records may change at once."
    )


class ChainFramework(Output):
    """Series that follow one of some Markov chains."""

    kind: Literal["markov-framework"]
    initial: Literal["given", "stationary", "any"] = Field(description="How a series starts.")
    chains: Annotated[list[MarkovChainFile], Field(min_length=1)]


class BoxFramework(Output):
    """Series that follow a Markov chain of a box."""

    kind: Literal["markov-framework"]
    initial: Literal["any"] = Field(description="How a series starts.")
    box: ChainBoxFile


MarkovFramework = ChainFramework | BoxFramework
Framework = Annotated[
    IndependentRecords | ChainFramework | BoxFramework,
    Field(description="What is assumed of the records."),
]


class PlainQuery(Output):
    """How often each state, or each step from one to another, occurs."""

    query: Literal["histogram", "frequency", "transitions"]


class CountQuery(Output):
    """How often some states occur, as a count or a share."""

    query: Literal["count", "share"]
    states: list[Symbol] | Symbol | None = Field(description="The states that are counted.")


class RunsQuery(Output):
    """How many runs there are of each length."""

    query: Literal["run_lengths"]
    cap: Annotated[int, Field(ge=1, description="Runs this long or longer are counted together.")]
    state: Symbol | None = Field(description="Runs of this state only; null for all.")


class MeanQuery(Output):
    """The mean level of the states."""

    query: Literal["mean"]
    levels: list[Annotated[list[Symbol], Field(min_length=2, max_length=2)]] | None = Field(
        description="[state, its level as text]; null where states are numbers."
    )
    grid: Exact | None = Field(description="Levels are multiples of it; null if it follows.")


class OwnQuery(Output):
    """A function of the user's own, in Python."""

    query: Literal["own"]
    name: str
    constant: Exact | None = Field(
        description="Its Lipschitz constant; null for a function of the length."
    )
    size: int = Field(ge=1, description="How many numbers it gives.")
    grid: Exact | None


Query = Annotated[
    PlainQuery | CountQuery | RunsQuery | MeanQuery | OwnQuery,
    Field(description="What is asked of the series."),
]


class _Mechanism(Output):
    epsilon: Exact


class RandomizedResponse(_Mechanism):
    """Each symbol kept or replaced."""

    mechanism: Literal["randomized-response"]
    alphabet: Alphabet
    delta: Exact


class OnWords(_Mechanism):
    """The exponential mechanism, or permute-and-flip, on all words."""

    mechanism: Literal["word-exponential", "word-permute-and-flip"]
    alphabet: Alphabet
    adjacency: Adjacency
    calibration: Literal["auto", "paper", "exact"]


class Certified(Output):
    """A certified rate q = e^-rate, the words that spend most, and the proof."""

    q: Exact
    witness: list[list[int]] | None = Field(
        description="Two inputs and an output, as codes, that spend much; null if none was kept."
    )
    certificate: dict[str, Any] = Field(description="What privet verify certificate checks.")


class OnLanguage(_Mechanism):
    """The exponential mechanism, or permute-and-flip, on the words of a language."""

    mechanism: Literal["word-exponential", "word-permute-and-flip"]
    alphabet: Alphabet
    adjacency: Adjacency
    calibration: Literal["auto", "paper", "exact"]
    outside: Literal["refuse", "allow"] = Field(
        description="What becomes of data outside the language."
    )
    unprotected: str
    language: TransitionsFile
    certified: Certified = absent("The certified rate; absent where the published one runs.")


class Staircase(_Mechanism):
    """The staircase on words."""

    mechanism: Literal["word-staircase"]
    alphabet: Alphabet
    adjacency: Adjacency


class Exponential(_Mechanism):
    """The exponential mechanism on a finite set."""

    mechanism: Literal["exponential"]
    outputs: Alphabet
    sensitivity: Exact
    inputs: list[Symbol] = absent("The inputs; absent where scores are a function.")
    scores: list[list[Exact]] | str
    neighbours: list[list[int]] | Literal["all"] = absent("Numbers of inputs that are neighbours.")


class Series(_Mechanism):
    """A mechanism that answers queries about series."""

    mechanism: Literal["markov-laplace", "markov-quilt", "wasserstein"]
    framework: MarkovFramework
    method: str = absent("How the noise is found; Wasserstein has one way only.")


Mechanism = Annotated[
    RandomizedResponse | OnWords | OnLanguage | Staircase | Exponential | Series,
    Field(description="The mechanism with its parameters, exactly."),
]
