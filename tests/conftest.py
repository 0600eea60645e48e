"""Settings that every test shares."""

from hypothesis import settings

# Examples are derived from the test itself, so a run says the same everywhere; `explore` looks
# further, with fresh examples: python -m pytest --hypothesis-profile=explore
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=2_000, print_blob=True)
settings.load_profile("repeatable")
