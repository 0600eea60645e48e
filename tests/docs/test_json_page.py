"""docs/json.md is followed to the letter, and its table has every output."""

import json
import re

from pages import Follow, Page
from privet import errors
from privet.cli.outputs import COMMANDS, OTHERS, output_schema

PAGE = Page("docs/json.md")


def test_the_examples_print_what_the_page_says(follow: Follow) -> None:
    followed = follow(PAGE)
    folder = followed.folder
    plans = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["plans"]
    saved = json.loads("\n".join(followed.lines("sh")))
    assert saved["output"] == "response.json"
    assert saved["verification"] == json.loads((folder / "response.json").read_text())
    assert followed.lines("python") == [
        f"{plan['epsilon']} {plan['exact']['epsilon']} {plan['recommended']}" for plan in plans
    ]


def test_the_table_has_every_output() -> None:
    rows = re.findall(
        r"^\| (.*?) \| \[(.*?)\.json\]\(schemas/outputs/(.*?)\.json\) \|$", PAGE.text, re.M
    )
    assert [name for _, name, _ in rows] == [*COMMANDS, *OTHERS]
    assert all(name == place for _, name, place in rows)
    assert [what for what, name, _ in rows if name in COMMANDS] == [
        f"`privet {name.replace('-', ' ')}`" for name in COMMANDS
    ]


def test_the_error_is_one() -> None:
    (shown,) = PAGE.blocks("json")
    content = json.loads(shown)
    assert set(content) == set(output_schema("error")["properties"])
    assert issubclass(getattr(errors, content["error"]), errors.PrivetError)


def test_the_names_that_are_said_to_be_everywhere_are_somewhere() -> None:
    named = re.search(r"\*\*One name for one thing\.\*\* (.*?) are the same", PAGE.text, re.S)
    assert named is not None
    schemas = json.dumps([output_schema(name) for name in COMMANDS])
    for name in re.findall(r"`(\w+)`", named[1]):
        assert f'"{name}": ' in schemas
