"""Settings that every test shares."""

import os
import tempfile

from hypothesis import settings

# Certified rates are kept for the length of a run, also by the commands that tests start, and not
# among those of whoever runs the tests.
_KEPT = tempfile.TemporaryDirectory(prefix="privet-tests-")
os.environ["PRIVET_CACHE"] = _KEPT.name

# Examples are derived from the test itself, so a run says the same everywhere; `explore` looks
# further, with fresh examples: python -m pytest --hypothesis-profile=explore
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("repeatable")
