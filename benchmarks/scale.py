"""Rows per second and peak memory of releases from file to file, beside pyarrow alone.

Contract. Every figure comes from a process of its own, held to one core, that reads one file and
writes one: pyarrow reads and writes batch by batch, Privet checks, draws, and writes a receipt as
well. Inputs are made in a temporary folder and are gone afterwards. Memory is the largest resident
size of that process, imports included. Spark is given a session that has released a small file
before, and its CPU and memory, spread over processes, are not measured. Run it alone:
python benchmarks/scale.py --rows 1000000 10000000 --words 100000 --write docs/scale.md
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = {"region": 4, "occupation": 12, "disease": 100}
STATES, LENGTH = 16, 100
BLOCK = 1_000_000
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
COMMAND = "python benchmarks/scale.py"


def labels(name: str, size: int) -> list[str]:
    """The public categories of a column."""
    return [f"{name} {number:03d}" for number in range(size)]


def make_table(path: Path, rows: int) -> None:
    """Three categorical columns, some values far more common than others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            columns = []
            for name, size in COLUMNS.items():
                shares = 1 / np.arange(1, size + 1)
                codes = draw.choice(size, count, p=shares / shares.sum())
                columns.append(pa.array(labels(name, size)).take(codes))
            writer.write_table(pa.table(columns, schema=schema))


def make_sequences(path: Path, words: int, ordered: bool) -> None:
    """(who, when, state), `LENGTH` rows a word: ordered, or all rows in disorder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(2)
    kinds: dict[str, Any] = {"who": pa.int64(), "when": pa.int64(), "state": pa.string()}
    schema = pa.schema(kinds)
    rows = words * LENGTH
    # One cycle through all rows: a permutation that needs no memory.
    step = next(s for s in range(int(rows * 0.618), rows) if np.gcd(s, rows) == 1)
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, BLOCK):
            place = np.arange(start, min(start + BLOCK, rows))
            if not ordered:
                place = place * step % rows
            codes = draw.integers(0, STATES, place.size)
            states = pa.array(labels("s", STATES)).take(codes)
            table: list[Any] = [pa.array(place // LENGTH), pa.array(place % LENGTH), states]
            writer.write_table(pa.table(table, schema=schema))


def copy_with_pyarrow(source: Path, output: Path) -> None:
    """Read and written with pyarrow's own settings, batch by batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file, pq.ParquetWriter(output, file.schema_arrow) as writer:
        for batch in file.iter_batches(1 << 20):
            writer.write_table(pa.Table.from_batches([batch]))


def mechanisms() -> dict[str, Any]:
    """Randomised response for each column of the table."""
    from privet import Alphabet, RandomizedResponse

    return {
        name: RandomizedResponse(Alphabet(labels(name, size)), epsilon=1)
        for name, size in COLUMNS.items()
    }


def release_table(source: Path, output: Path) -> None:
    """The columns, in batches."""
    from privet import release

    release(mechanisms(), source, output=output, batches=True)


def release_sequences(source: Path, output: Path) -> None:
    """The words, in batches."""
    from privet import Alphabet, RandomizedResponse, release

    response = RandomizedResponse(Alphabet(labels("s", STATES)), epsilon=1)
    release(response, source, id="who", time="when", state="state", output=output, batches=True)


def release_with_spark(cores: int) -> Callable[[Path, Path], None]:
    """The columns of a Spark frame, on one machine with `cores` threads."""

    def run(source: Path, output: Path) -> None:
        from privet import release

        session = spark_session(cores)
        frame = session.read.parquet(source.as_uri())
        release(mechanisms(), frame, output=output.with_suffix(""))

    return run


