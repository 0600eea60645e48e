"""docs/scale.md: its benchmark takes the flags of the page and writes its table."""

import shlex
import subprocess
import sys
from pathlib import Path

from pages import ROOT, Page

PAGE = Page("docs/scale.md")


def test_the_benchmark_knows_the_flags_of_the_page() -> None:
    program = (ROOT / "benchmarks" / "scale.py").read_text(encoding="utf-8")
    command = next(block for block in PAGE.blocks("console") if "benchmarks/scale.py" in block)
    flags = [word for word in shlex.split(command) if word.startswith("--")]
    assert flags
    for flag in flags:
        assert f'"{flag}"' in program


def test_the_benchmark_measures_and_writes_its_table(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE.text, encoding="utf-8")
    options = ["--rows", "20000", "--words", "100", "--repeats", "1", "--write", str(page)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "scale.py"), *options],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    for what in ("pyarrow alone", "Privet, columns", "Privet, sequences in disorder"):
        assert f"| {what} |" in text
    assert text.startswith(PAGE.text[: PAGE.text.index("<!-- measured: begin -->")])
    assert text.endswith(PAGE.text[PAGE.text.index("<!-- measured: end -->") :])
