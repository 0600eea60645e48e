"""Settings that every test shares."""

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

# Certified rates are kept for the length of a run, also by the commands that tests start, and not
# among those of whoever runs the tests.
_KEPT = tempfile.TemporaryDirectory(prefix="privet-tests-")
os.environ["PRIVET_CACHE"] = _KEPT.name

# Where bytecode is not to be written, every command that a test starts would compile Privet again,
# a third of its time: it is kept for the length of the run instead, for the workers of xdist too.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = f"{_KEPT.name}-bytecode"
    atexit.register(shutil.rmtree, f"{_KEPT.name}-bytecode", ignore_errors=True)

# Examples are derived from the test itself, so a run says the same everywhere; `explore` looks
# further, with fresh examples: python -m pytest --hypothesis-profile=explore
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("repeatable")
