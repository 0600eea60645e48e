"""Privet's own measurements, each in a fresh process.

    python benchmarks/cases.py CASE [ARGUMENT ...]     one case; prints JSON

Contract. Only public names are called, as a user would. What is not the release (making the data,
importing names) happens before the clock starts; building a law is part of the first call.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from measure import EPSILON, LABELS, cpu_seconds, emit, public_codes, resident_bytes

import privet

Release = Callable[[Any], Any]


def _way(way: str, mechanism: privet.RandomizedResponse) -> Release:
    """The bare sampler, or the accountable release with its receipt."""
    ways: dict[str, Release] = {
        "sampler": mechanism.release,
        "release": lambda data: privet.release(mechanism, data).data,
    }
    return ways[way]


def _alphabet(size: int) -> privet.Alphabet:
    return privet.Alphabet([f"category {number}" for number in range(size)])


def codes(way: str, rows: str, repeats: str, size: str = str(len(LABELS))) -> None:
    """Randomised response on an array of codes."""
    mechanism = privet.RandomizedResponse(_alphabet(int(size)), epsilon=EPSILON)
    release, values = _way(way, mechanism), public_codes(int(rows), int(size))
    release(values[:1000])
    seconds, released = cpu_seconds(lambda: release(values), int(repeats))
    kept = float(np.mean(released == values))
    emit(rows=values.size, seconds=seconds, kept=kept, law=float(mechanism.keep_probability))


def memory(way: str, rows: str, size: str = str(len(LABELS))) -> None:
    """Peak resident bytes beyond input and output of the first release that a process makes."""
    mechanism = privet.RandomizedResponse(_alphabet(int(size)), epsilon=EPSILON)
    release, values = _way(way, mechanism), public_codes(int(rows), int(size))
    before = resident_bytes("VmRSS")
    released = release(values)
    emit(rows=values.size, extra=resident_bytes("VmHWM") - before - released.nbytes)


def labels(kind: str, rows: str, repeats: str) -> None:
    """Label strings in a column, from frame to frame of the same kind."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    values = public_codes(int(rows))
    coded = pa.DictionaryArray.from_arrays(values.view(np.int8), pa.array(LABELS))
    column = coded if kind in _CODED else coded.cast(pa.string())
    frame, back = _frame(kind, pa.table({"answer": column}))
    mechanism = privet.RandomizedResponse(privet.Alphabet(LABELS), epsilon=EPSILON)

    def release(data: Any) -> Any:
        return privet.release(mechanism, data, columns="answer").data

    release(frame[:1000])
    seconds, released = cpu_seconds(lambda: release(frame), int(repeats))
    if type(released) is not type(frame):
        raise TypeError(f"the release is a {type(released).__name__}")
    decoded = back(released).column("answer").combine_chunks().dictionary_encode()
    code_of = np.array([LABELS.index(label) for label in decoded.dictionary.to_pylist()])
    kept = float(np.mean(code_of[decoded.indices.to_numpy()] == values))
    emit(rows=values.size, seconds=seconds, kept=kept, law=float(mechanism.keep_probability))


_CODED = ("Arrow dictionary", "pandas category")


def _frame(kind: str, table: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The table as a frame of that kind, and the way back to Arrow."""
    import pyarrow as pa

    if kind.startswith("polars"):
        import polars as pl

        frame = pl.DataFrame(pl.from_arrow(table))
        if kind == "polars Enum":
            frame = frame.cast({"answer": pl.Enum(LABELS)})
        return frame, lambda same: same.to_arrow()
    if kind.startswith("pandas"):
        return table.to_pandas(), pa.Table.from_pandas
    return table, lambda same: same


def array(rows: str, repeats: str) -> None:
    """Label strings in a numpy array, which the sampler takes as well."""
    mechanism = privet.RandomizedResponse(privet.Alphabet(LABELS), epsilon=EPSILON)
    values = np.array(LABELS)[public_codes(int(rows))]
    mechanism.release(values[:1000])
    seconds, released = cpu_seconds(lambda: mechanism.release(values), int(repeats))
    kept = float(np.mean(released == values))
    emit(rows=values.size, seconds=seconds, kept=kept, law=float(mechanism.keep_probability))


_ON_LANGUAGES = ("WordExponential", "WordPermuteAndFlip")


def words(mechanism: str, count: str, length: str) -> None:
    """Words of one length: the first release, which builds the law, and the one after it."""
    alphabet, kind = privet.Alphabet(LABELS), getattr(privet, mechanism)
    domain = privet.Language.all(alphabet) if mechanism in _ON_LANGUAGES else alphabet
    offsets = np.arange(int(count) + 1, dtype=np.int64) * int(length)
    data = privet.Words(alphabet, public_codes(int(offsets[-1])), offsets)
    made: list[Any] = []

    def first() -> None:
        made.append(kind(domain, epsilon=EPSILON))
        made[0].release(data)

    emit(
        first=cpu_seconds(first, 1)[0],
        second=cpu_seconds(lambda: made[0].release(data), 1)[0],
    )


CASES: dict[str, Callable[..., None]] = {
    "array": array,
    "codes": codes,
    "labels": labels,
    "memory": memory,
    "words": words,
}

if __name__ == "__main__":
    CASES[sys.argv[1]](*sys.argv[2:])
