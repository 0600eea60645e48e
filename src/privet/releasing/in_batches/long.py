"""Sequences of a long table that is never in memory as a whole: whole words, in any order of rows.

Contract. Each id is one word, in the order of time, however its rows are spread over the file; the
release has the rows in the order in which they came. What is not in order is sorted on the disk by
`privet.data.long_sequences`, in a hidden folder beside the output that is gone at the end.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import PrivetError
from privet.mechanisms.on_language import LanguageMechanism
from privet.releasing.blocks import Progress
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.job import job_of
from privet.releasing.in_batches.rows import facts_of_kept, going_out, settled
from privet.releasing.in_batches.unchanged import changed, unchanged
from privet.releasing.in_batches.writing import Released, Writing
from privet.releasing.job import Drawn, Job, count_different, silent
from privet.releasing.sequences import WordRequest, release_words
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.data import Batches, LongSequences, WordBlock


LONG_ROWS = 1 << 18
"""Of a batch at most: finding words takes some hundred bytes a row."""


def prepare_long(
    request: WordRequest,
    batches: "Batches",
    target: tuple[Path, Path],
    overwrite: bool,
    progress: Progress,
    room: ExitStack,
) -> Job:
    """Look at every row and find the words; nothing is drawn. Errors: as of the table in memory."""
    from privet.data import LongColumns, long_sequences, open_batches, spill_folder

    id_name, time, state = own = request.own_columns
    # Nothing of these goes out from here, so that categories of times come whole, with their order.
    plain = open_batches(batches.path, columns=own, replaced=own, most_rows=LONG_ROWS)
    columns = LongColumns(id_name, time, state, request.mechanism.alphabet, **request.stand_ins)
    folder = room.enter_context(spill_folder(target[0].parent))
    sequences = room.enter_context(long_sequences(plain, columns, folder=folder, tell=progress))
    _check_words(request, sequences, progress)
    kept = _kept(batches, request, progress)
    facts = replace(kept, rows=sequences.rows, lengths=sequences.lengths)
    writing = Writing(request, batches, facts, target, overwrite)
    run = _Run(request, sequences, writing)
    return replace(job_of(request, facts, run.draw), word_parts=run.words)


def _check_words(request: WordRequest, sequences: "LongSequences", progress: Progress) -> None:
    """Refuse words that cannot happen; only what knows a language does."""
    possible = request.possible
    if possible is None and not isinstance(request.mechanism, LanguageMechanism):
        return
    done = 0
    for block in sequences.blocks():
        with _row_named(block):
            request.mechanism.check_part(block.words)
            if possible is not None:
                possible.check(block.words)
        done += block.words.codes.size
        progress("checking the sequences", done, sequences.rows)


@contextmanager
def _row_named(block: "WordBlock") -> Iterator[None]:
    """Errors that name a word name the row of the table instead: words come in any order here."""
    try:
        yield
    except PrivetError as error:
        word, position = error.payload.get("word"), error.payload.get("position")
        if not isinstance(word, int) or not isinstance(position, int):
            raise
        place = min(position, int(block.words.lengths[word]) - 1)
        row = int(block.rows[int(block.words.offsets[word]) + place])
        message = error.message.replace(f"Word {word} ", "A word ", 1)
        payload = {key: value for key, value in error.payload.items() if key != "word"}
        raise type(error)(
            f"{message} That is row {row} of the table.",
            hint=error.hint,
            **{**payload, "row": row},
        ) from None


def _kept(batches: "Batches", request: WordRequest, progress: Progress) -> Facts:
    """What notes say of the kept columns, and the categories of all that go out as they are."""
    import pyarrow as pa

    encoded = any(pa.types.is_dictionary(kind) for kind in batches.schema.types)
    if not request.keep and not encoded:
        return Facts()
    facts, also = Facts(), (str(request.id), str(request.time))
    for table in batches:
        facts += Facts(table.num_rows, **facts_of_kept(table, request.keep, also))
        progress("looking at the kept columns", facts.rows, batches.total)
    return facts


@dataclass(frozen=True)
class _Run:
    """The release of words that were found."""

    request: WordRequest
    sequences: "LongSequences"
    writing: Writing

    def words(self) -> Iterator[tuple[int, Words]]:
        """(number of words before, words) of each block."""
        first = 0
        for block in self.sequences.blocks():
            yield first, block.words
            first += len(block.words)

    def draw(self, progress: Progress, measure: bool) -> Drawn:
        """Draw every word, then write the table with the states that were drawn."""
        with unchanged(self.writing.batches):
            wrong = self._draw_words(progress, measure)
        return self.writing.stage(lambda: self._released(progress, wrong), measure)

    def _draw_words(self, progress: Progress, measure: bool) -> tuple[int, ...]:
        done, wrong = 0, 0
        for block in self.sequences.blocks():
            released = release_words(self.request, block.words, silent)
            wrong += sum(count_different(block.words.codes, released.codes, measure))
            self.sequences.put(block, released)
            done += released.codes.size
            progress("drawing", done, self.sequences.rows)
        return (wrong,)

    def _released(self, progress: Progress, wrong: tuple[int, ...]) -> Released:
        """The rows of the table with the states that were drawn."""
        from privet.data import decode_column, replace_column

        request, batches = self.request, self.writing.batches
        alphabet, state = request.mechanism.alphabet, str(request.state)
        categories = settled(self.writing.facts, batches.schema)
        start = 0
        for table in batches:
            stop = start + table.num_rows
            if stop > self.sequences.rows:
                raise changed(batches)
            codes = self.sequences.released(start, stop)
            fresh = decode_column(codes, alphabet, like=table.column(state).type)
            whole = replace_column(table, state, fresh)
            yield going_out(whole, request, categories), wrong if start == 0 else ()
            start = stop
            progress("writing", start, self.sequences.rows)
