"""How the program was called and where its public data sets are, for commands that run as printed.

Contract. Names are given for the folder the user is in. Nothing here computes or reads files.
"""

import os
import shlex
import shutil
import sys
from pathlib import Path

import privet


def program() -> str:
    """What was typed to call this program: `privet` if that finds it, else the path to it."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == "privet":
        return f"{shlex.quote(sys.executable)} -m privet"
    found = shutil.which("privet")
    if called.name != "privet" or (found and os.path.realpath(found) == os.path.realpath(called)):
        return "privet"
    return shlex.quote(_short(called))


def shipped(name: str) -> str:
    """The path of a public file that comes with the package.

    `name`: a data set (voters, income or seattle), or a file (quintiles.json, infection.toml).
    """
    file = name if "." in name else f"{name}.csv"
    return shlex.quote(_short(Path(privet.__file__).parent / "datasets" / file))


def _short(path: Path) -> str:
    """Relative if it lies below the current folder."""
    whole = Path.cwd() / path
    try:
        return str(whole.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(whole)
