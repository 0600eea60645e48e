"""`privet report`: a page about a release, a ledger or a verdict, for who must answer for it.

Contract. No content of its own: `privet.report` makes the page. The URL of a ledger may hold a
password, so it may stand in PRIVET_LEDGER, and it is never printed.
"""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.ledger_options import LedgerUrl, required
from privet.cli.output import AsJson

EXAMPLE = "privet report spend.db -o report.html"


def report(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A receipt or its release, a ledger (a file or a URL), what verify model "
            "--save-certificate wrote, or what verify printed with --json; the ledger of --ledger "
            "if left out.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT.html", help="Where the page goes.")
    ] = Path("report.html"),
    ledger: LedgerUrl = None,
    account: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="One account of a ledger; all accounts without."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing OUT.html be replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make one page of HTML that a data protection officer can read.

    Of a release: the promise, what is protected and what is not, the errors to expect, what it
    cost. Of a ledger: what was spent when, what is left, whether its rows hold together. Of a
    verdict: what was proved or refuted, checked again, with the word that breaks the claim. The
    page needs nothing but itself: no network, no script. In Python: privet.report.
    """
    import hashlib

    from privet import report as make
    from privet.cli.output import Ticker, print_json, print_text

    with Ticker() as tick:
        tick("reporting", 0, 0)
        text = make(
            required(ledger) if source is None else source,
            output,
            account=account,
            overwrite=overwrite,
        )
    if as_json:
        digest = hashlib.sha256(text.encode()).hexdigest()
        print_json({"output": str(output), "sha256": digest})
    else:
        print_text(f"Report: {output}")
