"""Model files: what is read, what is refused and where the error points, and their JSON Schemas."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from privet.chains import HiddenMarkovModel, MarkovChain, model_from_json, read_model
from privet.chains.schema import FILES, json_schemas
from privet.errors import FileFormatError, ModelError, ParameterTypeError, PrivetError
from privet.languages import Language
from privet.symbols import Alphabet

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
CHAIN: dict[str, Any] = {
    "kind": "markov-chain",
    "states": ["a", "b"],
    "initial": ["1/3", "2/3"],
    "transition": [[0.9, 0.1], [0.2, 0.8]],
}
HIDDEN: dict[str, Any] = {
    "kind": "hidden-markov-model",
    "transition": [[0, 1], [1, 0]],
    "emission": [["1/2", "1/2", 0], [0, 0, 1]],
}


def written(tmp_path: Path, content: object) -> Path:
    path = tmp_path / "model.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def test_each_kind_is_read(tmp_path: Path) -> None:
    chain = read_model(written(tmp_path, CHAIN))
    assert isinstance(chain, MarkovChain)
    assert chain.transition.tolist() == CHAIN["transition"]
    assert isinstance(read_model(written(tmp_path, HIDDEN)), HiddenMarkovModel)
    language = Language.all(Alphabet(["a", "b"]))
    assert read_model(str(written(tmp_path, language.to_json()))) == language


def test_a_written_chain_is_read_back(tmp_path: Path) -> None:
    chain = MarkovChain([1 / 3, 2 / 3], [[0.1, 0.9], [1 / 7, 6 / 7]], ["x", "y"])
    assert read_model(written(tmp_path, chain.to_json())) == chain


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"transition": [[0.9, 0.1], [0.2, 0.7]]}, r"Row 1 \(state b\).* 0\.1 too little"),
        ({"transition": [[0.9, True], [0.2, 0.8]]}, r"transition\[0\]\[1\]: input.* valid str"),
        ({"transition": [[0.9, 0.1], 1]}, r"transition\[1\]: "),
        ({"transition": [[0.9, "x"], [0.2, 0.8]]}, "Entry 1 of row 0"),
        ({"initial": [0.5, -0.5]}, "The initial distribution has an entry that is negative"),
        ({"initial": None}, "initial: "),
        ({"states": ["a", None]}, r"states\[1\]: input.* or a valid integer"),
        ({"states": ["a", "a"]}, "states cannot be used.*equal"),
        ({"more": 1}, "more: extra inputs are not permitted"),
        ({"kind": "chain"}, "names no kind of model"),
    ],
)
def test_an_error_names_the_file_and_the_place(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, {**CHAIN, **change})
    with pytest.raises(ModelError, match=message) as caught:
        read_model(path)
    assert caught.value.payload["path"] == str(path)
    assert str(path) in caught.value.message


def test_a_missing_field_is_named() -> None:
    with pytest.raises(ModelError, match="emission: field required"):
        model_from_json({k: v for k, v in HIDDEN.items() if k != "emission"})


@pytest.mark.parametrize("content", [[], "text", 3, None, {}, {"kind": 3}, {"kind": ["a"]}])
def test_what_describes_nothing_is_refused(content: object) -> None:
    with pytest.raises(ModelError, match="no kind of model"):
        model_from_json(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind": "markov-chain",\n "initial": [}', "line 2 is not JSON"),
        ('{"kind": "language", "kind": "markov-chain"}', "'kind' is there twice"),
        ("[" * 100_000, "nested too deeply"),
        ('{"kind": "markov-chain", "initial": [' + "1" * 5000 + ", 0]}", "too many digits"),
        ("", "line 1 is not JSON"),
    ],
)
def test_what_is_not_json_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        read_model(written(tmp_path, text))


def test_files_that_are_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"There is no file .*none\.json\. Check the path"):
        read_model(tmp_path / "none.json")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_model(tmp_path)
    for wrong in (None, 3, "model\0.json", b"model\0.json"):
        with pytest.raises(ParameterTypeError, match="named by the path of its file"):
            read_model(wrong)  # type: ignore[arg-type]  # that it is refused is the test
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileFormatError, match="UTF-8"):
        read_model(tmp_path / "binary")
    assert issubclass(FileFormatError, PrivetError)


@pytest.mark.parametrize("kind", FILES)
def test_the_published_schema_is_current(kind: str) -> None:
    # When this fails: privet.chains.schema.write_schemas(Path("docs/schemas")).
    published = json.loads((SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))
    assert published == json_schemas()[kind]


def test_pydantic_is_loaded_when_a_file_is_read_and_not_before() -> None:
    code = (
        "import sys, privet; privet.MarkovChain; before = 'pydantic' in sys.modules\n"
        f"privet.chains.model_from_json({CHAIN!r}); print(before, 'pydantic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["False", "True"]
