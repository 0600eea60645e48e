"""Into a file batch by batch: what is released is written under a hidden name as it is drawn.

Contract. The file gets the output's name only when all of it is there and the ledger says so. Files
that changed between looking and drawing are refused: then nothing is published.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from privet.releasing.files import StagedFile
from privet.releasing.finishing import Unread
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.rows import RowRequest
from privet.releasing.in_batches.unchanged import changed, unchanged
from privet.releasing.job import Drawn
from privet.releasing.receipt import Receipt
from privet.releasing.tables import TableRequest

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import Batches

Released = Iterator[tuple["pa.Table", tuple[int, ...]]]
"""Tables as they go out, with the number of symbols that differ in each part."""


def names_out(batches: "Batches", request: RowRequest) -> list[str]:
    """The columns that go out, in the order of the file."""
    chosen = set(request.columns_going_out)
    return [name for name in batches.schema.names if name in chosen]


@dataclass(frozen=True)
class Writing:
    """Where the release of `batches`, of which the `facts` are known, is written."""

    request: RowRequest
    batches: "Batches"
    facts: Facts
    target: tuple[Path, Path]
    overwrite: bool

    def stage(self, released: Callable[[], Released], measure: bool) -> Drawn:
        """Write what `released()` gives, whole, under a hidden name.

        Errors: OutputError; DataError if the input is not what it was.
        """
        staged = StagedFile(*self.target, overwrite=self.overwrite)
        wrong: Counter[int] = Counter()
        try:
            with unchanged(self.batches):
                staged.write(lambda path: self._write(path, released(), wrong))
        except BaseException:
            staged.discard()
            raise
        counts = tuple(wrong[part] for part in sorted(wrong)) if measure else ()
        return Drawn(None, realised_errors=counts, staged=_Staged(staged, self.target[0]))

    def _write(self, path: Path, released: Released, wrong: Counter[int]) -> None:
        from privet.data import file_ending, open_writer, write_whole

        def write(sink: BinaryIO) -> None:
            ending, encoded, rows = file_ending(path), self.batches.encoded, 0
            with open_writer(sink, ending, self.schema, encoded) as writer:
                for table, counts in released:
                    writer.write(table)
                    wrong.update(dict(enumerate(counts)))
                    rows += table.num_rows
            if rows != self.facts.rows:
                raise changed(self.batches)

        write_whole(path, write)

    @property
    def schema(self) -> "pa.Schema":
        """The columns of the release and their types."""
        import pyarrow as pa

        return pa.schema(
            [(name, self._type_out(name)) for name in names_out(self.batches, self.request)]
        )

    def _type_out(self, name: str) -> Any:
        from privet.data import dictionary_type, released_type

        kind = self.batches.schema.field(name).type
        if name in self.facts.categories:
            return dictionary_type(kind, len(self.facts.categories[name]))
        if name not in self.request.columns_replaced:
            return kind
        mechanism = (
            self.request.mechanisms[name]
            if isinstance(self.request, TableRequest)
            else self.request.mechanism
        )
        return released_type(mechanism.alphabet, kind)


@dataclass(frozen=True)
class _Staged:
    """A written file that waits for its name."""

    file: StagedFile
    output: Path

    def publish(self, receipt: Receipt) -> tuple[Receipt, Any]:
        """Give the file and its receipt their names."""
        facts: dict[str, str] = {}

        def text(written: Mapping[str, str]) -> str:
            facts.update(written)
            return replace(receipt, output=dict(written)).to_text()

        self.file.publish(text)
        return replace(receipt, output=facts), Unread(self.output)

    def discard(self) -> None:
        """Delete the file, unless it has its name."""
        self.file.discard()
