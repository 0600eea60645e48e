"""What tests of charged releases share."""

from collections.abc import Iterator

import pytest

from privet import Ledger


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    """A ledger in memory."""
    with Ledger.open("memory:") as opened:
        yield opened
