"""`privet verify mechanism`: what a mechanism given by its probabilities really guarantees."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.output import AsJson
from privet.cli.places import shipped
from privet.cli.verify_common import (
    VIOLATED,
    ClaimedEpsilon,
    ClaimedRatio,
    Overwrite,
    exact,
    number,
    one_claim,
    verdicts_alone,
)
from privet.errors import FileFormatError, ParameterError

if TYPE_CHECKING:
    from privet.verify import SufficientSets
    from privet.verify.finite import Neighbours
    from privet.verify.tables import MechanismTable

EXAMPLE = (
    f"privet verify mechanism {shipped('geometric')} --ratio 2 --neighbours adjacent "
    "--plot profile.svg"
)

_CURVE_POINTS = 61
_BEYOND = Fraction(5, 4)
"""The curve goes on a little after the epsilon at which no delta is needed."""

_MOST_EPSILON = Fraction(8)
_SHOWN = 12
"""Outputs of a set that are listed."""


@dataclass(frozen=True)
class _Found:
    """What is known of a mechanism; `needed`: the smallest delta at the claim, if there is one."""

    table: "MechanismTable"
    neighbours: "Neighbours"
    holds: bool | None
    needed: Fraction | None
    ratio: "Fraction | float"
    epsilon: "Fraction | float"
    sets: "SufficientSets"
    worst: tuple[int, ...]
    shares: tuple[Fraction, Fraction]


def mechanism(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.csv",
            help="A row of output probabilities for each input; names in the first line and column "
            "are optional.",
        ),
    ],
    ratio: ClaimedRatio = None,
    epsilon: ClaimedEpsilon = None,
    delta: Annotated[str, typer.Option(metavar="D", help="The additional probability.")] = "0",
    neighbours: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="Inputs that are neighbours: all, adjacent (each with the next), or a CSV file of "
            "two columns of names.",
        ),
    ] = "all",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw the smallest delta against epsilon."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Find what a finite mechanism guarantees, exactly, and check a claim about it.

    The smallest epsilon at the delta given, the smallest delta at the epsilon or ratio claimed, the
    pair of inputs that tells most and the set of outputs that shows it. Exit codes: 0 the claim
    holds (or there is none), 1 violated, 2 usage.
    """
    with verdicts_alone():
        violated = _mechanism(file, (ratio, epsilon), delta, neighbours, plot, overwrite, as_json)
    if violated:
        raise typer.Exit(VIOLATED)


def _mechanism(
    file: Path,
    claim: tuple[str | None, str | None],
    delta: str,
    neighbours: str,
    plot: Path | None,
    overwrite: bool,
    as_json: bool,
) -> bool:
    from privet.cli.output import Ticker, print_json
    from privet.verify import read_mechanism_table

    one_claim(*claim)
    if plot is not None:
        from privet.cli.plan import check_plot

        check_plot(plot, overwrite)
    table = read_mechanism_table(file)
    with Ticker() as tick:
        tick("verifying", 0, 0)
        found = _find(table, claim, delta, _neighbours(neighbours, table))
        if plot is not None:
            tick("drawing", 0, 0)
            _draw(plot, found, claim, delta)
    if as_json:
        print_json(_as_json(found, claim, delta, plot))
    else:
        _print(found, claim, delta, plot)
    return found.holds is False


def _neighbours(text: str, table: "MechanismTable") -> "Neighbours":
    if text == "all":
        return "all"
    return "adjacent" if text == "adjacent" else _pairs_in(Path(text), table)


def _pairs_in(path: Path, table: "MechanismTable") -> list[tuple[int, int]]:
    """Pairs of names in a CSV file, no header. Errors: FileFormatError, ParameterError."""
    import csv

    if not path.exists():
        raise ParameterError(
            f"--neighbours is neither all nor adjacent, and there is no file {path}.",
            hint="Name a CSV file with a pair of inputs a line.",
        )
    number_of = {name.strip(): number for number, name in enumerate(table.inputs)}
    pairs: list[tuple[int, int]] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = [line for line in csv.reader(stream, strict=True) if any(map(str.strip, line))]
    except OSError as error:
        raise FileFormatError(
            f"{path} cannot be read: {error.strerror or 'input/output error'}.",
            hint="Check the path.",
            path=str(path),
        ) from None
    except (UnicodeDecodeError, csv.Error):
        raise FileFormatError(
            f"{path} cannot be read as CSV in UTF-8.",
            hint="It has a pair of inputs a line, with a comma between.",
            path=str(path),
        ) from None
    for place, line in enumerate(lines):
        names = [cell.strip() for cell in line]
        if len(names) != 2 or any(name not in number_of for name in names):
            raise FileFormatError(
                f"Pair {place} of {path} is not two names of inputs.",
                hint=f"The inputs are {', '.join(table.inputs[:_SHOWN])}"
                f"{', ...' if len(table.inputs) > _SHOWN else ''}; there is no header.",
                path=str(path),
            )
        pairs.append((number_of[names[0]], number_of[names[1]]))
    return pairs


