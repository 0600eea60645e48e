"""The tree of commands. Importing it loads typer and nothing that computes."""

import inspect
from collections.abc import Callable
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any

import typer
import typer.core

from privet.cli import (
    account,
    decode,
    demo,
    estimate,
    fit,
    ledger,
    plan,
    plan_query,
    plan_table,
    release_query,
    release_table,
    release_words,
    report,
    verify_certificate,
    verify_library,
    verify_mechanism,
    verify_model,
)
from privet.cli.places import program


class _PlainHelp:
    """Help without <bool> after a flag and without braces around an argument."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # mixed into a command
        for param in params:
            if getattr(param, "is_flag", False) or param.name == "help":
                param.metavar = ""
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]  # as above
        return [piece.strip("{}") for piece in pieces]


class _Command(_PlainHelp, typer.core.TyperCommand):
    pass


class _Group(_PlainHelp, typer.core.TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        """Those of `_ORDER` first: typer would put commands that have commands at the end."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))


_ORDER = (
    "demo",
    "plan",
    "release",
    "estimate",
    "decode",
    "fit",
    "ledger",
    "account",
    "report",
    "verify",
)
"""The commands in the order of the work: before a release, the release, and after it."""


_EXAMPLE_WIDTH = 74


def _example(text: str, with_model: str = "", of_query: str = "", of_table: str = "") -> str:
    """The examples as lines that can be pasted into a shell."""
    examples = {
        "Example": text,
        "With a model": with_model,
        "Of a query": of_query,
        "Of a table": of_table,
    }
    return "\n\n".join(
        f"\b\n{title}:\n{_shell_lines(one)}" for title, one in examples.items() if one
    )


def _shell_lines(text: str) -> str:
    command = f"{program()}{text.removeprefix('privet')}"
    lines = wrap(command, _EXAMPLE_WIDTH, break_long_words=False, break_on_hyphens=False)
    return " \\\n  ".join(lines)


app = typer.Typer(
    name="privet",
    cls=_Group,
    help="Differential privacy for categories and sequences of categories: plan a release, make it "
    "with its guarantee in a sentence, and estimate from it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # the frames of rich help cut words in narrow terminals
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_example(demo.EXAMPLE),
)

_release = typer.Typer(
    cls=_Group,
    help="Release a table, sequences or a statistic, with a receipt.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=_example(release_table.EXAMPLE),
)

_verify = typer.Typer(
    cls=_Group,
    help="Prove a model or a mechanism private, or show what breaks it; check a proof again.",
    no_args_is_help=True,
    invoke_without_command=True,
    rich_markup_mode=None,
    epilog=_example(verify_model.EXAMPLE),
)


def _add(
    group: typer.Typer,
    name: str,
    short: str,
    command: Callable[..., None],
    example: str,
    with_model: str = "",
    of_query: str = "",
    of_table: str = "",
) -> None:
    """A command whose help is its docstring, each paragraph filled to the width at hand."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    epilog = _example(example, with_model, of_query, of_table)
    group.command(name, cls=_Command, help=text, short_help=short, epilog=epilog)(command)


_add(app, "demo", "See a release and its estimates beside the truth.", demo.demo, demo.EXAMPLE)
_add(
    app,
    "plan",
    "Compare the mechanisms before anything is spent.",
    plan.plan,
    plan.EXAMPLE,
    plan.MODEL_EXAMPLE,
    plan_query.EXAMPLE,
    plan_table.EXAMPLE,
)
app.add_typer(_release, name="release")
_add(
    _release, "table", "Columns, each value by itself.", release_table.table, release_table.EXAMPLE
)
_add(
    _release,
    "words",
    "Sequences, one an id or one a row.",
    release_words.words,
    release_words.EXAMPLE,
    release_words.MODEL_EXAMPLE,
)
_add(
    _release,
    "query",
    "A statistic of series whose steps depend on each other.",
    release_query.query,
    release_query.EXAMPLE,
)
_add(
    app,
    "estimate",
    "Estimate shares from a release and its receipt.",
    estimate.estimate,
    estimate.EXAMPLE,
)
_add(
    app,
    "decode",
    "Make possible sequences from a release and a chain.",
    decode.decode,
    decode.EXAMPLE,
)
_add(
    app,
    "account",
    "Say what several releases cost together.",
    account.account,
    account.EXAMPLE,
)
_add(app, "fit", "Learn a Markov chain from public or released sequences.", fit.fit, fit.EXAMPLE)

_ledger = typer.Typer(
    cls=_Group,
    help="What was spent on which data, and what is left.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog=_example(ledger.INIT_EXAMPLE),
)
app.add_typer(_ledger, name="ledger")
for _name, _short, _command, _shown in (
    ("init", "Make an account with a budget, and the ledger.", ledger.init, ledger.INIT_EXAMPLE),
    ("budget", "Change the budget of an account.", ledger.budget, ledger.BUDGET_EXAMPLE),
    ("show", "Show what is left, and the history.", ledger.show, ledger.SHOW_EXAMPLE),
    ("verify", "Check that no row was tampered with.", ledger.verify, ledger.VERIFY_EXAMPLE),
    ("export", "Write all rows as JSON.", ledger.export, ledger.EXPORT_EXAMPLE),
    ("void", "Give back what never left.", ledger.void, ledger.VOID_EXAMPLE),
):
    _add(_ledger, _name, _short, _command, _shown)
_add(
    app,
    "report",
    "A page about a release, a ledger or a verdict.",
    report.report,
    report.EXAMPLE,
)
app.add_typer(_verify, name="verify", short_help="Prove privacy, or show what breaks it.")
_add(
    _verify,
    "model",
    "A hidden Markov model: a proof, or the word that breaks it.",
    verify_model.model,
    verify_model.EXAMPLE,
)
_add(
    _verify,
    "mechanism",
    "A mechanism given by its probabilities.",
    verify_mechanism.mechanism,
    verify_mechanism.EXAMPLE,
)
_add(
    _verify,
    "certificate",
    "Check a proof or a counterexample again.",
    verify_certificate.certificate,
    verify_certificate.EXAMPLE,
)
_add(
    _verify,
    "library",
    "Well-known mechanisms, as files for verify model.",
    verify_library.library,
    verify_library.EXAMPLE,
)


@_verify.callback()
def _verify_options(
    context: typer.Context,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check this proof again, as verify certificate does."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead, with --certificate.")
    ] = False,
) -> None:
    """Options of the group."""
    if context.invoked_subcommand is not None:
        if certificate is not None or as_json:
            raise typer.BadParameter("--certificate and --json here stand without a command")
    elif certificate is None:
        raise typer.BadParameter("Missing a command, or --certificate FILE")
    else:
        verify_certificate.check_file(certificate, as_json)


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
