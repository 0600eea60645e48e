"""The reference pages, written from the program: every public name, command and JSON output.

    python docs/generate.py           writes docs/reference/*.md and docs/schemas/outputs/*.json
    python docs/generate.py --check   says which page is not what the program says, and exits 1

Contract. Run from the root of the repository, whose paths the examples show. Else a page is a
function of the program alone: no time, no width of a terminal. What
is said of a name is its docstring, so there is one place to correct it.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import privet
from privet.cli.app import app
from privet.cli.outputs import COMMANDS, OTHERS, output_schema, schema_files

FOLDER = Path(__file__).parent / "reference"
SCHEMAS = Path(__file__).parent / "schemas" / "outputs"
_SUBMODULES = ("accounting", "datasets", "decode", "estimate", "queries", "testing", "verify")
_WRITTEN = "Written by `make reference` from {}."
_EXIT = "Exit codes: 0 done or holds, 1 refused or violated, 2 wrong usage, 3 undecided."


def python_page() -> str:
    """Every name that `from privet import ...` and its public submodules offer."""
    parts = [
        "# Python reference",
        _WRITTEN.format("the docstrings")
        + " Every name of the first section imports from `privet`; the others are submodules.",
        "## privet",
        *_names("privet", privet, [n for n in privet.__all__ if n not in _SUBMODULES]),
    ]
    for name in _SUBMODULES:
        module = getattr(privet, name)
        parts += [f"## privet.{name}", _text(module.__doc__)]
        parts += _names(f"privet.{name}", module, module.__all__)
    return _joined(parts)


def _names(place: str, module: ModuleType, names: list[str]) -> Iterator[str]:
    for name in sorted(names, key=str.casefold):
        thing = getattr(module, name)
        if name.startswith("_") or isinstance(thing, ModuleType):
            continue
        yield f"### {name}"
        yield from _described(f"{place}.{name}", thing)


def _described(name: str, thing: Any) -> Iterator[str]:
    if not inspect.isclass(thing):
        if callable(thing):
            yield _signature(name, thing)
            yield _text(thing.__doc__)
        else:
            yield f"```python\n{name}\n```"
        return
    if not issubclass(thing, Enum | BaseException):
        yield _signature(name, thing)
    bases = [base.__name__ for base in thing.__bases__ if base is not object]
    if issubclass(thing, BaseException):
        yield f"An error; it is also a {' and a '.join(bases)}."
    yield _text(thing.__doc__)
    for member in _members(thing):
        yield from _member(thing, member)


def _members(thing: type) -> list[str]:
    """The public members that the class or a base of ours documents."""
    if issubclass(thing, BaseException):
        return []
    found: list[str] = []
    for base in thing.__mro__:
        if base.__module__.startswith("privet"):
            found += [n for n in vars(base) if not n.startswith("_") and n not in found]
    return found


def _member(thing: type, name: str) -> Iterator[str]:
    raw = inspect.getattr_static(thing, name)
    inner = getattr(raw, "__func__", getattr(raw, "fget", getattr(raw, "func", raw)))
    if not inspect.isfunction(inner) or not inner.__doc__:
        return
    if isinstance(raw, property) or hasattr(raw, "attrname"):
        yield f"`.{name}`: {_text(inner.__doc__)}"
        return
    yield f"`.{name}{_parameters(inner, bound=not isinstance(raw, staticmethod))}`"
    yield _text(inner.__doc__)


def _signature(name: str, thing: Any) -> str:
    return f"```python\n{name}{_parameters(thing)}\n```"


def _parameters(thing: Any, bound: bool = False) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text = str(inspect.Signature(bare))
    # A default that is an object shows where it lies in memory.
    return re.sub(r"<[^<>]* at 0x[0-9a-f]+>|<function ([\w.]+)[^>]*>", "...", text)


def command_page() -> str:
    """The help of every command."""
    parts = [
        "# Command line reference",
        _WRITTEN.format("the commands themselves")
        + f" {_EXIT} Every command takes `--json`, and `-h` shows what stands here.",
    ]
    for path, command in _commands(typer.main.get_command(app), ("privet",)):
        parts += [f"## {' '.join(path)}", *_help(path, command)]
    return _joined(parts)


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    children = getattr(command, "commands", None)
    if not children or getattr(command, "invoke_without_command", False):
        yield path, command
    for name, child in (children or {}).items():
        yield from _commands(child, (*path, name))


def _help(path: tuple[str, ...], command: Any) -> Iterator[str]:
    context = command.make_context(" ".join(path), [], resilient_parsing=True)
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"```text\n{' '.join(path)} {pieces}\n```"
    yield _text(command.help)
    rows = [row for p in command.get_params(context) if (row := _row(p, context))]
    if rows:
        yield "\n".join(["| option | what it is |", "| ------ | ---------- |", *rows])
    if command.epilog:
        yield f"```text\n{command.epilog.replace(chr(8), '').strip()}\n```"


def _row(parameter: Any, context: Any) -> str | None:
    record = parameter.get_help_record(context)
    if record is None or parameter.name == "help":
        return None
    name, text = (re.sub(r"\s+", " ", part).strip().replace("|", "\\|") for part in record)
    return f"| `{name}` | {text} |"


def _text(docstring: str | None) -> str:
    """A docstring as Markdown: what it indents stays as it is."""
    blocks = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: str) -> str:
    if block.startswith("    "):
        return f"```text\n{inspect.cleandoc(block)}\n```"
    # Signs that Markdown would take for its own.
    parts = re.split(r"(`[^`]*`)", block)
    return "".join(p if p.startswith("`") else re.sub(r"([*_<>\[\]|])", r"\\\1", p) for p in parts)


def _joined(parts: list[str]) -> str:
    text = "\n\n".join(part for part in parts if part.strip())
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def json_page() -> str:
    """The fields of what every command prints with --json."""
    parts = [
        "# JSON reference",
        _WRITTEN.format("the schemas")
        + " How to read it: [json.md](../json.md). Fields of the values themselves stand here, "
        "those of the objects in them in the schemas.",
    ]
    for name in (*COMMANDS, *OTHERS):
        schema = output_schema(name)
        parts += [
            f"## {schema['title'].removesuffix(' --json')}",
            f"[schemas/outputs/{name}.json](../schemas/outputs/{name}.json)",
            *_forms(schema, schema.get("$defs", {})),
        ]
    return _joined(parts)


def _forms(schema: dict[str, Any], parts: dict[str, Any]) -> Iterator[str]:
    """A table for each form that a value has."""
    if "$ref" in schema:
        schema = parts[schema["$ref"].rpartition("/")[2]]
    for form in schema.get("anyOf", ()):
        yield from _forms(form, parts)
    if "anyOf" in schema:
        return
    yield _text(schema.get("description"))
    if schema.get("type") == "array":
        yield "An array; of each entry:"
        yield from _forms(schema["items"], parts)
        return
    needed = schema.get("required", [])
    rows = [
        f"| `{name}` | {_kind(field, parts)}{'' if name in needed else ', or absent'} "
        f"| {_field_text(field, parts)} |"
        for name, field in schema["properties"].items()
    ]
    yield "\n".join(["| field | JSON | what it is |", "| ----- | ---- | ---------- |", *rows])


def _kind(field: dict[str, Any], parts: dict[str, Any]) -> str:
    """The JSON types of a field."""
    if "$ref" in field:
        return _kind(parts[field["$ref"].rpartition("/")[2]], parts)
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(each, parts) for each in field["anyOf"]))
    if "enum" in field or "const" in field:
        values = field.get("enum", [field.get("const")])
        return " or ".join(f"`{json.dumps(value)}`" for value in values)
    if field.get("items"):
        return f"array of {_kind(field['items'], parts)}"
    kind: str = field.get("type", "value")
    return kind


def _field_text(field: dict[str, Any], parts: dict[str, Any]) -> str:
    """What its schema says of a field, or of the object that it is."""
    if "description" not in field and "$ref" in field:
        return _field_text(parts[field["$ref"].rpartition("/")[2]], parts)
    return _block(" ".join(field.get("description", "").split()))


PAGES = {"python.md": python_page, "command-line.md": command_page, "json.md": json_page}


def files() -> dict[Path, str]:
    """Every file that is written, and its text."""
    pages = {FOLDER / name: page() for name, page in PAGES.items()}
    return pages | {SCHEMAS / name: text for name, text in schema_files().items()}


def main() -> int:
    """Write the files, or compare them."""
    stale = []
    for place, text in files().items():
        if "--check" in sys.argv[1:]:
            if not place.is_file() or place.read_text(encoding="utf-8") != text:
                stale.append(place.relative_to(FOLDER.parent))
            continue
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    for name in stale:
        sys.stderr.write(f"docs/{name} is not what the program says; make reference\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
