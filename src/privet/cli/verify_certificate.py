"""`privet verify certificate` and `privet verify --certificate`: check a proof again, alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.verify_common import AsJson, exact, number, verdicts_alone, word_text
from privet.errors import CertificateError

if TYPE_CHECKING:
    from privet.verify.certificate import ModelClaim
    from privet.verify.certificate_files import Counterexample
    from privet.verify.problem import Law

EXAMPLE = "privet verify certificate proof.json"

_SHOWN = 6
"""Probabilities of a law that are shown."""


def certificate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What verify model --save-certificate wrote.")
    ],
    as_json: AsJson = False,
) -> None:
    """Check a proof or a counterexample again, from its file alone and without searching.

    A proof is followed step by step in whole numbers, a counterexample computed anew in fractions;
    the model and the claim that it is about are told. Exit codes: 0 all of it stands, 1 something
    does not, 2 usage.
    """
    check_file(file, as_json)


def check_file(file: Path, as_json: bool) -> None:
    """As `certificate`."""
    with verdicts_alone():
        from privet.cli.output import print_json
        from privet.verify.certificate_files import read_certificates

        try:
            shown = read_certificates(file)
        except CertificateError as error:
            if as_json:
                print_json({"valid": False, "reason": error.message})
                raise typer.Exit(1) from None
            raise
        if as_json:
            print_json({"valid": True, "shows": [_as_json(each) for each in shown]})
        else:
            _print(shown)


def _print(shown: "tuple[ModelClaim | Counterexample, ...]") -> None:
    from privet.cli.output import print_text

    for each in shown:
        print_text(_sentence(each))
    what = "1 certificate stands" if len(shown) == 1 else f"{len(shown)} certificates stand"
    print_text(f"{what}; nothing but the file was used.", style="bold")


def _sentence(each: "ModelClaim | Counterexample") -> str:
    from privet.verify.certificate_files import Counterexample

    model = each.model
    about = f"A model of {len(model.states)} states and {len(model.observations)} observations"
    laws = f"first state {_law(each, each.first)} against {_law(each, each.second)}"
    if isinstance(each, Counterexample):
        over, under = each.probabilities
        times = f"{number(over / under)} times" if under else "infinitely"
        return (
            f"{about}, {laws}: VIOLATED. The word {word_text(each.word)} is {times} as likely, "
            f"which is more than {number(each.ratio)} times."
        )
    longest = each.lengths.longest
    if longest is None and each.lengths.shortest == 1:
        words = "word of any length"
    elif longest == each.lengths.shortest:
        words = f"word of {longest} symbols"
    else:
        end = "or more" if longest is None else f"to {longest}"
        words = f"word of {each.lengths.shortest} {end} symbols"
    return f"{about}, {laws}: HOLDS. No {words} is more than {number(each.ratio)} times as likely."


def _law(each: Any, law: "Law") -> str:
    parts = [
        str(state) if share == 1 else f"{state}: {number(share)}"
        for state, share in zip(each.model.states, law, strict=True)
        if share
    ]
    more = f", ... {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return f"({', '.join(parts[:_SHOWN])}{more})"


def _as_json(each: "ModelClaim | Counterexample") -> dict[str, Any]:
    from privet.verify.certificate_files import Counterexample

    content: dict[str, Any] = {
        "model": each.model.to_json(),
        "first": [exact(share) for share in each.first],
        "second": [exact(share) for share in each.second],
        "ratio": exact(each.ratio),
    }
    if isinstance(each, Counterexample):
        over, under = each.probabilities
        return {
            "verdict": "violated",
            **content,
            "word": [str(symbol) for symbol in each.word],
            "first_probability": exact(over),
            "second_probability": exact(under),
        }
    lengths = {"shortest": each.lengths.shortest, "longest": each.lengths.longest}
    return {"verdict": "holds", **content, **lengths}
