"""What the commands print with --json is what docs/schemas/outputs says, and is all that is said.

The validator is an independent one; the schemas are those that are published.
"""

import copy
import json
import typing
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator
from pydantic import BaseModel

import outputs
from privet.cli.app import app
from privet.cli.outputs import COMMANDS, OUTPUTS, SEVERAL_MEANINGS, output_schema
from privet.cli.outputs import documents as documents_module
from privet.cli.outputs.base import Output
from privet.cli.outputs.spending import Body, LedgerRow

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas" / "outputs"


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(output_schema(name))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, outputs.Done]:
    """Every run, made in order, by what it is called; few tests use it, for it takes a while."""
    folder = tmp_path_factory.mktemp("outputs")
    outputs.prepare(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("PRIVET_LEDGER", raising=False)
        return {str(run): outputs.perform(run) for run in outputs.RUNS}


# ------------------------------------------------------------------------------- every command


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command, and every group that is one itself, that takes --json."""
    if path and any("--json" in parameter.opts for parameter in command.params):
        yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


def test_every_command_takes_json_and_has_a_schema() -> None:
    tree: Any = typer.main.get_command(app)
    found = {"-".join(path) for path in commands(tree)}
    # privet verify --certificate is privet verify certificate.
    assert found - {"verify"} == set(COMMANDS)

    def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
        inner = getattr(command, "commands", {})
        if not inner:
            yield "-".join(path)
        for name, each in inner.items():
            yield from leaves(each, (*path, name))

    assert set(leaves(tree)) == set(COMMANDS)


def test_every_schema_has_runs() -> None:
    assert {run.schema for run in outputs.RUNS} == set(OUTPUTS) - {"receipt"}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_published_schema_is_current(name: str) -> None:
    # When this fails: make reference.
    published = json.loads((PUBLISHED / f"{name}.json").read_text(encoding="utf-8"))
    assert published == output_schema(name)
    Draft202012Validator.check_schema(published)


def test_nothing_else_is_published() -> None:
    assert {place.stem for place in PUBLISHED.iterdir()} == set(OUTPUTS)


# ------------------------------------------------------------------------------------ real runs


def test_every_output_is_one_value_of_its_schema(made: dict[str, outputs.Done]) -> None:
    checks = {name: validator(name) for name in OUTPUTS}
    receipts = 0
    for run in outputs.RUNS:
        done = made[str(run)]
        assert done.code == run.code, (str(run), done.err)
        told = done.content  # one JSON value, and nothing else
        assert problems(checks[run.schema], told) == [], str(run)
        lines = done.err.splitlines()
        assert all(line.startswith("privet: ") for line in lines), str(run)
        assert ("error" in told) == (run.schema == "error"), str(run)
        if run.schema == "error":
            assert told["exit_code"] == run.code
            said = f"privet: error: {told['message']} {told['hint'] or ''}"
            assert lines[-1] == " ".join(said.split())
        if "receipt_file" in told:
            assert problems(checks["receipt"], told["receipt"]) == [], str(run)
            receipts += 1
    assert receipts > 15


def problems(check: Draft202012Validator, value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in check.iter_errors(value)]


def test_receipts_of_what_has_no_file_are_too() -> None:
    from privet import Alphabet, Exponential, RandomizedResponse, Words, WordStaircase, release

    letters = Alphabet(["a", "b"])
    choice = Exponential(
        ["low", "high"],
        scores=[[0, 1], [1, 0]],
        sensitivity=1,
        epsilon=1,
        inputs=["few", "many"],
    )
    for mechanism, data in (
        (RandomizedResponse(letters, epsilon=1), ["a", "b", "a"]),
        (WordStaircase(letters, epsilon=2, adjacency=2), ["a", "b", "a"]),
        (
            WordStaircase(letters, epsilon=2, adjacency=2),
            Words.from_lists(letters, [["a", "b"], ["b", "a", "a"]]),
        ),
        (choice, "few"),
    ):
        content = json.loads(release(mechanism, data).receipt.to_text())
        assert problems(validator("receipt"), content) == [], content["kind"]


# ----------------------------------------------------------------- the schemas can refuse


Path_ = tuple[str | int, ...]


def objects(value: Any, place: Path_ = ()) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Every object in a value, and where it is."""
    if isinstance(value, dict):
        yield place, value
    inner: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for step, each in inner:
        if isinstance(each, dict | list):
            yield from objects(each, (*place, step))


def mutants(content: Any) -> Iterator[tuple[Path_, str, Any]]:
    """The value with one field more, or one of another kind, somewhere in it: where, and which."""
    for number, (place, known) in enumerate(objects(content)):
        for name in ("surprise", *known):
            changed = copy.deepcopy(content)
            list(objects(changed))[number][1][name] = {"no": {"such": "thing"}}
            yield place, name, changed


FREE = {"versions", "certificate", "series_by_steps", "values", "settings", "models", "initial"}
"""Objects whose fields have names of the data's own."""

WRONG: tuple[tuple[tuple[str | int, ...], object], ...] = (
    (("spent",), "3"),
    (("spent",), -1),
    (("exact", "spent"), 3),
    (("exact", "spent"), "3.5"),
    (("guarantee", "epsilon"), "1"),
    (("parts", 0, "exact", "record_loss_per_row"), None),
    (("parts", 0, "per"), "symbol"),
    (("parts", 0, "mechanism", "epsilon"), 1.5),
    (("parts", 0, "expected_share_wrong"), 1.5),
    (("created",), "yesterday"),
    (("output", "sha256"), "0" * 63),
    (("kind",), "poem"),
    (("format",), 2),
)
"""Values that no receipt of a table has, and where."""


def test_what_is_changed_is_refused(made: dict[str, outputs.Done]) -> None:
    for name in sorted(COMMANDS.keys() - {"demo"} | {"error"}):  # a demo is made of other parts
        runs = [made[str(run)].content for run in outputs.RUNS if run.schema == name]
        # Longer ones are made of the same parts.
        content = min(runs, key=lambda value: len(json.dumps(value)))
        check = validator(name)
        kept = [
            (place, what)
            for place, what, mutant in mutants(content)
            if check.is_valid(mutant) and not FREE & {*place, what}
        ]
        assert kept == [], name
        # Fields of a model, which people write too, may be left out.
        is_object = isinstance(content, dict) and "kind" not in content
        for field in content if is_object else ():
            less = {one: value for one, value in content.items() if one != field}
            assert not check.is_valid(less), (name, field)
    run = next(run for run in outputs.RUNS if run.schema == "release-table")
    known = made[str(run)].content["receipt"]
    for path, wrong in WRONG:
        receipt = copy.deepcopy(known)
        place: Any = receipt
        for step in path[:-1]:
            place = place[step]
        assert place[path[-1]] != wrong
        place[path[-1]] = wrong
        assert not validator("receipt").is_valid(receipt), path


# --------------------------------------------------------------------------- one thing, one name


def classes(root: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for each in root.__subclasses__():
        yield each
        yield from classes(each)


def form(schema: dict[str, Any], parts: dict[str, Any]) -> frozenset[str]:
    """The JSON types that a value may have, null left out: a number is a number."""
    if "$ref" in schema:
        return form(parts[schema["$ref"].rpartition("/")[2]], parts)
    if "anyOf" in schema:
        return frozenset().union(*(form(each, parts) for each in schema["anyOf"]))
    kind = schema.get("type", "string" if "enum" in schema else type(schema.get("const")).__name__)
    return frozenset({"number" if kind == "integer" else kind}) - {"null", "NoneType"}


def printed() -> Iterator[type[BaseModel]]:
    """What commands print that is no file with a form of its own."""
    files = (documents_module.__name__, "privet.cli.outputs.receipts")
    for each in classes(Output):
        if each.__module__ not in files and each not in (Body, LedgerRow):
            yield each


def test_a_name_has_one_form() -> None:
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for each in printed():
        if not each.__name__.startswith("Exact"):
            schema = each.model_json_schema()
            for name, field in schema.get("properties", {}).items():
                if kinds := form(field, schema.get("$defs", {})):
                    found[name].add(kinds)
    several = {name for name, forms in found.items() if len(forms) > 1}
    assert several == set(SEVERAL_MEANINGS)


def test_exact_numbers_are_text_and_stand_beside_a_decimal() -> None:
    twins = 0
    for each in classes(Output):
        if "exact" not in each.model_fields:
            continue
        exact: Any = each.model_fields["exact"].annotation
        own = set(each.model_fields)
        if "noise" in own:  # the noise has the decimals of its own
            own |= {"confidence", "scale_in_grid_units", "grid", "divided_by"}
        assert set(exact.model_fields) <= own, each
        twins += 1
        for name, field in exact.model_json_schema()["properties"].items():
            assert form(field, {}) == {"string"}, (each, name)
    assert twins > 15


def test_every_field_is_described_or_has_a_name_that_says_it() -> None:
    unsaid = defaultdict(list)
    for each in classes(Output):
        for name, field in each.model_fields.items():
            documented = field.description or _inner(field.annotation)
            if not documented:
                unsaid[name].append(each.__name__)
    assert set(unsaid) <= SAY_IT


def _inner(annotation: Any) -> bool:
    """Whether the type says what it is: one of our classes, a flag, or one of some words."""
    kinds = {annotation, *typing.get_args(annotation)}
    for kind in kinds:
        if typing.get_origin(kind) in (typing.Literal, list, dict) or kind is bool:
            return True
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return True
        if typing.get_origin(kind) is typing.Annotated:
            return True
    return False


SAY_IT = {
    "title",
    "name",
    "about",
    "source",
    "what",
    "who",
    "theorem",
    "unprotected",
    "interval_method",
    "simultaneous_method",
    "log_likelihood",
    "iterations",
}
"""Text and numbers whose names say what they are."""


# ---------------------------------------------------------------------------- one value, always


def test_an_interruption_is_an_error_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.cli import demo

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "_release_voters", interrupted)
    done = outputs.perform(outputs.Run("error", ("demo",)))
    assert (done.code, done.content["error"], done.content["exit_code"]) == (
        130,
        "Interrupted",
        130,
    )
    assert validator("error").is_valid(done.content)


def test_an_error_after_the_answer_is_no_second_value(monkeypatch: pytest.MonkeyPatch) -> None:
    from privet.cli import output

    printing = output.print_json

    def then_fail(value: Any) -> None:
        printing(value)
        raise RuntimeError

    monkeypatch.setattr(output, "print_json", then_fail)
    done = outputs.perform(outputs.Run("verify-library", ("verify", "library")))
    assert done.code == 1
    assert "models" in done.content
    assert "internal error RuntimeError" in done.err


def test_without_json_an_error_is_a_line_only() -> None:
    from privet.cli import main

    assert main(["ledger", "void", "x", "--reason", "y", "--ledger", "none.db"]) == 1
    told = outputs.perform(outputs.Run("error", ("demo", "--", "--json")))
    assert told.code == 2
