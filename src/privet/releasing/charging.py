"""What a release costs an account of a ledger: known, and refused, before anything is drawn.

Contract. A release is charged by its record loss: what it tells of each record at most, whoever it
is about. The positions are those of the account's data: rows of the table, symbols of a word, steps
of a series. Words and series of several lengths are charged the pointwise largest loss over the
lengths, so nobody loses more than was charged. The account's framework turns the sum of all losses
into an epsilon; an account whose framework does not protect what the guarantee of a release speaks
of is refused, and so is a release without record loss. A delta is not charged: the record loss
holds without one. A mechanism on a language loses more over many symbols than its guarantee says of
few (2k each at rate k, and 2k is up to twice epsilon). So an account that takes records to be
independent and protects single symbols is charged the guarantee of a release that protects one,
where that is less: words that differ in one symbol are all that it compares. (Of b symbols that an
account protects, a release may cover one alone, and spend on it more than epsilon / b.) Decoding
costs nothing, so a decoded release costs what the release costs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privet.errors import DomainError, ParameterError, ParameterTypeError
from privet.mechanisms import Mechanism, SeriesMechanism
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.privacy import Framework, IndependentRecords, MarkovFramework, RecordLoss
from privet.releasing.answers import Answer
from privet.symbols import Alphabet, Words

if TYPE_CHECKING:
    from privet.ledger import Account
    from privet.releasing.receipt import Receipt

RECORDS = {"row": "row", "symbol": "step", "step": "step", "value": "value", "choice": "choice"}
"""What the parts of a receipt are of, as an account counts it: a symbol of a word is a step."""

SEVERAL = {"row": "rows", "step": "steps (symbols)", "value": "values", "choice": "choices"}
"""What several of them are called."""

NO_RECORD_LOSS = "its mechanism has no record loss, so what it costs with other releases is unknown"


@dataclass(frozen=True)
class Charge:
    """What a release costs, before its account's framework makes an epsilon of it.

    `loss`: of each record; `records`: what they are, a value of `RECORDS`; `covered`: how many of
    them the guarantee covers at once (the rows of a person, say); `framework`: of a query about
    series; `alphabet`: of the words, which an account of series has as its states; `of_one`: what
    is promised of a single one, where that may be less than its loss.
    """

    loss: RecordLoss
    records: str
    covered: int = 1
    framework: MarkovFramework | None = None
    alphabet: Alphabet | None = None
    of_one: Fraction | None = None

    def loss_in(self, framework: Framework) -> RecordLoss:
        """The loss that an account with that framework is charged."""
        loss = self.loss
        is_single = isinstance(framework, IndependentRecords) and framework.unit == 1
        if self.of_one is None or not is_single:
            return loss
        return RecordLoss.constant(loss.length, min(loss.maximum, self.of_one))

    @classmethod
    def of(cls, receipt: "Receipt") -> "Charge":
        """What the release of a receipt costs. Errors: ParameterError without a record loss."""
        part = receipt.parts[0]
        records = RECORDS[part.per]
        if isinstance(part, Answer):
            if part.losses is None:
                raise ParameterError(
                    f"This release cannot be charged to an account: {NO_RECORD_LOSS}.",
                    hint="Use MarkovLaplace where there is a ledger.",
                    parameter="ledger",
                )
            mechanism = receipt.mechanism()
            framework = mechanism.framework if isinstance(mechanism, SeriesMechanism) else None
            loss = RecordLoss.largest_of(part.losses.values())
            return cls(loss, records, framework=framework)
        covered = int(receipt.layout.get("rows_per_person") or receipt.layout.get("adjacency") or 1)
        if records != "step":
            return cls(receipt.record_loss, records, covered)
        return cls.of_words(receipt.mechanism(), receipt.record_loss, covered)

    @classmethod
    def of_words(cls, mechanism: Mechanism, loss: RecordLoss, covered: int) -> "Charge":
        """What a mechanism on words costs, of which the guarantee covers `covered` symbols."""
        # At any rate, what is promised of `covered` symbols holds for one of them.
        of_one = mechanism.epsilon if isinstance(mechanism, LanguageMechanism) else None
        return cls(loss, "step", covered, alphabet=_alphabet_of(mechanism), of_one=of_one)

    def check(self, account: "Account", parts: Iterable[tuple[int, Words]] = ()) -> None:
        """Refuse an account that does not count, or not protect, what the release is about.

        `parts`: the data, if they are words, each part with the number of words before it; an
        account of series refuses those that its chains cannot produce. Errors: ParameterError;
        DomainError by word and position.
        """
        if self.framework is not None and isinstance(account.framework, IndependentRecords):
            _check_query(account, self.framework)
        if account.unit != self.records:
            raise ParameterError(
                f"Account '{account.name}' counts {SEVERAL[account.unit]}, and this release is of "
                f"{SEVERAL[self.records]}.",
                hint="What one record loses can only be added up over releases of the same "
                f"records: use an account of theirs, with unit='{self.records}'.",
                parameter="ledger",
            )
        framework = account.framework
        if self.framework is not None:
            _check_query(account, self.framework)
        elif isinstance(framework, MarkovFramework):
            _check_series(account, framework, self, parts)
        elif framework.unit != "all" and framework.unit < self.covered:
            what = SEVERAL[self.records]
            raise ParameterError(
                f"The release protects {self.covered} {what} at once, and account "
                f"'{account.name}' protects {_counted(framework.unit, self.records)}.",
                hint=f"Use an account made with IndependentRecords({self.covered}): what it has "
                f"left is then about {self.covered} {what}.",
                parameter="ledger",
            )


def _alphabet_of(mechanism: Mechanism) -> Alphabet | None:
    return mechanism.alphabet if isinstance(mechanism, HammingMechanism) else None


def _check_query(account: "Account", framework: MarkovFramework) -> None:
    if account.framework == framework:
        return
    name = f"Account '{account.name}'"
    if isinstance(account.framework, IndependentRecords):
        raise ParameterError(
            f"{name} takes the records to be independent, and the query is about series whose "
            "steps depend on each other.",
            hint="Use an account made with the framework of the query's mechanism, so with its "
            "chains and start.",
            parameter="ledger",
        )
    raise ParameterError(
        f"{name} has other chains, or another start, than the mechanism of the query: what it has "
        f"left holds if {_assumed(account.framework)}.",
        hint="Make the mechanism with account.framework, or use an account made with the "
        f"mechanism's own framework ({_assumed(framework)}).",
        parameter="ledger",
    )


def _check_series(
    account: "Account",
    framework: MarkovFramework,
    charge: Charge,
    parts: Iterable[tuple[int, Words]],
) -> None:
    name = f"Account '{account.name}'"
    if charge.covered > 1:
        raise ParameterError(
            f"The release protects {charge.covered} symbols at once, and {name} one step of a "
            "series.",
            hint="Release with adjacency=1: randomised response of epsilon E/b for one symbol is "
            "that of epsilon E for b of them. Or use an account made with "
            f"IndependentRecords({charge.covered}).",
            parameter="ledger",
        )
    alphabet = charge.alphabet
    if alphabet is None or set(alphabet.symbols) != set(framework.alphabet.symbols):
        raise ParameterError(
            f"The states of {name[0].lower()}{name[1:]} are not the symbols of the release.",
            hint="Use the alphabet of the account's chains (account.framework.alphabet), or an "
            "account made with IndependentRecords.",
            parameter="ledger",
        )
    for before, words in parts:
        try:
            framework.check_words(_recoded(words, framework.alphabet))
        except DomainError as error:
            raise _moved(error, before) from None


def _moved(error: DomainError, before: int) -> DomainError:
    """The same of a word of the whole, before whose part there are so many words."""
    word = error.payload.get("word")
    if not before or not isinstance(word, int):
        return error
    message = error.message.replace(f"Word {word} ", f"Word {word + before} ", 1)
    return DomainError(message, hint=error.hint, **{**error.payload, "word": word + before})


def _recoded(words: Words, alphabet: Alphabet) -> Words:
    """The same words over the same symbols in another order."""
    if words.alphabet == alphabet:
        return words
    place = np.array([alphabet.index(symbol) for symbol in words.alphabet.symbols], np.int64)
    return Words(alphabet, place[words.codes], words.offsets)


def _assumed(framework: MarkovFramework) -> str:
    return "; ".join(framework.assumptions())


def _counted(count: int, records: str) -> str:
    return f"one {records}" if count == 1 else f"{count} {SEVERAL[records]}"


def read_account(given: object) -> "Account | None":
    """The account that a release is charged to. Errors: ParameterTypeError for anything else."""
    if given is None:
        return None
    from privet.ledger import Account

    if isinstance(given, Account):
        return given
    raise ParameterTypeError(
        f"A {type(given).__name__} is not an account of a ledger.",
        hint="Open one: ledger=Ledger.open('spend.db').account('survey').",
        parameter="ledger",
    )
