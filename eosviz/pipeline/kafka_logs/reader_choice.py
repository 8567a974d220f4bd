"""Chooses how logs are read: in this process or on Spark. Options may say so; otherwise the faster way is
chosen."""

import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eosviz.catalogue import say_shortly
from eosviz.pipeline.kafka_logs.case import Reading, ReadingHere
from eosviz.pipeline.kafka_logs.depth import Depth
from eosviz.pipeline.kafka_logs.directories import find_directories
from eosviz.pipeline.kafka_logs.stretches import LogsError
from eosviz.pipeline.kafka_logs.text_files import by_kind

OWN_MASTER = "local[*]"
SPARK_FROM_BYTES = {Depth.HEADERS: 64 * 2**30, Depth.DEEP: 16 * 2**30}
"""Dict of depth → the size of segments, in bytes, from which Spark is faster than this process. With less,
starting Spark and distributing the work take longer."""
SPARK_PROCESSORS_MIN = 4
"""On a machine with fewer processors, Spark is used only if `--master` is given: starting Java and the
workers takes more time than a second or third processor saves."""
PRINTED_FROM_BYTES = 64 * 2**20
"""If the segments have at least this many bytes, or if Spark is used, a line says which way was chosen."""


def add_reader_options(parser: ArgumentParser) -> None:
    """Add the options `--here` and `--master`."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--here", action="store_true", help="read in this process, however much it is")
    group.add_argument(
        "--master",
        metavar="M",
        help=f"read on this Spark master; without it in this process, and on {OWN_MASTER} from"
        f" {_gib(Depth.HEADERS)} GiB of segments on ({_gib(Depth.DEEP)} GiB with --deep) where there are"
        f" {SPARK_PROCESSORS_MIN} processors",
    )


@contextmanager
def reading_of(
    paths: Sequence[Path], depth: Depth, options: dict[str, Any], err: Callable[[str], Any]
) -> Iterator[Reading]:
    """A block with the reader for `paths`: the one that `options` name, otherwise the faster one. `err`:
    prints a line about the choice. Raises LogsError."""
    logs = by_kind(paths).logs
    size = sum(directory.size for directory in find_directories(logs)) if logs else 0
    master = options["master"]
    if master is None and not options["here"] and _spark_is_faster(size, depth):
        master = OWN_MASTER
    if size >= PRINTED_FROM_BYTES or master is not None:
        place = "here" if master is None else "spark"
        err(say_shortly(f"logs.way.{place}", "en", {"mib": size // 2**20, "master": master}))
    if master is None:
        yield ReadingHere(depth)
        return
    # Imported here, because most logs are read without Spark, in less time than importing Spark takes.
    from django.core.management.base import CommandError

    from eosviz.pipeline.command_session import command_session
    from eosviz.pipeline.kafka_logs.spark_fold import SparkReading

    try:
        with command_session(master, (LogsError,)) as spark:
            yield SparkReading(spark, logs, depth)
    except CommandError as error:
        raise LogsError(str(error)) from error


def _spark_is_faster(size: int, depth: Depth) -> bool:
    return size >= SPARK_FROM_BYTES[depth] and (os.cpu_count() or 1) >= SPARK_PROCESSORS_MIN


def _gib(depth: Depth) -> str:
    return f"{SPARK_FROM_BYTES[depth] / 2**30:g}"
