"""`privet verify certificate` and `privet verify --certificate`: check a proof again, alone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.output import AsJson
from privet.cli.verify_common import exact, verdicts_alone
from privet.errors import CertificateError

if TYPE_CHECKING:
    from privet.verify.certificate import ModelClaim
    from privet.verify.certificate_files import Counterexample
    from privet.weighted.words_check import WordClaim

    Claim = ModelClaim | WordClaim | Counterexample

EXAMPLE = "privet verify certificate proof.json"


def certificate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="What verify model --save-certificate wrote, or a receipt with a certificate.",
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Check a proof or a counterexample again, from its file alone and without searching.

    A proof is followed step by step in whole numbers, a counterexample computed anew in fractions;
    the model and the claim that it is about are told. The receipt of a release with --calibration
    exact holds the proof of what its rate spends on the language. Exit codes: 0 all of it stands,
    1 something does not, 2 usage.
    """
    check_file(file, as_json)


def check_file(file: Path, as_json: bool) -> None:
    """As `certificate`."""
    with verdicts_alone():
        from privet.cli.output import print_json
        from privet.releasing.files import receipt_named
        from privet.verify.certificate_files import read_certificates

        try:
            shown = read_certificates(receipt_named(file))
        except CertificateError as error:
            if as_json:
                print_json({"valid": False, "reason": error.message})
                raise typer.Exit(1) from None
            raise
        if as_json:
            print_json({"valid": True, "shows": [_as_json(each) for each in shown]})
        else:
            _print(shown)


def _print(shown: "tuple[Claim, ...]") -> None:
    from privet.cli.output import print_text
    from privet.verify.wording import shown_text

    for each in shown:
        print_text(shown_text(each))
    what = "1 certificate stands" if len(shown) == 1 else f"{len(shown)} certificates stand"
    print_text(f"{what}; nothing but the file was used.", style="bold")


def _as_json(each: "Claim") -> dict[str, Any]:
    from privet.verify.certificate_files import Counterexample
    from privet.weighted.words_check import WordClaim

    if isinstance(each, WordClaim):
        return _spending_json(each)
    content: dict[str, Any] = {
        "model": each.model.to_json(),
        "first_law": [exact(share) for share in each.first],
        "second_law": [exact(share) for share in each.second],
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


def _spending_json(claim: "WordClaim") -> dict[str, Any]:
    from privet.exact import float_up, log_up

    return {
        "verdict": "holds",
        "moves": [list(row) for row in claim.moves],
        "initial": claim.initial,
        "accepting": list(claim.accepting),
        "q": exact(claim.q),
        "shortest": claim.shortest,
        "longest": claim.longest,
        "adjacency": len(claim.ratios),
        "spent_at_most": float_up(log_up(claim.factor)),
        "factor": exact(claim.factor),
    }
