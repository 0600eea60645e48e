"""Every page is followed once in a run of the tests, however many processes run them."""

import fcntl
import json
import os
from pathlib import Path

import pytest

from pages import Follow, Followed, Page


@pytest.fixture(scope="session")
def follow(tmp_path_factory: pytest.TempPathFactory) -> Follow:
    """`Page.follow`, in a folder of its own, which is there until the tests are over."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which the processes share

    def followed(page: Page) -> Followed:
        folder: Path = base / "pages" / page.path.replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        known = folder.with_suffix(".json")
        with folder.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not known.exists():
                known.write_text(json.dumps(page.follow(folder).printed), encoding="utf-8")
            return Followed(page, folder, tuple(json.loads(known.read_text(encoding="utf-8"))))

    return followed