def _find(
    table: "MechanismTable",
    claim: tuple[str | None, str | None],
    delta: str,
    neighbours: "Neighbours",
) -> _Found:
    from privet import verify
    from privet.exact import log_up

    rows, (ratio, epsilon) = table.rows, claim
    smallest, pair = verify.smallest_ratio(rows, delta=delta, neighbours=neighbours)
    holds, needed = None, None
    outputs: Sequence[Any] = ()
    if ratio is not None or epsilon is not None:
        outcome = verify.finite_mechanism(
            rows, ratio=ratio, epsilon=epsilon, delta=delta, neighbours=neighbours
        )
        holds = isinstance(outcome, verify.Holds)
        needed = verify.smallest_delta(rows, ratio=ratio, epsilon=epsilon, neighbours=neighbours)
        if isinstance(outcome, verify.SetViolated):
            pair, outputs = outcome.pair, outcome.word
    sets = verify.sufficient_sets(rows, *pair)
    worst = tuple(outputs) or (sets.groups[0] if sets.groups else ())
    over, under = (sum((rows[i][x] for x in worst), Fraction(0)) for i in pair)
    log = log_up(smallest) if isinstance(smallest, Fraction) else smallest
    return _Found(table, neighbours, holds, needed, smallest, log, sets, worst, (over, under))


# ------------------------------------------------------------------------------------- the report


def _print(
    found: _Found, claim: tuple[str | None, str | None], delta: str, plot: Path | None
) -> None:
    from privet.cli.output import count, print_text

    inputs, outputs = len(found.table.inputs), len(found.table.outputs)
    print_text(f"A mechanism of {inputs} inputs and {outputs} outputs.")
    if found.holds is not None and found.needed is not None:
        asked = f"ratio {claim[0]}" if claim[0] is not None else f"epsilon {claim[1]}"
        verdict = "holds" if found.holds else "VIOLATED"
        print_text(f"Claim: {asked}, delta {delta}: {verdict}.", style="bold")
        print_text(f"Smallest delta at {asked}: {number(found.needed)}.")
    of = f" (the logarithm of {number(found.ratio)})" if isinstance(found.ratio, Fraction) else ""
    print_text(f"Smallest epsilon at delta {delta}: {number_up(found.epsilon)}{of}.")
    first, second = (found.table.inputs[i] for i in found.sets.pair)
    over, under = found.shares
    print_text(
        f"Worst pair: input {first} against {second}; the outputs {_names(found)} come with "
        f"probability {number(over)} and {number(under)}."
    )
    groups = len(found.sets.groups)
    print_text(
        f"Sets of outputs that decide this pair: {_count(found.sets.subsets)} of "
        f"{_count(found.sets.all_subsets)}; without a delta, {count(groups)}.",
        style="dim",
    )
    if plot is not None:
        print_text(f"Smallest delta against epsilon: {plot}")


def number_up(value: "Fraction | float") -> str:
    """An epsilon in decimals, rounded up."""
    from privet.privacy.guarantee import decimal_up

    return decimal_up(value, 7) if isinstance(value, Fraction) else "infinite"


def _count(sets: int) -> str:
    return f"{sets:,}" if sets < 10**9 else f"2^{sets.bit_length() - 1}"


def _names(found: _Found) -> str:
    names = [found.table.outputs[x] for x in found.worst]
    more = f", ... {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{{{', '.join(names[:_SHOWN])}{more}}}"


def _as_json(
    found: _Found, claim: tuple[str | None, str | None], delta: str, plot: Path | None
) -> dict[str, Any]:
    first, second = found.sets.pair
    return {
        "verdict": None if found.holds is None else "holds" if found.holds else "violated",
        "ratio": claim[0],
        "epsilon": claim[1],
        "delta": delta,
        "smallest_delta": exact(found.needed),
        "smallest_ratio": exact(found.ratio),
        "smallest_epsilon": exact(found.epsilon),
        "worst_pair": [found.table.inputs[first], found.table.inputs[second]],
        "worst_set": [found.table.outputs[x] for x in found.worst],
        "probabilities": [exact(share) for share in found.shares],
        "sets": {
            "all": str(found.sets.all_subsets),
            "sufficient": str(found.sets.subsets),
            "without_delta": str(len(found.sets.groups)),
        },
        "plot": None if plot is None else str(plot),
    }


def _draw(path: Path, found: _Found, claim: tuple[str | None, str | None], delta: str) -> None:
    from privet.exact import exact_number, log_up
    from privet.reports.verify_plots import profile_figure, write_picture
    from privet.verify import privacy_profile, smallest_epsilon

    full = smallest_epsilon(found.table.rows, neighbours=found.neighbours)
    end = min(full * _BEYOND, _MOST_EPSILON) if isinstance(full, Fraction) else _MOST_EPSILON
    end = end or Fraction(1)
    points = [end * step / (_CURVE_POINTS - 1) for step in range(_CURVE_POINTS)]
    profile = privacy_profile(found.table.rows, epsilons=points, neighbours=found.neighbours)
    ratio, epsilon = claim
    marked = None
    if ratio is not None:
        marked = float(log_up(exact_number(ratio, "ratio"))), float(exact_number(delta, "delta"))
    elif epsilon is not None:
        marked = float(exact_number(epsilon, "epsilon")), float(exact_number(delta, "delta"))
    write_picture(
        path,
        lambda: profile_figure(profile, claimed=marked),
        title="Privet: privacy profile",
    )
