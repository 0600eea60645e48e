"""Without the table libraries, the room says which line installs them, and Privet still loads."""

import subprocess
import sys

import pytest

_WITHOUT = """
import sys
sys.modules[{library!r}] = None
import privet.symbols, privet.errors
try:
    import privet.data
except privet.errors.MissingExtraError as error:
    assert isinstance(error, ImportError)
    print(error)
"""


@pytest.mark.parametrize("library", ["pyarrow", "narwhals"])
def test_a_missing_library_names_the_line_that_installs_it(library: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT.format(library=library)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert library in run.stdout
    assert "pip install 'privet[data]'" in run.stdout


def test_pandas_and_polars_are_not_loaded_by_the_room() -> None:
    script = "import sys, privet.data; print({'pandas', 'polars'} & set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "set()"
