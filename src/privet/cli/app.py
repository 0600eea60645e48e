"""The tree of commands. Importing it loads typer and nothing that computes."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from privet.cli import demo, estimate, plan, release_table, release_words

app = typer.Typer(
    name="privet",
    help="Differential privacy for categories and sequences of categories: plan a release, make it "
    "with its guarantee in a sentence, and estimate from it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with [bold]privet demo[/bold].",
)

_release = typer.Typer(
    help="Release a table or sequences under a guarantee, with a receipt.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def _add(group: typer.Typer, name: str, command: Callable[..., None], example: str) -> None:
    """A command whose help is its docstring, each paragraph filled to the width at hand."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    group.command(name, help=text, epilog=f"[bold]Example:[/bold] {example}")(command)


_add(app, "demo", demo.demo, demo.EXAMPLE)
_add(app, "plan", plan.plan, plan.EXAMPLE)
app.add_typer(_release, name="release")
_add(_release, "table", release_table.table, release_table.EXAMPLE)
_add(_release, "words", release_words.words, release_words.EXAMPLE)
_add(app, "estimate", estimate.estimate, estimate.EXAMPLE)


def _print_version(wanted: bool) -> None:
    if wanted:
        from privet import __version__

        typer.echo(f"privet {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Options of every command."""
