"""The table of TXM-13, written here a second time from the specification, is compared cell by cell with the rows of
the code.
"""

from __future__ import annotations

import pytest

from engine.client import control_reactions
from engine.client.control_reactions import REACTIONS, reaction_to
from engine.errors import Error
from engine.explain.sentences import catalogue
from engine.telling.producer import CONTROL_REACTIONS

COLUMNS = (
    "FindCoordinator",
    "InitProducerId",
    "AddPartitionsToTxn",
    "AddOffsetsToTxn",
    "TxnOffsetCommit",
    "EndTxn",
)
# Letters: a accept, r retry, s retry soon, l lookup, f fatal, x abortable, b abortable and bump, . no rule for this
# error.
K28 = {
    "NONE": "aaaaaa",
    "COORDINATOR_NOT_AVAILABLE": "rlllll",
    "NOT_COORDINATOR": "flllll",
    "COORDINATOR_LOAD_IN_PROGRESS": "frrrrr",
    "CONCURRENT_TRANSACTIONS": "frsrfr",
    "UNKNOWN_TOPIC_OR_PARTITION": "ffrfrf",
    "REQUEST_TIMED_OUT": "ffxflf",
    "INVALID_PRODUCER_EPOCH": ".fffff",
    "PRODUCER_FENCED": ".fffff",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "ffffff",
    "GROUP_AUTHORIZATION_FAILED": "x..xx.",
    "TOPIC_AUTHORIZATION_FAILED": "..x...",
    "OPERATION_NOT_ATTEMPTED": "..x...",
    "INVALID_TXN_STATE": "..ffff",
    "UNKNOWN_PRODUCER_ID": ".fbbfb",
    "INVALID_PRODUCER_ID_MAPPING": ".fbbfb",
    "FENCED_INSTANCE_ID": "....x.",
    "UNKNOWN_MEMBER_ID": "....x.",
    "ILLEGAL_GENERATION": "....x.",
    "DISCONNECT": "rlllll",
}
OTHER = "ffxfff"
# Where the client of Kafka 2.0 differs.
K20 = {
    "UNKNOWN_PRODUCER_ID": ".fxfff",
    "INVALID_PRODUCER_ID_MAPPING": ".fffff",
    "FENCED_INSTANCE_ID": "......",
    "UNKNOWN_MEMBER_ID": "......",
    "ILLEGAL_GENERATION": "......",
}
# Where the client of Kafka 3.9 differs from 2.8, beside the retriable errors.
K39 = {
    "TRANSACTION_ABORTABLE": "xxxxxx",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "fxffff",
    "CLUSTER_AUTHORIZATION_FAILED": ".x....",
    "NOT_COORDINATOR": "rlllll",
    "COORDINATOR_LOAD_IN_PROGRESS": "rrrrrr",
    "CONCURRENT_TRANSACTIONS": "rrsrrr",
    "COORDINATOR_NOT_AVAILABLE": "rlllll",
    "REQUEST_TIMED_OUT": "rrrrlr",
}
MEANINGS = {
    "a": "accept",
    "r": "retry",
    "s": "retry_soon",
    "l": "lookup",
    "f": "fatal",
    "x": "abortable",
    "b": "abortable_and_bump",
}


@pytest.mark.parametrize("generation", ["k39", "k28", "k20"])
@pytest.mark.parametrize("answer", [*(error.name for error in Error), "DISCONNECT"])
def test_every_cell(answer: str, generation: str) -> None:
    listed = K28.get(answer, "......")
    if generation == "k20":
        listed = K20.get(answer, listed)
    elif generation == "k39":
        listed = K39.get(answer, "rrrrrr" if answer in control_reactions.RETRIABLE else listed)
    for api, cell, other in zip(COLUMNS, listed, OTHER, strict=True):
        wanted = MEANINGS[other if cell == "." else cell]
        assert reaction_to(api, answer, generation).does == wanted, (api, answer)


def test_every_reaction_has_its_sentence() -> None:
    known = catalogue()
    described = [row for row in REACTIONS if row.does != control_reactions.ACCEPT]
    assert [row for row in described if CONTROL_REACTIONS[row.does] not in known] == []


def test_no_cell_has_two_rows_of_one_generation() -> None:
    cells = [
        (row.api, row.answer, generation)
        for row in REACTIONS
        for generation in (control_reactions.WITH_BUMP, control_reactions.WITHOUT_BUMP)
        if row.generation in ("", generation)
    ]
    assert len(cells) == len(set(cells))
