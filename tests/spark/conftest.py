"""One local session of Spark for all tests of this folder: two cores, three attempts a task."""

import os
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Jobs of a few hundred rows are over before compiled code and more threads pay for themselves: with
# "parallelism", "extraJavaOptions" and "wholeStage" as they are here the session and its first jobs
# take half the time.
SETTINGS = {
    "spark.default.parallelism": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """Tests import pyspark only through this fixture, so that its warnings are met here."""
    # The tasks need the packages of this interpreter, and nothing may listen beyond this machine.
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2,3]").appName("privet")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def pandas_too_new_for_pyspark() -> Iterator[None]:
    """pyspark 4.3 warns of every pandas 3, even where it only asks whether one is there."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield
