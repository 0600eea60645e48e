"""Certificates that are sealed again after a change, so that only the proof can refuse them."""

import copy
from typing import Any

from privet.weighted.seal import SEAL, seal_of


def sealed_again(document: Any) -> Any:
    """A copy in which every object that bears a seal has that of its content."""
    result = copy.deepcopy(document)
    _seal(result)
    return result


def _seal(node: Any) -> None:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for each in inner:
        _seal(each)
    if isinstance(node, dict) and SEAL in node:
        node[SEAL] = seal_of(node)
