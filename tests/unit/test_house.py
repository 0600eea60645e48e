"""What every committed file, folder and version number of this tree must satisfy."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "privet"
MADE_BY_TOOLS = re.compile(
    r"\.git|\.venv.*|\..*_cache|\.hypothesis|__pycache__|build|dist|htmlcov|.*\.egg-info"
)

# Written in pieces, so that this file does not contain what it forbids.
REGISTRY = re.compile(
    r"py" + r"pi\.org|python" + r"hosted|index[-_]url|find[-_]links|/simple/\w", re.IGNORECASE
)
ADDRESS = re.compile(r"\w+://")
# A path that starts at the root of somebody's machine; "home/and/work" is only text.
MACHINE_PATH = re.compile(r"(?<![\w.<])/(?:home|root|Users|" + r"work)/[\w.-]+|[A-Z]:\\Users")
CITATION = re.compile(r"\[([a-z]+(?:-[a-z0-9]+)*-(?:19|20)\d\d)\]")
SUPPRESSION = re.compile(
    r"#\s*type:\s*ignore|#\s*noqa|pragma:\s*no cover|mark\.(?:skip|xfail)|pytest\.(?:skip|xfail)\("
)


def committed(folder: Path = ROOT) -> Iterator[Path]:
    """Every file of the tree that no tool made; needs no git, so it works on an unpacked copy."""
    for path in sorted(folder.iterdir()):
        if MADE_BY_TOOLS.fullmatch(path.name):
            continue
        if path.is_dir():
            yield from committed(path)
        else:
            yield path


def text_of(path: Path) -> str:
    """The file as text; undecodable bytes do not hide what stands between them."""
    return path.read_text(encoding="utf-8", errors="replace")


def found(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for path in paths
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        for match in pattern.finditer(line)
    ]


def project() -> dict[str, Any]:
    parsed: dict[str, Any] = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    return parsed


def pins() -> dict[str, str]:
    lines = text_of(ROOT / "constraints.txt").splitlines()
    return {canonicalize_name(name): version for name, version in (ln.split("==") for ln in lines)}


def requirements() -> list[Requirement]:
    extras = project()["optional-dependencies"].values()
    build = tomllib.loads(text_of(ROOT / "pyproject.toml"))["build-system"]["requires"]
    lines = [*project()["dependencies"], *build, *(line for extra in extras for line in extra)]
    return [req for req in map(Requirement, lines) if req.name != "privet"]


def mechanism_folders() -> list[Path]:
    return [path.parent for path in sorted((PACKAGE / "mechanisms").glob("*/mechanism.py"))]


# ------------------------------------------------------------------------------- what is committed


def test_no_file_names_a_package_registry() -> None:
    me = Path(__file__)
    assert found(REGISTRY, [path for path in committed() if path != me]) == []


def test_what_installs_names_no_address_at_all() -> None:
    names = ("pyproject.toml", "constraints.txt", "Makefile", ".ci/run", "benchmarks/peers.txt")
    assert found(ADDRESS, [ROOT / name for name in names]) == []


def test_no_file_names_a_path_of_one_machine() -> None:
    assert found(MACHINE_PATH, list(committed())) == []


@pytest.mark.parametrize("text", ["cd /" + "home/ada", 'open("/' + 'root/x.csv")', "/" + "work/x"])
def test_a_path_of_one_machine_is_recognised(text: str) -> None:
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize(
    "text", ["home/" + "work/leisure", "https://a.b/home/x", "/usr/bin/python3"]
)
def test_other_paths_are_left_alone(text: str) -> None:
    assert not MACHINE_PATH.search(text)


def test_every_suppression_has_its_reason_beside_it() -> None:
    bare = []
    for path in committed():
        if path.suffix != ".py" or path == Path(__file__):
            continue
        lines = text_of(path).splitlines()
        for number, line in enumerate(lines):
            if SUPPRESSION.search(line) and not has_reason(
                line, lines[number - 1] if number else ""
            ):
                bare.append(f"{path.relative_to(ROOT)}:{number + 1}: {line.strip()}")
    assert bare == []


def has_reason(line: str, line_before: str) -> bool:
    """A comment after the suppression, a reason= argument, or a comment on the line before."""
    after = re.split(SUPPRESSION, line)[-1]
    words = re.sub(r"^(\[[\w, -]+\]|:\s*[A-Z]+\d+(,\s*[A-Z]+\d+)*)", "", after)
    is_call = "pytest." in line or "mark." in line
    return (
        line_before.strip().startswith("#")
        or bool(re.search(r"#\s*\w", words))
        or (is_call and bool(re.search(r"reason=|\(\s*f?[\"']", line)))
    )


@pytest.mark.parametrize(
    ("line", "before", "expected"),
    [
        ("x = f()  # type: ignore[arg-type]", "", False),
        ("x = f()  # type: ignore[arg-type]  # the stub lags behind", "", True),
        ("x = f()  # noqa: E501", "y = 1", False),
        ("x = f()  # noqa: E501", "# One long literal reads better.", True),
        ("@pytest.mark.skip", "", False),
        ('@pytest.mark.skip(reason="needs two machines")', "", True),
        ('    pytest.skip("no second interpreter")', "", True),
    ],
)
def test_the_probe_for_reasons(line: str, before: str, expected: bool) -> None:
    assert SUPPRESSION.search(line)
    assert has_reason(line, before) is expected


# ---------------------------------------------------------------------------------- what installs


@pytest.mark.parametrize("name", ["constraints.txt", "benchmarks/peers.txt"])
def test_locked_versions_are_names_and_versions_in_order(name: str) -> None:
    lines = text_of(ROOT / name).splitlines()
    assert [ln for ln in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][\w.]*", ln)] == []
    names = [canonicalize_name(line.split("==")[0]) for line in lines]
    assert len(set(names)) == len(names)
    assert names == sorted(names)


def test_every_requirement_is_locked_at_a_version_it_admits() -> None:
    locked = pins()
    assert requirements()
    for requirement in requirements():
        version = locked.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not in constraints.txt"
        assert requirement.specifier.contains(version), f"{requirement} excludes {version}"


def test_a_user_is_asked_for_no_test_tool() -> None:
    tools = {"pytest", "mypy", "ruff", "hypothesis", "import-linter", "pandas", "polars"}
    extras = project()["optional-dependencies"]
    asked = [*project()["dependencies"], *extras["data"], *extras["plots"], *extras["all"]]
    assert tools.isdisjoint(Requirement(line).name for line in asked)


def test_the_changelog_names_the_current_version() -> None:
    headings = re.findall(r"^## (\S+)", text_of(ROOT / "CHANGELOG.md"), flags=re.MULTILINE)
    assert headings
    assert headings[0] == project()["version"]


# ------------------------------------------------------------------------------------- the rooms


@pytest.mark.parametrize(
    "folder",
    sorted({path.parent for path in PACKAGE.rglob("*.py")}),
    ids=lambda folder: str(folder.relative_to(PACKAGE)),
)
def test_every_room_says_what_it_is(folder: Path) -> None:
    # Without an __init__.py a folder is also invisible to the layers contract and to mypy.
    assert (folder / "__init__.py").is_file()
    assert ast.get_docstring(ast.parse(text_of(folder / "__init__.py")))


def test_every_mechanism_has_its_proof_and_its_reference() -> None:
    assert len(mechanism_folders()) >= 5
    for folder in mechanism_folders():
        assert (folder / "reference.py").is_file(), folder.name
        proof = folder / "PROOF.md"
        assert proof.is_file(), folder.name
        assert CITATION.search(text_of(proof)), f"{folder.name}/PROOF.md cites no source"


def test_every_citation_is_in_the_bibliography() -> None:
    bibliography = text_of(ROOT / "docs" / "refs.bib")
    keys = re.findall(r"^@\w+\{([^,]+),$", bibliography, flags=re.MULTILINE)
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    cited = {
        (match.group(1), str(path.relative_to(ROOT)))
        for path in committed()
        if path.suffix in {".py", ".md"} and path != Path(__file__)
        for match in CITATION.finditer(text_of(path))
    }
    assert cited
    assert sorted((key, place) for key, place in cited if key not in keys) == []


# --------------------------------------------------------------------------------------- the sizes

LONGEST_FILE = 500
LONGEST_BODY = 60
"""Lines of a function between its docstring and its end: what a screen shows. Not its parameters,
which are options with their help in a command, and not what is said about it."""


def long_functions(source: str) -> list[str]:
    """Functions with a longer body, as "line name: lines"."""
    return [
        f"{node.lineno} {node.name}: {lines}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := lines_of_body(node)) > LONGEST_BODY
    ]


def lines_of_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    statements = function.body[ast.get_docstring(function) is not None :]
    if not statements:
        return 0
    return (function.end_lineno or 0) - statements[0].lineno + 1


def python_files(*folders: str) -> list[Path]:
    return [path for name in folders for path in sorted((ROOT / name).rglob("*.py"))]


def test_a_function_fits_on_a_screen() -> None:
    paths = python_files("src", "tests", "benchmarks")
    assert len(paths) > 100
    found = {
        str(path.relative_to(ROOT)): long
        for path in paths
        if (long := long_functions(text_of(path)))
    }
    assert found == {}


def test_a_long_function_is_found_whatever_is_said_about_it() -> None:
    said = '    """' + "What it is.\n" * 80 + '    """\n'
    options = "".join(f"    option_{number}: int = 0,\n" for number in range(80))
    head = f"def f(\n{options}) -> None:\n{said}"
    assert long_functions(head + "    x = 1\n" * LONGEST_BODY) == []
    assert long_functions(head + "    x = 1\n" * (LONGEST_BODY + 1)) == [f"1 f: {LONGEST_BODY + 1}"]
    assert long_functions(head) == []


def test_a_file_of_the_package_is_read_in_one_sitting() -> None:
    long = [path for path in python_files("src") if len(text_of(path).splitlines()) > LONGEST_FILE]
    assert long == []
