"""Releasing sequences: one word an id (long tables), one word a row (wide tables), or bare Words.

Contract. The protected unit is any `adjacency` symbols of one word. Ids, times, the order of the
rows and the length of every word go out unprotected and are named in the guarantee, as is every
kept column; other columns do not go out. With delta > 0 the promise is about a single symbol, which
the guarantee says: (epsilon, delta) alone says nothing about several. On a language that forbids
words, the promise is about changes from one of its words to another; a word outside it is refused
by number and position before anything is drawn, unless the mechanism allows it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, ParameterError
from privet.exact import read_count
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.privacy import Guarantee
from privet.releasing.blocks import Progress
from privet.releasing.decoding import METHODS, Decoding
from privet.releasing.job import (
    Drawn,
    Job,
    check_adjacency,
    count_different,
    describe_words,
    draw_words,
)
from privet.releasing.notes import revealing_columns, weak_parameters
from privet.releasing.possible import Possible
from privet.releasing.rows import rows_named
from privet.releasing.stand_ins import StandIn, check_stand_ins, stand_in
from privet.releasing.tables import index_published
from privet.symbols import Words

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import ArrowFrame, SequenceFrame


CHAIN_PUBLIC = (
    "the chain used for decoding was public, or learnt from a release that is accounted for "
    "separately"
)
"""What the promise rests on where words are decoded."""


@dataclass(frozen=True)
class WordRequest:
    """What to release as words.

    Either `id`, `time` and `state` (a long table) or `columns` (a wide one, or the one column of
    lists). `adjacency`: how many
    symbols of a word the promise covers; None leaves it to the mechanism. `possible`: the language
    of the words, where the mechanism knows none.
    """

    mechanism: HammingMechanism
    id: str | None = None
    time: str | None = None
    state: str | None = None
    columns: tuple[str, ...] = ()
    ragged: bool = False
    keep: tuple[str, ...] = ()
    adjacency: int | None = None
    other: StandIn = None
    missing: StandIn = None
    published: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    decoding: Decoding | None = None
    possible: Possible | None = None

    def __post_init__(self) -> None:
        named = [name for name in (self.id, self.time, self.state) if name is not None]
        if bool(named) == bool(self.columns) or (named and len(named) < 3):
            raise ParameterError(
                "Sequences need either an id, a time and a state column, or the columns of a word.",
                hint="A long table has one row an entry; a wide table has one row a word.",
            )
        for name in self.keep:
            if name in (*named, *self.columns):
                raise ParameterError(
                    f"Column '{name}' is part of the sequences and kept as well.",
                    hint="Ids and times go out anyway, and released columns cannot be kept.",
                )
        twice = [name for name, n in Counter((*named, *self.columns)).items() if n > 1]
        if twice:
            raise ParameterError(f"Column '{twice[0]}' is named twice.", hint="Name it once.")
        if self.ragged and self.is_long:
            raise ParameterError(
                "Words of a long table end where their rows end; 'ragged' is for wide tables.",
                hint="Leave 'ragged' out.",
            )
        for role, given in (("other", self.other), ("missing", self.missing)):
            check_stand_ins(given, [self.state] if self.state else list(self.columns), role)
        covered_symbols(self.mechanism, self.adjacency)

    @property
    def is_long(self) -> bool:
        """Whether a row is one entry of a word."""
        return self.id is not None

    @property
    def columns_needed(self) -> list[str]:
        """Every column that must be there."""
        return [*self.own_columns, *self.keep]

    @property
    def columns_replaced(self) -> list[str]:
        """The columns of the data whose own values do not go out: the states."""
        return list(self.columns) if self.state is None else [self.state]

    @property
    def columns_going_out(self) -> list[str]:
        """The columns of the release: all that are needed."""
        return self.columns_needed

    @property
    def stand_ins(self) -> dict[str, Any]:
        """{"other": symbol or None, "missing": symbol or None}, of the one alphabet."""
        state, alphabet = self.state or self.columns[0], self.mechanism.alphabet
        given = {"other": self.other, "missing": self.missing}
        return {role: stand_in(symbol, state, alphabet, role) for role, symbol in given.items()}

    @property
    def own_columns(self) -> list[str]:
        """The columns that make up the sequences."""
        if self.id is not None and self.time is not None and self.state is not None:
            return [self.id, self.time, self.state]
        return list(self.columns)


def covered_symbols(mechanism: HammingMechanism, adjacency: int | None) -> tuple[int, int]:
    """(symbols the promise covers, how many times the mechanism's own epsilon that costs).

    A mechanism made for b symbols covers b. Randomised response answers symbol by symbol, so it
    covers any number b at b times its epsilon (pure epsilon only). Errors: ParameterError for any
    other wish.
    """
    own = mechanism.adjacency
    if adjacency is None or read_count(adjacency, "adjacency") == own:
        return own, 1
    adjacency = read_count(adjacency, "adjacency")
    if mechanism.name != "randomized-response":
        raise ParameterError(
            f"adjacency is {adjacency}, but the mechanism was made for {own}.",
            hint="Make the mechanism with the adjacency wanted.",
            parameter="adjacency",
        )
    if mechanism.guarantee.delta:
        raise ParameterError(
            "With delta > 0 only one symbol of a word can be covered.",
            hint="Use delta = 0, or adjacency = 1.",
            parameter="adjacency",
        )
    return adjacency, adjacency


def word_guarantee(
    mechanism: HammingMechanism,
    adjacency: int | None,
    lengths: Counter[int],
    what: str,
    of: str,
    published: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    decoding: Decoding | None = None,
    possible: Possible | None = None,
) -> Guarantee:
    """The promise about any covered symbols of one word.

    `what` the symbols are ("values"), of which word (`of`: "of one 'id'").
    """
    models = _public_models(mechanism, decoding, possible)
    covered, times = covered_symbols(mechanism, adjacency)
    own = mechanism.guarantee
    longest = max(lengths, default=0)
    same = len(lengths) == 1
    independent = "the sequences, and the symbols within one, are independent of one another"
    if models:
        # A language or a chain says itself that symbols of one word depend on each other.
        independent = (
            "the sequences are independent of one another; words are compared that differ in "
            f"{'that symbol' if covered == 1 else 'those symbols'} alone, so what symbols tell of "
            "others in their sequence is not counted"
        )
    if covered >= longest:
        unit = f"The whole word: all {f'{longest} ' if same else ''}{what} {of}"
        if longest <= 1:
            unit = f"The one of the {what} {of}"
        independent = "the sequences are independent of one another"
    else:
        number = "one" if covered == 1 else str(covered)
        unit = f"Any {number} of the {f'{longest} ' if same else ''}{what} {of}"
    on_language = isinstance(mechanism, LanguageMechanism) and mechanism.outside == "refuse"
    if on_language or (possible is not None and possible.refuses):
        # That there is a release at all, which a word outside prevents, tells that all are inside.
        unit += ", against any change that leads to another possible word"
    promise = replace(own, epsilon=own.epsilon * times, unit=unit).with_published(*published)
    promise = promise.with_assumptions(independent, *models, *assumptions)
    if own.delta:
        promise = promise.with_assumptions(
            "only one symbol of a word differs (with delta > 0 nothing is promised about several)"
        )
    return promise


def prepare_words(frame: "ArrowFrame", request: WordRequest, progress: Progress) -> Job:
    """Read the words and check everything; nothing is drawn.

    Errors: DomainError, MissingValueError and DataError by place, ParameterError for an adjacency
    beyond the longest word.
    """
    table = frame.table
    progress("reading the sequences", 0, table.num_rows)
    sequences = _read(frame.table, request)
    words = sequences.words
    lengths = Counter(words.lengths.tolist())
    covered, _ = covered_symbols(request.mechanism, request.adjacency)
    check_adjacency(covered, lengths)
    with rows_named(table, _layout(request, covered), words):
        request.mechanism.check(words)
        if request.possible is not None:
            request.possible.check(words)
    going_out = {*request.own_columns, *request.keep}

    def draw(tell: Progress, measure: bool) -> Drawn:
        released = release_words(request, words, tell)
        wrong = count_different(words.codes, released.codes, measure)
        whole = sequences.rebuild(released)
        whole = whole.select([name for name in table.column_names if name in going_out])
        return Drawn(frame.restore(whole), whole, wrong)

    job = words_job(
        request,
        lengths,
        table.num_rows,
        draw,
        index=index_published(frame),
        remarks=revealing_columns(table, request.keep),
    )
    return replace(job, words=words)


def words_job(
    request: WordRequest,
    lengths: Counter[int],
    size: int,
    draw: Callable[[Progress, bool], Drawn],
    *,
    index: tuple[str, ...] = (),
    remarks: tuple[str, ...] = (),
) -> Job:
    """What is promised about words of those lengths in a table of `size` rows, all checked.

    `index`, `remarks`: as for `table_job`. Errors: ParameterError for an adjacency beyond the
    longest word.
    """
    # Sums of floats are then the same whatever length came first.
    lengths = Counter(dict(sorted(lengths.items())))
    covered, times = covered_symbols(request.mechanism, request.adjacency)
    check_adjacency(covered, lengths)
    decoding = request.decoding
    part = describe_words(
        request.mechanism,
        lengths,
        column=request.state if request.is_long else None,
        times=times,
        decoding=decoding,
        **request.stand_ins,
    )
    promise = word_guarantee(
        request.mechanism,
        request.adjacency,
        lengths,
        "values",
        _of(request),
        _published(request, index),
        request.assumptions,
        decoding,
        request.possible,
    )
    return Job(
        "words",
        promise,
        part.spent,
        (part,),
        draw,
        shape=_shape(lengths, rows=size),
        layout={**_layout(request, covered), **models_layout(decoding, request.possible)},
        notes=(
            *output_notes(request.mechanism, decoding, request.possible, lengths),
            *weak_parameters(promise.epsilon, promise.delta, lengths.total(), "sequences"),
            *remarks,
        ),
    )


def release_words(request: WordRequest, words: Words, tell: Progress) -> Words:
    """A release of each word, decoded if that was asked for; nothing is refused any more."""
    return _draw(request.mechanism, words, request.decoding, tell)


def prepare_bare_words(
    mechanism: HammingMechanism,
    words: Words,
    adjacency: int | None,
    published: Sequence[str],
    decoding: Decoding | None = None,
    possible: Possible | None = None,
) -> Job:
    """The job for Words that come without a table."""
    lengths = Counter(words.lengths.tolist())
    covered, times = covered_symbols(mechanism, adjacency)
    if not len(words):
        raise DataError("There are no words.", hint="There is nothing to release.")
    check_adjacency(covered, lengths)
    mechanism.check(words)
    if possible is not None:
        possible.check(words)
    part = describe_words(mechanism, lengths, column=None, times=times, decoding=decoding)
    sizes = "the number and order of the words and the length of each"
    promise = word_guarantee(
        mechanism,
        adjacency,
        lengths,
        "symbols",
        "of one word",
        (sizes, *published),
        decoding=decoding,
        possible=possible,
    )

    def draw(tell: Progress, measure: bool) -> Drawn:
        released = _draw(mechanism, words, decoding, tell)
        return Drawn(released, None, count_different(words.codes, released.codes, measure))

    return Job(
        "words",
        promise,
        part.spent,
        (part,),
        draw,
        shape=_shape(lengths),
        layout={"adjacency": covered, **models_layout(decoding, possible)},
        notes=(
            *output_notes(mechanism, decoding, possible, lengths),
            *weak_parameters(promise.epsilon, promise.delta, len(words), "sequences"),
        ),
        words=words,
    )


def _draw(
    mechanism: HammingMechanism, words: Words, decoding: Decoding | None, tell: Progress
) -> Words:
    """A release of each word, decoded if that was asked for."""
    released = draw_words(mechanism, words, tell)
    return released if decoding is None else decoding.decode(released, mechanism, tell)


def _public_models(
    mechanism: HammingMechanism, decoding: Decoding | None, possible: Possible | None
) -> tuple[str, ...]:
    """The assumptions that come with a language and with a chain."""
    found = []
    if isinstance(mechanism, LanguageMechanism) or possible is not None:
        found.append("the language (which words can happen) was public before the data were seen")
    if decoding is not None:
        found.append(CHAIN_PUBLIC)
    return tuple(found)


def output_notes(
    mechanism: HammingMechanism,
    decoding: Decoding | None = None,
    possible: Possible | None = None,
    lengths: Counter[int] | None = None,
) -> tuple[str, ...]:
    """What to know of the words that go out."""
    notes = () if decoding is None else decoding_notes(decoding)
    if possible is not None:
        notes += possible.notes(decoding, lengths or Counter())
    if not isinstance(mechanism, LanguageMechanism):
        return notes
    if mechanism.outside == "allow":
        note = (
            "words outside the language were allowed: what goes out for them is in the language "
            "all the same"
        )
        notes += (note,)
    return (*notes, *mechanism.remarks([*(lengths or ())]))


def decoding_notes(decoding: Decoding, own_release: bool = False) -> tuple[str, ...]:
    """How the words were decoded, and what a learnt chain costs.

    `own_release`: whether the chain was learnt from the very release that is decoded.
    """
    possible = (
        "every word is one that the chain can produce"
        if decoding.always_possible
        else "symbols next to each other may be impossible together"
    )
    how = (
        f"the released words were decoded with a chain ({METHODS[decoding.method]}): this sees "
        f"nothing but the release and the chain, so the guarantee is the same; {possible}"
    )
    origin = decoding.chain.learnt_from
    if own_release:
        return (how, "the chain was learnt from this very release, which costs nothing")
    if origin is None:
        return (how,)
    adds = (
        f"the chain was learnt from the release {origin['file']} of epsilon {origin['epsilon']}: "
        "if that was a release of these data too, the two add up, and both epsilons are spent"
    )
    return (how, adds)


def models_layout(decoding: Decoding | None, possible: Possible | None) -> dict[str, Any]:
    """What a receipt says of the public models, for whoever reads the release back."""
    layout: dict[str, Any] = {} if decoding is None else {"decoded": decoding.to_json()}
    if possible is not None:
        layout["language"] = possible.to_json()
    return layout


def _read(table: "pa.Table", request: WordRequest) -> "SequenceFrame":
    from privet.data import words_from_long, words_from_wide

    alphabet, stand_ins = request.mechanism.alphabet, request.stand_ins
    if request.id is not None and request.time is not None and request.state is not None:
        return words_from_long(
            table, alphabet, id=request.id, time=request.time, state=request.state, **stand_ins
        )
    return words_from_wide(
        table, alphabet, list(request.columns), ragged=request.ragged, **stand_ins
    )


def _of(request: WordRequest) -> str:
    if request.is_long:
        return f"of '{request.state}' of one '{request.id}'"
    first, *others = request.columns
    named = f"columns '{first}' to '{others[-1]}'" if others else f"column '{first}'"
    return f"of one row ({named}; a person with several rows is protected row by row)"


def _published(request: WordRequest, index: tuple[str, ...]) -> tuple[str, ...]:
    if request.is_long:
        items = [
            f"columns '{request.id}' and '{request.time}' as they are",
            "with them the number of sequences and the length of each",
            "the order of the rows",
        ]
    else:
        items = ["the number and the order of the rows"]
        if request.ragged:
            items.append("the length of each sequence")
    items += [f"column '{name}' as it is" for name in request.keep]
    return (*items, *index, *request.published)


def _shape(lengths: Counter[int], **sizes: int) -> dict[str, int]:
    return {
        **sizes,
        "words": lengths.total(),
        "symbols": sum(length * count for length, count in lengths.items()),
        "shortest": min(lengths, default=0),
        "longest": max(lengths, default=0),
    }


def _layout(request: WordRequest, covered: int) -> dict[str, Any]:
    own: dict[str, Any] = {"columns": list(request.columns), "ragged": request.ragged}
    if request.is_long:
        own = {"id": request.id, "time": request.time, "state": request.state}
    return {**own, "kept": list(request.keep), "adjacency": covered}
