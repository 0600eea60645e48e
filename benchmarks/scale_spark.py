"""One Parquet file released by Spark on one core and on two, beside one process without Spark.

Contract. The file is the same for all: categorical columns of public labels, written once into a
temporary folder that is removed. Every measurement is a process of its own; its time runs from a
session that is warm (one small release went before) to the end of `release`, written output and
receipt included. The table it prints is that of docs/spark.md; the cost per row is measured there,
and what a cluster would do is that cost divided by its cores, plus the seconds of a job.

    .venv/bin/python benchmarks/scale_spark.py            # 10^6 and 10^7 rows
    .venv/bin/python benchmarks/scale_spark.py --rows 1000000
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from privet import Alphabet, RandomizedResponse, release

COLUMNS, EPSILON, BLOCK = ("work", "home", "health"), 1, 1 << 20
LABELS = tuple(f"category {number}" for number in range(8))
WAYS = ("one process", "local[1]", "local[2]")


def write_input(path: Path, rows: int) -> None:
    """Categories drawn once from a fixed stream that has nothing to do with a release."""
    generator = np.random.default_rng(1965)
    labels: Any = pa.array(LABELS)
    with pq.ParquetWriter(path, pa.schema([(name, pa.string()) for name in COLUMNS])) as writer:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            arrays = [
                labels.take(pa.array(generator.integers(0, len(LABELS), count, dtype=np.uint8)))
                for _ in COLUMNS
            ]
            writer.write_table(pa.Table.from_arrays(arrays, list(COLUMNS)))


def measured(way: str, path: Path, folder: Path) -> float:
    """Seconds of the second of two releases in this process; the first warms everything up."""
    mechanism = RandomizedResponse(Alphabet(list(LABELS)), epsilon=EPSILON)
    small = folder / "small.parquet"
    write_input(small, 1000)
    open_input = _opener(way)
    ending = ".parquet" if way == WAYS[0] else ""
    seconds = 0.0
    for number, source in enumerate((small, path)):
        start = time.perf_counter()
        options: dict[str, Any] = {"batches": True} if way == WAYS[0] else {}
        output = folder / f"out{number}{ending}"
        release(mechanism, open_input(source), columns=COLUMNS, output=output, **options)
        seconds = time.perf_counter() - start
    return seconds


def _opener(way: str) -> Any:
    if way == WAYS[0]:
        return lambda path: path
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.sql.files.maxPartitionBytes": str(16 << 20),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(way).appName("privet benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    return lambda path: session.read.parquet(f"file:{path}")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--measure", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.measure:
            print(measured(given.measure[0], Path(given.measure[1]), folder))
            return
        print("| rows | way | seconds | microseconds a row | rows a second |")
        print("|---|---|---|---|---|")
        for rows in given.rows:
            path = folder / f"{rows}.parquet"
            write_input(path, rows)
            for way in WAYS:
                command = [sys.executable, __file__, "--measure", way, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                seconds = float(done.stdout.split()[-1])
                print(
                    f"| {rows:,} | {way} | {seconds:.1f} | {seconds / rows * 1e6:.2f} | "
                    f"{rows / seconds:,.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
