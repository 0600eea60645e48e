"""`privet decode`: possible sequences made from a release that exists."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.places import shipped
from privet.cli.release_common import AsJson, Overwrite, print_release, require_file

EXAMPLE = f"privet decode words.csv --chain {shipped('quintiles.json')} -o decoded.csv"


def decode(
    released: Annotated[
        Path, typer.Argument(metavar="RELEASED", help="The released file of sequences.")
    ],
    chain: Annotated[
        Path,
        typer.Option(
            metavar="CHAIN.json", help="A Markov chain: public, or learnt by privet fit --receipt."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Where the decoded sequences go; never RELEASED."
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="viterbi: the most likely word; marginals: the fewest errors, maybe impossible "
            "together; sample: a likely word at random.",
        ),
    ] = "viterbi",
    receipt: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of the release; RELEASED.receipt.json by default."),
    ] = None,
    changed_file: Annotated[
        bool,
        typer.Option("--changed-file", help="Read a file that was changed since its release."),
    ] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Decode a release of sequences into likely ones, at no cost to privacy.

    Only the release and the chain are looked at, so the guarantee stays and no epsilon is spent.
    OUT.receipt.json carries the guarantee and names the release. A chain that was learnt from
    RELEASED costs nothing; one from another release of the same data adds that one's epsilon.

    Symbols must have been released one by one (randomized-response, or exponential on all words).
    Shares and chains are estimated from RELEASED, not from OUT. In Python: privet.decode_release.
    """
    from privet import releasing
    from privet.cli.models import read_chain_file
    from privet.cli.output import Ticker
    from privet.data import refuse_unwritable
    from privet.releasing.files import receipt_path_for

    require_file(released)
    for place in (output, receipt_path_for(output)):
        refuse_unwritable(place, inputs=[chain], what="model file")
    model = read_chain_file(chain, "--chain")
    with Ticker() as tick:
        done = releasing.decode_release(
            released,
            model,
            method,
            receipt=receipt,
            output=output,
            changed_file=changed_file,
            overwrite=overwrite,
            progress=tick,
        )
    print_release(done, output, None, as_json)
