"""Reading regular expressions whose letters are the symbols of an alphabet.

Contract. The expression describes whole words. Symbols stand for themselves and are separated by
spaces; where every symbol is one character they may stand side by side. Symbols that contain spaces
or special characters are quoted ('on leave', "a|b") or have a backslash before each. In order of
binding: `x*` `x+` `x?` `x{2}` `x{2,}` `x{2,5}` repeat, side by side is one after the other, `x | y`
is either. Parentheses group, `()` is the empty word, `.` is any symbol, `[a b]` one of these and
`[^a b]` one of the others. A symbol that is not text is written as `str` writes it. Anything else
is a ModelError that names the position, counted from 0.
"""

import re
from dataclasses import dataclass

from privet.errors import ModelError
from privet.languages.expressions import Either, Expression, InTurn, OneOf, Repeated
from privet.symbols import Alphabet

DEEPEST = 100
"""The deepest nesting of parentheses."""

_LARGEST_COUNT = 10**9
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | (?P<count>\{[^{}]*\})
    | (?P<mark>\[\^|[|*+?()\[\].])
    | (?P<plain>(?:[^\s'"{}|*+?()\[\].\\]|\\.)+)""",
    re.VERBOSE | re.DOTALL,
)
_CHARACTER = re.compile(r"\\.|[^\\]", re.DOTALL)
_COUNT = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")


@dataclass(frozen=True)
class _Token:
    """`kind`: "symbol" (of that code), "count", "end", or the mark itself; `text` as written."""

    kind: str
    text: str
    position: int
    code: int = -1


def parse(pattern: str, alphabet: Alphabet) -> Expression:
    """The expression that `pattern` writes. Errors: ModelError naming the position."""
    if not isinstance(pattern, str):
        raise ModelError(
            f"A regular expression is text, not a {type(pattern).__name__}.",
            hint="Write 'home (work | shop)* home', say.",
        )
    parser = _Parser(_tokens(pattern, alphabet))
    whole = parser.alternatives(0)
    if parser.here.kind != "end":
        raise _refusal(parser.here.position, "there is no '(' for this ')'")
    return whole


def _refusal(position: int, problem: str, hint: str = "") -> ModelError:
    return ModelError(
        f"The regular expression is wrong at position {position}: {problem}.",
        hint=hint,
        position=position,
    )


def _tokens(pattern: str, alphabet: Alphabet) -> list[_Token]:
    names = _Names(alphabet)
    tokens = []
    position = 0
    while position < len(pattern):
        found = _TOKEN.match(pattern, position)
        if found is None:
            raise _unreadable(pattern, position)
        kind, text = str(found.lastgroup), found.group()
        if kind == "mark":
            tokens.append(_Token(text, text, position))
        elif kind == "count":
            tokens.append(_Token(kind, text, position))
        elif kind == "quoted":
            name = _unescaped(text[1:-1])
            tokens.append(_Token("symbol", text, position, names.code(name, position)))
        elif kind == "plain":
            tokens += names.split(text, position)
        position = found.end()
    return [*tokens, _Token("end", "", len(pattern))]


def _unreadable(pattern: str, position: int) -> ModelError:
    character = pattern[position]
    if character in "'\"":
        return _refusal(position, "the quotation that opens here does not close")
    if character == "\\":
        return _refusal(position, "nothing follows the backslash")
    problem = f"'{character}' belongs to no count such as {{2,5}}"
    return _refusal(position, problem, "Quote it if it is part of a symbol.")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


class _Names:
    """The symbols by the text that stands for them."""

    def __init__(self, alphabet: Alphabet) -> None:
        self._codes: dict[str, int] = {}
        self._twice = set()
        for code, symbol in enumerate(alphabet.symbols):
            if self._codes.setdefault(str(symbol), code) != code:
                self._twice.add(str(symbol))
        self._single = all(len(name) == 1 for name in self._codes)
        shown = ", ".join([*self._codes][:8])
        self._listing = f"The symbols are {shown}{', ...' if len(self._codes) > 8 else ''}."
        if not self._single:
            self._listing = f"Symbols are separated by spaces. {self._listing}"

    def code(self, name: str, position: int) -> int:
        """The code of the symbol written `name`."""
        if name in self._twice:
            raise _refusal(position, f"two symbols of the alphabet are written '{name}'")
        if name not in self._codes:
            hint = self._listing
            if name[:1] == "^" or name[-1:] == "$":
                hint = f"An expression describes whole words without ^ and $. {hint}"
            raise _refusal(position, f"'{name}' is not a symbol of the alphabet", hint)
        return self._codes[name]

    def split(self, text: str, position: int) -> list[_Token]:
        """The symbols of a run of ordinary characters: one, or one for each character."""
        name = _unescaped(text)
        if not self._single or name in self._codes:
            return [_Token("symbol", text, position, self.code(name, position))]
        return [
            _Token("symbol", name, at, self.code(name, at))
            for found in _CHARACTER.finditer(text)
            for name, at in [(_unescaped(found.group()), position + found.start())]
        ]


class _Parser:
    """Recursive descent; each method reads as much as it can and leaves the rest."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def here(self) -> _Token:
        """The first token not read yet."""
        return self._tokens[self._next]

    def _take(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def alternatives(self, depth: int) -> Expression:
        """x | y | ..., up to a closing parenthesis or the end."""
        parts = [self._sequence(depth)]
        while self.here.kind == "|":
            self._take()
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _sequence(self, depth: int) -> Expression:
        parts: list[Expression] = []
        while self.here.kind not in ("|", ")", "end"):
            parts.append(self._repetition(depth))
        return parts[0] if len(parts) == 1 else InTurn(tuple(parts))

    def _repetition(self, depth: int) -> Expression:
        part = self._atom(depth)
        if self.here.kind not in ("*", "+", "?", "count"):
            return part
        least, most = _bounds(self._take())
        if self.here.kind in ("*", "+", "?", "count"):
            raise _refusal(
                self.here.position,
                "a repetition is repeated",
                "Put parentheses around what repeats: (x{2})*.",
            )
        return Repeated(part, least, most)

    def _atom(self, depth: int) -> Expression:
        token = self._take()
        if token.kind == "symbol":
            return OneOf(frozenset([token.code]))
        if token.kind == ".":
            return OneOf(frozenset(), negated=True)
        if token.kind in ("[", "[^"):
            return self._class(token)
        if token.kind == "(":
            return self._group(token, depth)
        if token.kind == "]":
            raise _refusal(token.position, "there is no '[' for this ']'")
        raise _refusal(token.position, f"there is nothing that '{token.text}' could repeat")

    def _group(self, opening: _Token, depth: int) -> Expression:
        if depth == DEEPEST:
            raise _refusal(opening.position, f"parentheses are nested more than {DEEPEST} deep")
        inside = self.alternatives(depth + 1)
        if self._take().kind != ")":
            raise _refusal(opening.position, "the parenthesis that opens here does not close")
        return inside

    def _class(self, opening: _Token) -> Expression:
        codes = set()
        while (token := self._take()).kind == "symbol":
            codes.add(token.code)
        if token.kind == "end":
            raise _refusal(opening.position, "the class that opens here does not close")
        if token.kind != "]":
            raise _refusal(token.position, f"'{token.text}' cannot stand in a class unquoted")
        if not codes:
            raise _refusal(opening.position, "the class lists no symbols", "'.' is any symbol.")
        return OneOf(frozenset(codes), negated=opening.kind == "[^")


def _bounds(token: _Token) -> tuple[int, int | None]:
    if token.kind != "count":
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[token.kind]
    found = _COUNT.fullmatch(token.text)
    if found is None:
        raise _refusal(
            token.position, f"'{token.text}' is not a count", "Write {2}, {2,} or {2,5}."
        )
    if max(len(found[1]), len(found[3] or "")) > len(str(_LARGEST_COUNT)):
        raise _refusal(token.position, "the count is too large")
    least = int(found[1])
    most = (int(found[3]) if found[3] else None) if found[2] else least
    if most is not None and most < least:
        raise _refusal(token.position, f"the count ends at {most}, below its start {least}")
    return least, most
