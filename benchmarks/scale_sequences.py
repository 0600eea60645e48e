"""Long sequences out of core: seconds and memory as the number of rows grows.

Run: python benchmarks/scale_sequences.py [rows ...]   (default: 1000000 10000000)

Each number of rows is measured in a process of its own, on a Parquet file of sequences of 100
states of an alphabet of 16, which is made first, in a folder that goes again. `shuffled` has its
rows in no order at all, so that they are sorted; `grouped` has one sequence after the other. Ids
are text such as "person-00012345". Figures: rows, wall and CPU seconds until the sequences are
known, seconds to release them by randomised response and put them back by row, the peak of the
resident memory (of which the released codes, a byte a row, are file pages that the system takes
back when it wants) how much of it was there before the first row was read, and what
DuckDB had on the disk.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from measure import resident_bytes

LENGTH, STATES = 100, 16
_PIECE = 1 << 20
_HOUR = 3600


def main() -> None:
    """Make the files, measure each in a fresh process, print one line of figures for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--orders", nargs="*", default=["shuffled", "grouped"])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(Path(arguments.measure))))
        return
    for order in arguments.orders:
        for rows in arguments.rows:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "sequences.parquet"
                make(path, rows, shuffled=order == "shuffled")
                command = [sys.executable, __file__, "--measure", str(path)]
                run = subprocess.run(command, capture_output=True, text=True, timeout=_HOUR)
            figures = json.loads(run.stdout) if run.returncode == 0 else {"failed": run.stderr}
            print(order, json.dumps(figures), flush=True)


def make(path: Path, rows: int, *, shuffled: bool) -> None:
    """A long table of `rows` rows, written piece by piece."""
    rng = np.random.default_rng(1990)
    # Multiplying by a unit of the numbers modulo a power of two visits each once, in no order.
    size = 1 << max(rows - 1, 1).bit_length()
    writer = None
    try:
        for start in range(0, size if shuffled else rows, _PIECE):
            place = np.arange(start, min(start + _PIECE, size if shuffled else rows))
            if shuffled:
                place = _mixed(place, size)
                place = place[place < rows]
            person, moment = np.divmod(place, LENGTH)
            table = pa.table(
                {
                    "person": _names(person),
                    "hour": pa.array(moment, pa.int32()),
                    "state": _states(rng.integers(0, STATES, place.size)),
                }
            )
            writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _mixed(place: Any, size: int) -> Any:
    """Three rounds of multiply and fold, each of which is a permutation of 0..size-1."""
    mask = size - 1
    shift = max(size.bit_length() // 2, 1)
    for factor in (0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35):
        place = (place * factor) & mask
        place ^= place >> shift
    return place


def _names(person: Any) -> Any:
    digits = np.char.zfill(person.astype("U8"), 8)
    return pa.array(np.char.add("person-", digits))


def _states(codes: Any) -> Any:
    labels = pa.array([f"s{code:02d}" for code in range(STATES)])
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), labels)


def measure(path: Path) -> dict[str, Any]:
    """What one file costs, as the docstring of the module says."""
    import privet
    from privet.data import LongColumns, long_sequences, open_batches, spill_folder

    alphabet = privet.Alphabet([f"s{code:02d}" for code in range(STATES)])
    mechanism = privet.RandomizedResponse(alphabet, epsilon=1)
    columns = LongColumns("person", "hour", "state", alphabet)
    names = [columns.id, columns.time, columns.state]
    before = resident_bytes("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    batches = open_batches(path, columns=names, replaced=names, rows=1 << 18)
    spilt = [0]

    def look(stage: str, rows: int, _: int) -> None:
        if rows % _PIECE < _PIECE // 2 and stage.startswith("sorting"):
            spilt.append(sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()))

    with (
        spill_folder(path.parent) as folder,
        long_sequences(batches, columns, folder=folder, tell=look) as found,
    ):
        known, known_cpu = time.perf_counter(), time.process_time()
        peak_known = resident_bytes("VmHWM")
        for block in found.blocks():
            found.put(block, mechanism.release(block.words))
        for first in range(0, found.rows, 1 << 20):
            found.released(first, min(first + (1 << 20), found.rows))
        done, done_cpu = time.perf_counter(), time.process_time()
        rows, words = found.rows, len(found)
    return {
        "rows": rows,
        "words": words,
        "seconds": round(known - start, 2),
        "cpu": round(known_cpu - cpu, 2),
        "release seconds": round(done - known, 2),
        "release cpu": round(done_cpu - known_cpu, 2),
        "rows/s": round(rows / (done - start)),
        "rows/cpu s": round(rows / (done_cpu - cpu)),
        "peak MB, sequences": round(peak_known / 1e6),
        "peak MB": round(resident_bytes("VmHWM") / 1e6),
        "before MB": round(before / 1e6),
        "spilt MB": round(max(spilt) / 1e6),
    }


if __name__ == "__main__":
    main()
