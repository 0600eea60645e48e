"""What every refusal about data must keep: the private value out of everything that is shown."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace

import pytest

from privet.errors import PrivetError

Refusal = Callable[[type[PrivetError]], AbstractContextManager[SimpleNamespace]]


@pytest.fixture
def secret() -> str:
    """A private value; put together here so that no source line in a traceback spells it."""
    return "".join(["zq", "77", "13"])


@pytest.fixture
def refused(secret: str) -> Refusal:
    """`with refused(Kind) as seen`: an error of that kind, with a hint, that tells no secret."""

    @contextmanager
    def check(kind: type[PrivetError]) -> Iterator[SimpleNamespace]:
        seen = SimpleNamespace(error=None, text="")
        with pytest.raises(kind) as caught:
            yield seen
        seen.error, seen.text = caught.value, str(caught.value)
        shown = "".join(traceback.format_exception(caught.value))
        assert secret not in shown
        assert secret not in repr(caught.value.payload)
        assert caught.value.hint

    return check
