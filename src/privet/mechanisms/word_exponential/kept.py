"""Certified rates that were found before: in this process, and in a folder of the user's.

Contract. A search takes seconds and what it finds depends on the clock, so what was found is kept
under the hash of the question: the language, what may be spent, the adjacency, the lengths, how
hard was looked, and the version that looked. Nothing that is read is trusted: the certificate is
checked again and must keep the rate within what was asked; a file that is damaged, foreign or false
is as good as none, and replaced, and so is one whose check takes longer than a search. Files are
written whole or not at all, in the folder itself: a link is replaced, not followed, a file of
another name is left alone, and nobody is waited for. What the system refuses is let go: the folder
only saves time. Languages are public, and nothing else is in it.

The folder is $PRIVET_CACHE, else privet in $XDG_CACHE_HOME, else privet in .cache of the home;
there is none where PRIVET_CACHE is empty.
"""

import json
import math
import os
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.errors import PrivetError
from privet.exact import log_down
from privet.languages import Language
from privet.mechanisms.word_exponential.calibrated import (
    ALL_LENGTHS,
    Calibrated,
    digest,
    keep,
    read_calibrated,
    table_of,
)
from privet.weighted.limits import Lengths

KIND = "privet calibration"

_LARGEST_FILE = 1 << 24
_MOST_FILES = 200
_NAME = re.compile("[0-9a-f]{64}[.]json")
_MOST_NODES = 1 << 18
"""Of all trees: several times what a search opens."""

_LONGEST_CHECK = 30.0
"""Seconds, where the search that is saved would not take longer."""


class _TooLong(Exception):
    """The check of a file takes longer than it is worth."""


_KNOWN: dict[str, tuple[Calibrated, float]] = {}


@dataclass(frozen=True)
class Question:
    """What is looked for; `effort`: a JSON value that says how hard, and with which version."""

    language: Language
    target: Fraction
    adjacency: int
    longest: int | None
    effort: Any

    @property
    def key(self) -> str:
        """The hash of all of it."""
        asked = [table_of(self.language), str(self.target), self.adjacency, self.longest]
        return digest([*asked, self.effort])

    def accepts(self, found: Calibrated) -> bool:
        """Whether it spends at most what is asked for, on words of lengths that are asked for."""
        rate = log_down(1 / found.q)
        return (
            found.high <= self.target
            and rate * self.adjacency <= self.target
            and found.lengths in (ALL_LENGTHS, Lengths(0, self.longest))
        )


def find(question: Question, seconds: float | None) -> Calibrated | None:
    """What was found before by a search that ended by itself, or had at least so many seconds."""
    key = question.key
    known = _KNOWN.get(key)
    if known is None:
        known = _read(question, key, _LONGEST_CHECK if seconds is None else seconds)
        if known is not None:
            keep(_KNOWN, key, known)
    if known is None or known[1] < (math.inf if seconds is None else seconds):
        return None
    return known[0]


def remember(question: Question, found: Calibrated, seconds: float) -> None:
    """Keep what a search of `seconds` found; inf if it ended by itself."""
    key = question.key
    keep(_KNOWN, key, (found, seconds))
    folder = _folder()
    if folder is None:
        return
    content = {
        "kind": KIND,
        "key": key,
        "seconds": None if seconds == math.inf else seconds,
        "calibration": found.to_json(),
    }
    text = json.dumps(content, indent=2) + "\n"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder, f"{key}.json", text.encode())
        _forget_oldest(folder)


def _write(folder: Path, name: str, content: bytes) -> None:
    staged = folder / f".privet-{os.urandom(8).hex()}.part"
    try:
        with staged.open("xb") as file:
            file.write(content)
        staged.replace(folder / name)
    finally:
        staged.unlink(missing_ok=True)


def _folder() -> Path | None:
    own = os.environ.get("PRIVET_CACHE")
    if own is not None:
        return Path(own) / "calibrations" if own else None
    shared = os.environ.get("XDG_CACHE_HOME", "")
    with suppress(RuntimeError):  # without a home
        root = Path(shared) if Path(shared).is_absolute() else Path.home() / ".cache"
        return root / "privet" / "calibrations"
    return None


def _read(question: Question, key: str, seconds: float) -> tuple[Calibrated, float] | None:
    folder = _folder()
    if folder is None:
        return None
    try:
        text = _text(folder / f"{key}.json")
        return None if text is None else _checked(question, key, json.loads(text), seconds)
    except (OSError, ValueError, OverflowError, RecursionError, PrivetError, _TooLong):
        return None


def _text(path: Path) -> bytes | None:
    """What is in a regular file that is not too large; nothing else is waited for."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        text = file.read(_LARGEST_FILE + 1)
    return None if len(text) > _LARGEST_FILE else text


def _checked(
    question: Question, key: str, content: Any, limit: float
) -> tuple[Calibrated, float] | None:
    if not isinstance(content, Mapping) or content.get("kind") != KIND or content.get("key") != key:
        return None
    seconds = content.get("seconds", 0)
    if seconds is not None and type(seconds) not in (int, float):
        return None
    end = time.monotonic() + max(limit, _LONGEST_CHECK)

    def watch() -> None:
        if time.monotonic() > end:
            raise _TooLong

    calibration = content.get("calibration", {})
    if _nodes(calibration) > _MOST_NODES * question.adjacency:
        return None
    found = read_calibrated(question.language, question.adjacency, calibration, watch)
    if not question.accepts(found):
        return None
    return found, math.inf if seconds is None else float(seconds)


def _nodes(calibration: Any) -> int:
    """How many nodes the trees have, if there are any where they should be."""
    certificate = calibration.get("certificate") if isinstance(calibration, Mapping) else None
    parts = certificate.get("parts") if isinstance(certificate, Mapping) else None
    trees = [part.get("tree") for part in parts or () if isinstance(part, Mapping)]
    return sum(
        len(level)
        for tree in trees
        if isinstance(tree, list)
        for level in tree
        if isinstance(level, str)
    )


def _forget_oldest(folder: Path) -> None:
    files = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
    if len(files) > _MOST_FILES:
        files.sort(key=lambda path: path.lstat().st_mtime)
        for path in files[: len(files) - _MOST_FILES]:
            path.unlink(missing_ok=True)
