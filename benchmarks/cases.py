"""Privet's own measurements, each in a fresh process.

    python benchmarks/cases.py CASE [ARGUMENT ...]     one case; prints JSON

Contract. Only public names are called, as a user would. What is not the release (making the data,
importing names) happens before the clock starts; building a law is part of the first call.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from accounting_cases import ACCOUNTING_CASES
from algorithm_1 import beside_algorithm_1, beside_expansion
from calibration import CALIBRATION_CASES
from measure import EPSILON, LABELS, cpu_seconds, emit, public_codes, resident_bytes, rooms
from series_cases import SERIES_CASES
from verify_cases import VERIFY_CASES

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


def _steps(kind: str) -> np.ndarray:
    """A transition matrix over 16 states: sparse, dense, or one that only ever moves on."""
    if kind == "dense":
        rows = np.random.default_rng(1989).random((16, 16)) + 0.1
    elif kind == "moves on":
        rows = np.triu(np.ones((16, 16))) + 20 * np.eye(16)
    else:
        rows = rooms(4)
    return rows / rows.sum(axis=1, keepdims=True)


def decode(way: str, kind: str, count: str, length: str, repeats: str) -> None:
    """Words released at epsilon 3 and decoded with their chain: speed, memory, symbols wrong."""
    chain = privet.MarkovChain(np.full(16, 1 / 16), _steps(kind))
    mechanism = privet.RandomizedResponse(chain.alphabet, epsilon=3)
    truth = chain.sample_words(int(count), int(length))
    released = mechanism.release(truth)
    call = getattr(privet.decode, way)
    call(chain.sample_words(2, 3), mechanism, chain)
    before = resident_bytes("VmRSS")
    decoded = call(released, mechanism, chain)
    extra = resident_bytes("VmHWM") - before
    seconds, decoded = cpu_seconds(lambda: call(released, mechanism, chain), int(repeats))
    if way == "posterior":
        decoded = decoded.most_likely()
    elif way == "sample":
        (decoded,) = decoded
    wrong = float(np.mean(decoded.codes != truth.codes))
    released_wrong = float(np.mean(released.codes != truth.codes))
    emit(
        rows=truth.codes.size,
        seconds=seconds,
        extra=extra,
        wrong=wrong,
        released_wrong=released_wrong,
    )


def on_language(mechanism: str, epsilon: str, count: str, length: str, repeats: str) -> None:
    """Words of the grid world released by a mechanism on its language: speed, memory, errors."""
    chain = privet.MarkovChain(np.full(16, 1 / 16), rooms(4))
    language = privet.Language.from_chain(chain)
    truth = chain.sample_words(int(count), int(length))
    release = getattr(privet, mechanism)(language, epsilon=epsilon, calibration="paper").release
    before = resident_bytes("VmRSS")
    released = release(truth)
    extra = resident_bytes("VmHWM") - before
    seconds, released = cpu_seconds(lambda: release(truth), int(repeats))
    outside = int((language.first_impossible_each(released) >= 0).sum())
    if outside:
        raise ValueError(f"{outside} released words are not in the language")
    wrong = float(np.mean(released.codes != truth.codes))
    emit(rows=truth.codes.size, seconds=seconds, extra=extra, wrong=wrong)


def counting(length: str, repeats: str) -> None:
    """The words of the grid world counted, exactly, by their distance from one of them."""
    chain = privet.MarkovChain(np.full(16, 1 / 16), rooms(4))
    language, word = privet.Language.from_chain(chain), chain.sample(int(length))
    before = resident_bytes("VmRSS")
    seconds, counts = cpu_seconds(lambda: language.count_by_distance(word), int(repeats))
    extra = resident_bytes("VmHWM") - before
    if sum(counts) != language.count(int(length)) or counts[0] != 1:
        raise ValueError("the counts by distance do not add up to the words")
    emit(rows=int(length), seconds=seconds, extra=extra)


CASES: dict[str, Callable[..., None]] = {
    "algorithm-1": beside_algorithm_1,
    "array": array,
    "codes": codes,
    "counting": counting,
    "decode": decode,
    "expansion": beside_expansion,
    "labels": labels,
    "memory": memory,
    "on-language": on_language,
    "words": words,
    **ACCOUNTING_CASES,
    **CALIBRATION_CASES,
    **SERIES_CASES,
    **VERIFY_CASES,
}

if __name__ == "__main__":
    CASES[sys.argv[1]](*sys.argv[2:])