def spark_session(cores: int) -> Any:
    """The session of this process, which is made at the first call."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.log.level": "OFF",
        "spark.sql.files.maxPartitionBytes": str(16 << 20),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.master(f"local[{cores}]").appName("privet benchmark").getOrCreate()


WORK: dict[str, tuple[int, Callable[[Path, Path], None]]] = {
    "pyarrow alone": (1, copy_with_pyarrow),
    "Privet, columns": (1, release_table),
    "Privet, sequences": (1, release_sequences),
    "Spark, local[1]": (1, release_with_spark(1)),
    "Spark, local[2]": (2, release_with_spark(2)),
}


def work(kind: str, source: Path, output: Path) -> None:
    """In a process of its own: do it, and say how long it took and how much memory."""
    cores, do = WORK[kind]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:cores]))
    is_spark = kind.startswith("Spark")
    if is_spark:
        small = output.with_name("small.parquet")
        make_table(small, 1000)
        do(small, output.with_name("warm.parquet"))
    began, cpu = time.perf_counter(), time.process_time()
    do(source, output)
    seconds = time.perf_counter() - began
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    own = {"cpu": time.process_time() - cpu, "peak": largest}
    print(json.dumps({"seconds": seconds, **(dict.fromkeys(own) if is_spark else own)}))


def measured(kind: str, source: Path, rows: int, repeats: int) -> dict[str, Any]:
    """The best of several runs, each in a new process."""
    runs = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(dir=source.parent) as folder:
            told = subprocess.run(
                [sys.executable, __file__, "--work", kind, source, Path(folder) / "out.parquet"],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        runs.append(json.loads(told.stdout.splitlines()[-1]))
    best = min(runs, key=lambda run: float(run["seconds"]))
    found = {"what": kind, "rows": rows, **best}
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


def tables_of(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """Every row of the table of figures."""
    found = []
    for rows in sorted({*options.rows, *options.spark}):
        source = folder / "table.parquet"
        make_table(source, rows)
        kinds = ["pyarrow alone", "Privet, columns"]
        if rows in options.spark:
            kinds += ["Spark, local[1]", "Spark, local[2]"]
        found += [measured(kind, source, rows, options.repeats) for kind in kinds]
        source.unlink()
    for words in options.words:
        for ordered in (True, False):
            source = folder / "sequences.parquet"
            make_sequences(source, words, ordered)
            one = measured("Privet, sequences", source, words * LENGTH, options.repeats)
            found.append(
                {**one, "what": f"{one['what']} {'in order' if ordered else 'in disorder'}"}
            )
            source.unlink()
    return found


def markdown(found: list[dict[str, Any]]) -> str:
    """The figures as a table."""
    lines = [
        "| what | rows | seconds | CPU seconds | rows per CPU second | peak memory |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for one in found:
        rate = "" if one["cpu"] is None else f"{one['rows'] / one['cpu']:,.0f}"
        cpu = "" if one["cpu"] is None else f"{one['cpu']:.1f}"
        peak = "" if one["peak"] is None else f"{one['peak'] / 1e6:,.0f} MB"
        lines.append(
            f"| {one['what']} | {one['rows']:,} | {one['seconds']:.1f} | {cpu} | {rate} | {peak} |"
        )
    return "\n".join(lines) + "\n"


def write(page: Path, text: str) -> None:
    """Put the table, with the command that made it, between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"`{COMMAND} {' '.join(sys.argv[1:])}`\n\n{text}"
    page.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}", encoding="utf-8")


def plot(path: Path, found: list[dict[str, Any]]) -> None:
    """Seconds against rows, with the line of proportion."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for kind in dict.fromkeys(one["what"] for one in found):
        points = [(one["rows"], one["seconds"]) for one in found if one["what"] == kind]
        axes.loglog(*zip(*points, strict=True), marker="o", label=kind)
    axes.set_xlabel("rows")
    axes.set_ylabel("seconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--words", type=int, nargs="*", default=[100_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--spark", type=int, nargs="*", default=[], help="rows for Spark, local[1] and local[2]"
    )
    parser.add_argument("--folder", type=Path, help="where inputs are made; a temporary one")
    parser.add_argument("--write", type=Path, metavar="PAGE.md", help="put the table into a page")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="seconds against rows")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        kind, source, output = options.work
        work(kind, Path(source), Path(output))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = tables_of(options, Path(folder))
    text = markdown(found)
    print(text)
    if options.write:
        write(options.write, text)
    if options.plot:
        plot(options.plot, found)


if __name__ == "__main__":
    main()
