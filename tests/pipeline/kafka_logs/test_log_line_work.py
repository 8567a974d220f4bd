"""Reading a line of printed text takes time in proportion to its length, whatever it contains."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eosviz.pipeline.kafka_logs.text_reader import TextReader
from tests.pipeline.kafka_logs.test_log_lines import LINES

DUMPED = (
    "Dumping /x/t-0/00000000000000000000.log",
    "baseOffset: 0 lastOffset: 1 count: 2 producerId: 1 producerEpoch: 0 position: 0 size: 10 magic: 2",
    "| offset: 0 CreateTime: 1 sequence: 0 headerKeys: [] key: a payload: b",
    "| offset: 0 headerKeys: [] endTxnMarker: COMMIT coordinatorEpoch: 0",
    "| offset: 0 headerKeys: [] key: transaction_metadata::transactionalId=a payload: producerId:1,producerEpoch:0,"
    "state=Ongoing,partitions=[t-0],txnLastUpdateTimestamp=1,txnTimeoutMs=1",
    '| offset: 0 headerKeys: [] key: {"type":"0","data":{"transactionalId":"a"}} payload: {"version":"0"}',
    "producerId: 1 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong[5]",
    "kafka-transactions.sh describe-producers --topic t --partition 0",
    "TransactionalId Coordinator ProducerId TransactionState",
)
PIECES = (
    "a",
    "1",
    " ",
    "[",
    "]",
    "|",
    ".",
    "-",
    "\t",
    "a ",
    "a: ",
    '{"',
    "\\",
    "topic=",
    "partition=",
    "OptionalLong[",
)
LETTERS = 60_000
GROWTH_MAX = 2.8
"""Twice the text may take this many times as long. If a part of a line were read again for each other part, it would
take four times as long.
"""
SECONDS_OF_A_TEXT = 0.1
"""Texts that take fewer seconds are not compared."""


def seconds(text: str) -> float:
    """Return the processor time of reading the text."""
    began = time.process_time()
    reader = TextReader()
    reader.read(Path("server.log"), text.splitlines(keepends=True))
    reader.finish()
    return time.process_time() - began


def texts(seed: int) -> Iterator[tuple[str, str]]:
    """Yield pairs: the beginning of a text, and what is repeated after it; both are parts of lines that the reader
    knows.
    """
    chance = random.Random(seed)
    while True:
        words = re.findall(r"\w+|\W+", chance.choice((*LINES.values(), *DUMPED)))
        first = chance.randrange(len(words))
        last = chance.randrange(first, len(words)) + 1
        repeated = "".join(words[first:last]) if chance.random() < 0.7 else chance.choice(PIECES)
        if chance.random() < 0.3:
            repeated += "\n"
        above = "\n".join(DUMPED[:2]) + "\n" if chance.random() < 0.2 else ""
        yield above + "".join(words[:first]), repeated


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_twice_the_text_takes_about_twice_as_long(seed: int) -> None:
    worse = []
    for (above, repeated), _ in zip(texts(seed), range(60), strict=False):
        times = LETTERS // len(repeated)
        once = seconds(above + repeated * times)
        if once > SECONDS_OF_A_TEXT and seconds(above + repeated * times * 2) > GROWTH_MAX * once:
            worse.append((above, repeated))
    assert worse == []
