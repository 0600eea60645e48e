"""`privet verify library`: well-known mechanisms that Privet has as models, and files of them."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.output import AsJson
from privet.cli.verify_common import ClaimedRatio, Overwrite, verdicts_alone
from privet.errors import ParameterError

EXAMPLE = "privet verify library report-noisy-max moved=one --ratio 2 --save max.json"


def library(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The model; without one, list them.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SETTING=VALUE]...", help="What to change of it; see the list."),
    ] = None,
    ratio: ClaimedRatio = None,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE.json", help="Write the file here, not on the screen."),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """List well-known mechanisms, or write one as a file for verify model.

    The file holds the exact probabilities of a small case, the secrets or neighbouring inputs, and
    the claim if there is one: change it at will. Exit codes: 0 done, 2 usage.
    """
    with verdicts_alone():
        if name is None:
            if save is not None or ratio is not None:
                raise ParameterError(
                    "No model is named, so there is no file to write.",
                    hint=f"As in {EXAMPLE}; without --save and --ratio, they are listed.",
                    parameter="name",
                )
            _list(as_json)
        else:
            _write(name, settings or [], ratio, save, overwrite, as_json)


def _list(as_json: bool) -> None:
    from privet.cli.output import print_json, print_table, print_text
    from privet.verify.library.catalogue import CATALOGUE

    if as_json:
        print_json(
            {
                "models": {
                    name: {
                        "about": entry.about,
                        "settings": {one: str(value) for one, value in entry.settings.items()},
                    }
                    for name, entry in CATALOGUE.items()
                }
            }
        )
        return
    rows = [
        [name, entry.about, " ".join(f"{s}={v}" for s, v in entry.settings.items())]
        for name, entry in CATALOGUE.items()
    ]
    print_table("", ["model", "what it is", "settings"], rows, text_columns=3)
    print_text(
        "A file of one, for privet verify model: privet verify library NAME --save FILE.json"
    )


def _write(
    name: str,
    settings: list[str],
    ratio: str | None,
    save: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    from privet.cli.output import print_json, print_text
    from privet.verify.library.catalogue import named_file
    from privet.whole_files import write_json

    content = named_file(name, _pairs(settings), ratio=ratio)
    if save is None:
        print_json(content)
        return
    write_json(save, content, overwrite=overwrite)
    if as_json:
        print_json({"output": str(save), "verification": content})
        return
    print_text(f"Model: {save}. Ask about it: privet verify model {save}")


def _pairs(settings: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in settings:
        setting, sign, value = text.partition("=")
        if not sign or setting in found:
            raise ParameterError(
                f"'{text}' is no setting, or one that is given twice.",
                hint="Write it as in largest=5.",
                parameter="settings",
            )
        found[setting] = value
    return found
