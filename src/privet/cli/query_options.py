"""Queries about series on the command line: the query, its chains, the steps it reads.

Contract. States are written as the chain writes them, separated by commas. Chains and boxes are
model files and are public. Nothing here reads data.
"""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.errors import ParameterError

if TYPE_CHECKING:
    from privet.privacy import MarkovFramework
    from privet.queries import Nodes, Query
    from privet.symbols import Alphabet

Asked = Annotated[
    str,
    typer.Option(
        "--query",
        "-q",
        metavar="QUERY",
        help="histogram, frequency, count=STATE[,STATE], share=STATE[,STATE], transitions, "
        "run-lengths=CAP[,STATE] or mean.",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(metavar="STATE=NUMBER,...", help="For mean: the number each state stands for."),
]
Chains = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="CHAIN.json",
        help="A public Markov chain the series may follow; repeat it for several.",
    ),
]
Box = Annotated[
    Path | None,
    typer.Option(
        metavar="BOX.json", help="All chains between two matrices instead (privet fit --box)."
    ),
]
Initial = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="How a series starts: given (as the chain says), stationary or any; given unless "
        "there is a box, any then.",
    ),
]
Nodes_ = Annotated[
    str | None,
    typer.Option(
        "--nodes", metavar="START:STOP", help="Read only these steps of each series, from 0."
    ),
]


def read_query_option(text: str, levels: str | None, alphabet: "Alphabet") -> "Query":
    """The query that --query and --levels describe. Errors: ParameterError, DomainError."""
    from privet import queries

    name, equals, rest = (part.strip() for part in text.partition("="))
    if levels is not None and name != "mean":
        raise ParameterError(
            "--levels gives states a number, which only --query mean uses.",
            hint="Leave --levels out.",
        )
    plain = {
        "histogram": queries.histogram,
        "frequency": queries.frequency,
        "transitions": queries.transitions,
    }
    if name in plain and not equals:
        return plain[name]()
    if name == "mean" and not equals:
        return queries.mean(None if levels is None else _levels(levels, alphabet))
    if name in ("count", "share"):
        states: Any = _states(rest, alphabet) if equals else None
        return queries.count(states) if name == "count" else queries.share(states)
    if name == "run-lengths" and equals:
        cap, comma, state = rest.partition(",")
        return queries.run_lengths(_whole(cap), _state(state, alphabet) if comma else None)
    raise ParameterError(
        f"There is no query '{text}'.",
        hint="Write histogram, frequency, count=STATE, share=STATE, transitions, run-lengths=CAP "
        "or mean.",
        parameter="query",
    )


def _states(text: str, alphabet: "Alphabet") -> list[Hashable]:
    """One state whose name may hold a comma, or several."""
    whole = [symbol for symbol in alphabet.symbols if str(symbol) == text]
    return whole or [_state(part, alphabet) for part in text.split(",")]


def _state(text: str, alphabet: "Alphabet") -> Hashable:
    named = [symbol for symbol in alphabet.symbols if str(symbol) == text.strip()]
    if len(named) == 1:
        return named[0]
    listed = ", ".join(map(str, alphabet.symbols[:20]))
    raise ParameterError(
        f"'{text.strip()}' is none of the {len(alphabet)} states.",
        hint=f"The states of the chain are {listed}{', ...' if len(alphabet) > 20 else ''}.",
        parameter="query",
    )


def _levels(text: str, alphabet: "Alphabet") -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for part in text.split(","):
        state, equals, number = part.rpartition("=")
        if not equals:
            raise ParameterError(
                "A level is written STATE=NUMBER.", hint="For example --levels low=0,high=2.5."
            )
        code = _state(state, alphabet)
        if code in found:
            raise ParameterError(f"--levels gives state '{code}' two numbers.", hint="Give one.")
        found[code] = number.strip()
    return found


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParameterError(
            "The cap of run-lengths is not a whole number.", hint="For example run-lengths=7."
        ) from None


def read_nodes_option(text: str | None) -> "Nodes":
    """(start, stop) of START:STOP. Errors: ParameterError."""
    if text is None:
        return None
    start, colon, stop = text.partition(":")
    try:
        if colon:
            return int(start), int(stop)
    except ValueError:
        pass
    raise ParameterError(
        "--nodes is not START:STOP.", hint="--nodes 0:30 reads the first thirty steps of a series."
    )


def read_framework(
    chains: Sequence[Path] | None, box: Path | None, initial: str | None
) -> "MarkovFramework":
    """The chains that series may follow. Errors: FileFormatError, ModelError naming the file."""
    from privet.chains import read_model
    from privet.chains.box import ChainBox
    from privet.cli.models import read_chain_file
    from privet.errors import ModelError
    from privet.privacy import MarkovFramework

    if bool(chains) == (box is not None):
        raise ParameterError(
            "A query needs the chains its series may follow: --chain, or --box.",
            hint="Give one or several public chains, or one box of them; privet fit learns either "
            "from public or released series.",
        )
    if box is None:
        members = [read_chain_file(path, "--chain") for path in chains or []]
        return MarkovFramework(members, initial=_initial(initial, "given"))
    model: object = read_model(box)
    if not isinstance(model, ChainBox):
        raise ModelError(
            f"The model {box} is not a box of chains, which --box needs.",
            hint='Its "kind" must be "chain-box"; privet fit --box makes one from public series.',
            path=str(box),
        )
    return MarkovFramework(model, initial=_initial(initial, "any"))


def _initial(text: str | None, default: str) -> Any:
    chosen = default if text is None else text
    if chosen not in ("given", "stationary", "any"):
        raise ParameterError(
            "--initial is none of given, stationary and any.",
            hint="given: as the chain file says; any: no assumption about the first step.",
        )
    return chosen
