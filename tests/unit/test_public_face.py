"""The names a user imports: present, the same objects as in their rooms, and loaded only on use."""

import ast
import importlib
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import privet
from privet import errors

ROOT = Path(__file__).parents[2]

# The contract, stated a second time on purpose: a name may be added here, never removed.
FACE = {
    "privet.accounting": {"Accountant", "Explanation"},
    "privet.symbols": {"Alphabet", "Codes", "Words"},
    "privet.chains": {"ChainBox", "HiddenMarkovModel", "MarkovChain", "read_model", "save_model"},
    "privet.languages": {"Language"},
    "privet.ledger": {"Ledger"},
    "privet.privacy": {"Guarantee", "IndependentRecords", "MarkovFramework", "RecordLoss"},
    "privet.mechanisms": {
        "Exponential",
        "MarkovLaplace",
        "MarkovQuilt",
        "RandomizedResponse",
        "Wasserstein",
        "WordExponential",
        "WordPermuteAndFlip",
        "WordStaircase",
    },
    "privet.releasing": {
        "Receipt",
        "Release",
        "decode_release",
        "estimate_release",
        "plan",
        "plan_query",
        "plan_table",
        "release",
        "words_from_table",
    },
    "privet.reports": {"report"},
}
SUBMODULES = {
    "accounting": "privet.accounting",
    "datasets": "privet.datasets",
    "decode": "privet.estimate.decode",
    "estimate": "privet.estimate",
    "queries": "privet.queries",
    "testing": "privet.testing",
    "verify": "privet.verify",
}
HEAVY = {
    "alembic",
    "duckdb",
    "matplotlib",
    "narwhals",
    "numpy",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "psycopg",
    "pydantic",
    "rich",
    "scipy",
    "sqlalchemy",
    "typer",
}


def error_names() -> set[str]:
    return {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.PrivetError | Warning)
    }


def in_fresh_interpreter(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join({{n.split('.')[0] for n in sys.modules}}))"
    return set(in_fresh_interpreter(code).split())


@pytest.mark.parametrize(
    ("room", "name"), [(r, n) for r, names in FACE.items() for n in sorted(names)]
)
def test_a_public_name_is_the_object_of_its_room(room: str, name: str) -> None:
    assert getattr(privet, name) is getattr(importlib.import_module(room), name)


@pytest.mark.parametrize("name", sorted(error_names()))
def test_every_error_class_is_public(name: str) -> None:
    assert getattr(privet, name) is getattr(errors, name)


@pytest.mark.parametrize("name", sorted(SUBMODULES))
def test_a_submodule_is_reached_by_attribute(name: str) -> None:
    # In a fresh interpreter: here another test may have imported it already.
    shown = in_fresh_interpreter(f"import privet; print(privet.{name}.__name__)")
    assert shown == SUBMODULES[name]


def test_all_is_exactly_the_contract() -> None:
    expected = set[str]().union(*FACE.values(), SUBMODULES, error_names(), {"__version__"})
    assert set(privet.__all__) == expected
    assert list(privet.__all__) == sorted(privet.__all__)


def test_type_checkers_see_the_names_that_run_time_gives() -> None:
    tree = ast.parse(Path(inspect.getfile(privet)).read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(seen) | {"__version__"} == set(privet.__all__)
    for name, module in seen.items():
        if name not in SUBMODULES:
            assert getattr(privet, name) is getattr(importlib.import_module(str(module)), name)


def test_dir_lists_public_names_before_they_are_used() -> None:
    listed = in_fresh_interpreter("import privet; print(*dir(privet))").split()
    assert set(privet.__all__) <= set(listed)
    assert listed == sorted(listed)


def test_an_unknown_name_is_an_attribute_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match=r"'privet'.*'Laplace'"):
        _ = privet.Laplace  # type: ignore[attr-defined]  # that it does not exist is the test
    assert not hasattr(privet, "numpy")


def test_the_version_is_the_one_in_pyproject() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert privet.__version__ == project["version"]


def test_import_privet_loads_no_heavy_library() -> None:
    assert not loaded_after("import privet") & HEAVY


def test_the_probe_for_heavy_libraries_sees_one() -> None:
    assert "numpy" in loaded_after("import privet, numpy") & HEAVY


@pytest.mark.parametrize("name", ["RandomizedResponse", "WordStaircase", "RecordLoss", "estimate"])
def test_the_mathematics_loads_no_frame_plot_or_terminal_library(name: str) -> None:
    frames = HEAVY - {"numpy", "pydantic", "scipy"}
    assert not loaded_after(f"import privet; privet.{name}") & frames


def test_scipy_is_imported_only_where_it_is_called() -> None:
    assert "scipy" not in loaded_after("import privet; privet.RandomizedResponse")
