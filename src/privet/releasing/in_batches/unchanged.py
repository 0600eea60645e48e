"""Files that stay what they are while they are read.

Contract. What is known of files that were changed meanwhile is known of no table that ever was: it
is refused, whatever else was found wrong with them.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from privet.errors import DataError, PrivetError

if TYPE_CHECKING:
    from privet.data import Batches


@contextmanager
def unchanged(batches: "Batches") -> Iterator[None]:
    """Errors: DataError if the files are not those that were opened, before or after."""
    stamp = batches.stamp
    try:
        if batches.fingerprint() == stamp:
            yield
    except PrivetError:
        if batches.fingerprint() == stamp:
            raise
    if batches.fingerprint() != stamp:
        raise changed(batches)


def changed(batches: "Batches") -> DataError:
    """The error for files that are not what they were."""
    path = os.fspath(batches.path)
    return DataError(
        f"{path} was changed while it was read, so nothing was published.",
        hint="Release a copy that nobody writes to.",
        path=path,
    )
