"""Code that the commands on Spark share: the option `--master`, the Spark session, and the report of an
error."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser
from collections.abc import Iterator

from django.conf import settings
from django.core.management.base import CommandError
from pyspark.sql import SparkSession

from eosviz.pipeline.java import NoJava
from eosviz.pipeline.spark import NoCluster, job_reason, start_session


def add_master(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--master",
        metavar="M",
        default=settings.SPARK_MASTER,
        help="Spark master; default: EOSVIZ_SPARK_MASTER, else local[*]",
    )


@contextlib.contextmanager
def command_session(
    master: str, passed: tuple[type[Exception], ...] = (), returncode: int = 1
) -> Iterator[SparkSession]:
    """A block with a Spark session, which ends with the block. If there is no Java or no cluster, raises
    CommandError with the exit code ``returncode``. An exception of the block becomes such a CommandError,
    too, unless it is one of ``passed`` or a CommandError itself."""
    try:
        spark = start_session(master, settings.DATA_DIR)
    except (NoJava, NoCluster) as error:
        raise CommandError(str(error), returncode=returncode) from error
    try:
        yield spark
    except Exception as error:
        if isinstance(error, (CommandError, *passed)):
            raise
        raise CommandError(f"the job failed: {job_reason(error)}", returncode=returncode) from error
    finally:
        spark.stop()
