"""The page on model files: every file it shows is read, and is what the page says it is."""

import json
from fractions import Fraction
from pathlib import Path

from pages import Page
from privet import (
    Alphabet,
    ChainBox,
    HiddenMarkovModel,
    Language,
    MarkovChain,
    read_model,
    verify,
)
from privet.languages.automaton import Automaton
from privet.languages.documents import FORMS
from privet.languages.expressions import MOST_POSITIONS
from privet.languages.operations import MOST_STATES

PAGE = Page("docs/model-files.md")
SHOWN = PAGE.blocks("json")


def test_every_file_is_read(tmp_path: Path) -> None:
    models = []
    for text in SHOWN:
        (tmp_path / "model.json").write_text(text, encoding="utf-8")
        models.append(read_model(tmp_path / "model.json"))
    kinds = [type(model) for model in models]
    assert kinds == [*[Language] * 4, MarkovChain, ChainBox, HiddenMarkovModel]
    assert [form for text in SHOWN for form in FORMS if form in json.loads(text)] == [*FORMS]
    pattern, allowed, moves, transitions = models[:4]
    home = Alphabet(["home", "work", "on leave"])
    assert pattern == Language.from_regex(home, "home (work | 'on leave')* home")
    rooms = Alphabet(["hall", "kitchen", "bath"])
    assert allowed == Language.from_allowed(rooms, [[1, 1, 1], [1, 1, 0], [1, 0, 1]], start="hall")
    shop = Alphabet(["nothing", "purchase"])
    assert moves == Language.from_regex(shop, ".* purchase nothing?")
    account = Automaton([[0, 1], [-1, 1]], 0, [True, True])
    assert transitions == Language(Alphabet(["open", "closed"]), account)


def test_every_question_is_read(tmp_path: Path) -> None:
    questions = []
    for text in PAGE.blocks("toml"):
        (tmp_path / "question.toml").write_text(text, encoding="utf-8")
        questions.append(verify.read_verification(tmp_path / "question.toml"))
    numbers, symbols = questions
    assert isinstance(numbers, verify.Verification)
    assert len(numbers.pairs) == 4
    assert (numbers.ratio, numbers.length) == (Fraction(27, 10), range(1, 21))
    assert isinstance(symbols, verify.SymbolicVerification)
    assert symbols.ask == "all"


def test_the_bounds_are_those_of_the_code() -> None:
    assert f"{MOST_STATES:,} rows" in PAGE.text
    assert f"{MOST_POSITIONS:,} symbols" in PAGE.text
