"""Files of boxes of chains: read as they were written, refused by field and row."""

import json
from pathlib import Path
from typing import Any

import pytest

from privet.chains import ChainBox, read_model
from privet.errors import ModelError

BOX: dict[str, Any] = {
    "kind": "chain-box",
    "states": ["a", "b"],
    "lower": [["1/3", 0.5], ["0.1", "0.7"]],
    "upper": [["1/2", "2/3"], ["0.3", 1]],
    "confidence": "0.9",
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "box.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_box_is_read_back(tmp_path: Path) -> None:
    box = read_model(written(tmp_path, BOX))
    assert isinstance(box, ChainBox)
    assert float(box.confidence or 0) == 0.9
    assert box.states == ("a", "b")
    assert read_model(written(tmp_path, box.to_json())) == box
    without = {name: BOX[name] for name in ("kind", "lower", "upper")}
    assert read_model(written(tmp_path, without)) == ChainBox(BOX["lower"], BOX["upper"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lower": [["1/3", True], ["0.1", "0.7"]]}, r"lower\[0\]\[1\]: input should be a valid"),
        ({"upper": None}, "upper: "),
        ({"upper": BOX["upper"][:1]}, "upper: "),
        ({"more": 1}, "more: extra inputs"),
        ({"confidence": True}, "confidence: "),
        ({"confidence": "2"}, "confidence must lie"),
        ({"lower": BOX["upper"], "upper": BOX["lower"]}, "Row 0"),
        ({"upper": BOX["lower"]}, "Row 0 .*sum to 1"),
        ({"states": ["a", "b", "c"]}, "3 states"),
    ],
)
def test_an_error_names_the_file_and_the_place(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, {**BOX, **change})
    with pytest.raises(ModelError, match=message) as caught:
        read_model(path)
    assert "box.json" in str(caught.value)
