"""Decoding a release that exists: possible words made of it, at no further cost.

Contract. Only the release, its receipt and a public chain are looked at, so the guarantee stays as
it is [dwork-roth-2014]; a chain that was learnt from this very release is a function of it and
costs nothing either. The new receipt carries the old guarantee and names the release that was
decoded. Files are written as those of a release.
"""

import os
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privet.chains import MarkovChain
from privet.errors import DataError, DomainError, ParameterError, ParameterTypeError
from privet.mechanisms.base import HammingMechanism
from privet.releasing.blocks import Progress
from privet.releasing.decoding import Decoding
from privet.releasing.files import receipt_path_for, sha256_of
from privet.releasing.finishing import Release, finish, target_of
from privet.releasing.job import Drawn, silent
from privet.releasing.plan import can_estimate
from privet.releasing.prediction import predict
from privet.releasing.reading import check_file
from privet.releasing.receipt import Receipt, versions_in_use
from privet.releasing.sequences import CHAIN_PUBLIC, decoding_notes
from privet.releasing.table_words import alphabet_of, check_words, read_sequences
from privet.symbols import Words

PathLike = str | os.PathLike[str]


def decode_release(
    release: Release | PathLike,
    chain: MarkovChain,
    method: str = "viterbi",
    *,
    receipt: PathLike | None = None,
    output: PathLike | None = None,
    output_receipt: PathLike | None = None,
    changed_file: bool = False,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Release:
    """Decode released words with a public `chain`; the guarantee stays, nothing more is spent.

    `release`: a Release, or the path of a released file, whose receipt is at `receipt` (default:
    beside it); `method`: "viterbi", "marginals" or "sample"; `output`: where the decoded table is
    written, with its receipt at `output_receipt` (default: beside it); `changed_file`: read a file
    that was changed since its release; an existing file is refused unless `overwrite`. The chain
    may have been learnt from this release. Errors: DataError for a release of no words, for one
    that was decoded, or whose symbols were not released one by one; ModelError for a chain over
    other symbols; ParameterError, OutputError as `privet.release`.
    """
    decoding = Decoding.read(chain, method)
    if decoding is None:
        raise ParameterTypeError(
            "Words are decoded with a MarkovChain, and none was given.",
            hint="Read one from a file with read_model(path).",
            parameter="chain",
        )
    known, source = receipt_of(release, receipt, _BARE)
    mechanism = _check(known, decoding)
    inputs = [] if source is None else [source, Path(receipt or receipt_path_for(source))]
    target = target_of(output, output_receipt, inputs, overwrite)
    if source is not None and not changed_file:
        check_file(source, known)
    data = release.data if isinstance(release, Release) else source
    drawn, words = _decoded(data, known, mechanism, decoding, progress)
    account = _account(known, source, mechanism, decoding, words)
    return finish(account, drawn, target, overwrite=overwrite, progress=progress)


_BARE = "Give what privet.release gave, or the path of a released file; bare words are decoded by "
_BARE += "privet.decode.viterbi(words, mechanism, chain)."


def receipt_of(
    release: Any, receipt: PathLike | None, otherwise: str
) -> tuple[Receipt, Path | None]:
    """The receipt of a release, and its file if it is one; `otherwise`: the hint for what is none.

    Errors: ParameterError, ParameterTypeError; DataError, FileFormatError naming the file.
    """
    if isinstance(release, Release):
        if receipt is not None:
            raise ParameterError(
                "A Release has its receipt with it.", hint="Leave receipt out.", parameter="receipt"
            )
        return release.receipt, None
    if not isinstance(release, str | os.PathLike):
        raise ParameterTypeError(
            f"A {type(release).__name__} is not a release.",
            hint=otherwise,
            parameter="release",
        )
    place = Path(release)
    if not place.exists():
        raise DataError(f"There is no file {place}.", hint="Check the path.", path=str(place))
    return Receipt.read(receipt_path_for(place) if receipt is None else Path(receipt)), place


def _check(known: Receipt, decoding: Decoding) -> HammingMechanism:
    """The mechanism that released the words. Errors: DataError, ModelError."""
    check_words(known.kind)
    if "decoded" in known.layout:
        raise DataError(
            "These words were decoded already: the noise left in them is not the mechanism's.",
            hint="Decode the release that they were made from.",
        )
    mechanism = known.mechanism()
    if not isinstance(mechanism, HammingMechanism) or not can_estimate(mechanism):
        raise DataError(
            f"A release of the {mechanism.title} cannot be decoded: symbols must have been "
            "released one by one.",
            hint="Randomised response does that, and the exponential mechanism on all words.",
        )
    decoding.check(mechanism)
    return mechanism


def _decoded(
    data: Any, known: Receipt, mechanism: HammingMechanism, decoding: Decoding, progress: Progress
) -> tuple[Drawn, Words]:
    """What goes out, and the words that were read."""
    if isinstance(data, Words):
        return Drawn(decoding.decode(data, mechanism, progress)), data
    from privet.data import read_table, to_arrow

    if isinstance(data, Path):
        progress(f"reading {data.name}", 0, 0)
        data = read_table(data)
    frame = to_arrow(data)
    alphabet = alphabet_of(mechanism)
    try:
        sequences = read_sequences(frame.table, alphabet, known.layout)
    except DomainError as error:
        raise DataError(
            f"This is not the release of this receipt: {error.message}",
            hint="A release holds symbols of its alphabet only.",
        ) from None
    table = sequences.rebuild(decoding.decode(sequences.words, mechanism, progress))
    return Drawn(frame.restore(table), table), sequences.words


def _account(
    known: Receipt,
    source: Path | None,
    mechanism: HammingMechanism,
    decoding: Decoding,
    words: Words,
) -> Receipt:
    """The receipt of the decoded words."""
    origin = decoding.chain.learnt_from
    written = known.output or {}
    facts = {"name": written.get("name", ""), "sha256": written.get("sha256", "")}
    if source is not None:
        facts = {"name": source.name, "sha256": sha256_of(source)}
    own = origin is not None and origin["sha256"] in {facts["sha256"], written.get("sha256")}
    promise = known.guarantee if own else known.guarantee.with_assumptions(CHAIN_PUBLIC)
    prediction = predict(mechanism, Counter(words.lengths.tolist()), decoding)
    part = known.parts[0]
    law = {**part.law, **prediction.to_json()}
    name = facts["name"] or "one that is no file"
    what = f"this is a release made before ({name}), decoded: no data were read, nothing was spent"
    return replace(
        known,
        guarantee=promise,
        parts=(replace(part, expected_errors=prediction.errors, law=law),),
        layout={
            **known.layout,
            "decoded": decoding.to_json(),
            "decoded_from": {**facts, "created": known.created},
        },
        notes=(
            *known.notes,
            what,
            *decoding_notes(decoding, own_release=own),
        ),
        output=None,
        created=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        versions=versions_in_use(),
    )
