"""Kafka's error codes, for both sides of the protocol (spec appendix A).

Owns the names, the wire codes, and whether a producer may retry a Produce with this error. The reactions to
an error are in the tables of each role.
"""

from __future__ import annotations

from enum import Enum
from typing import Any


class Error(Enum):
    """A protocol error. ``code``: its number on the wire. ``retriable``: whether a Produce is repeated after
    it (the "R" in appendix A of the specification). ``since``: the first version of Kafka that has it."""

    UNKNOWN_SERVER_ERROR = (-1, False, "0.8")
    NONE = (0, False, "0.8")
    OFFSET_OUT_OF_RANGE = (1, False, "0.8")
    CORRUPT_MESSAGE = (2, True, "0.8")
    UNKNOWN_TOPIC_OR_PARTITION = (3, True, "0.8")
    LEADER_NOT_AVAILABLE = (5, True, "0.8")
    NOT_LEADER_OR_FOLLOWER = (6, True, "0.8")
    REQUEST_TIMED_OUT = (7, True, "0.8")
    MESSAGE_TOO_LARGE = (10, False, "0.8")
    NETWORK_EXCEPTION = (13, True, "0.8")
    COORDINATOR_LOAD_IN_PROGRESS = (14, True, "0.8")
    COORDINATOR_NOT_AVAILABLE = (15, False, "0.8")
    NOT_COORDINATOR = (16, False, "0.8")
    RECORD_LIST_TOO_LARGE = (18, False, "0.8")
    NOT_ENOUGH_REPLICAS = (19, True, "0.8")
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = (20, True, "0.8")
    INVALID_REQUIRED_ACKS = (21, False, "0.9")
    ILLEGAL_GENERATION = (22, False, "0.9")
    UNKNOWN_MEMBER_ID = (25, False, "0.9")
    TOPIC_AUTHORIZATION_FAILED = (29, False, "0.9")
    GROUP_AUTHORIZATION_FAILED = (30, False, "0.9")
    CLUSTER_AUTHORIZATION_FAILED = (31, False, "0.9")
    UNSUPPORTED_VERSION = (35, False, "0.10")
    INVALID_REQUEST = (42, False, "0.10")
    UNSUPPORTED_FOR_MESSAGE_FORMAT = (43, False, "0.10")
    OUT_OF_ORDER_SEQUENCE_NUMBER = (45, False, "0.11")
    DUPLICATE_SEQUENCE_NUMBER = (46, False, "0.11")
    INVALID_PRODUCER_EPOCH = (47, False, "0.11")
    INVALID_TXN_STATE = (48, False, "0.11")
    INVALID_PRODUCER_ID_MAPPING = (49, False, "0.11")
    INVALID_TRANSACTION_TIMEOUT = (50, False, "0.11")
    CONCURRENT_TRANSACTIONS = (51, False, "0.11")
    TRANSACTION_COORDINATOR_FENCED = (52, False, "0.11")
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = (53, False, "0.11")
    OPERATION_NOT_ATTEMPTED = (55, False, "0.11")
    KAFKA_STORAGE_ERROR = (56, True, "1.0")
    UNKNOWN_PRODUCER_ID = (59, False, "1.0")
    FENCED_LEADER_EPOCH = (74, False, "2.1")
    STALE_BROKER_EPOCH = (77, False, "2.2")
    FENCED_INSTANCE_ID = (82, False, "2.3")
    INVALID_RECORD = (87, False, "2.4")
    UNSTABLE_OFFSET_COMMIT = (88, False, "2.5")
    PRODUCER_FENCED = (90, False, "2.7")
    INVALID_UPDATE_VERSION = (95, False, "2.7")
    UNKNOWN_TOPIC_ID = (100, False, "2.8")
    DUPLICATE_BROKER_REGISTRATION = (101, False, "2.8")
    TRANSACTIONAL_ID_NOT_FOUND = (105, False, "3.0")
    INELIGIBLE_REPLICA = (107, False, "3.3")
    TRANSACTION_ABORTABLE = (120, False, "3.8")

    def __init__(self, code: int, retriable: bool, since: str) -> None:
        self.code = code
        self.retriable = retriable
        self.since = since


class ClientError(Enum):
    """Failures that a client detects by itself; no broker answers with them."""

    ILLEGAL_STATE = "ILLEGAL_STATE"
    """The Sender's thread requested a change of state that the client's table does not allow."""
    RECORD_TOO_LARGE = "RECORD_TOO_LARGE"
    """A record is larger than a request or the whole memory (ACC-24)."""
    BUFFER_EXHAUSTED = "BUFFER_EXHAUSTED"
    """``send()`` waited ``max.block.ms`` for memory (ACC-5)."""


Cause = Error | ClientError
"""The cause of a producer's error state: an error from a broker, or one of the client's own."""


NO_ERROR = Error.NONE
"""A constant, because every step reads it, and to look up a member of an enumeration takes ten times as long
in Python 3.11."""


class EngineError(Exception):
    """An internal rule of the engine was broken."""


class Refused(Exception):
    """A named rule refused a scenario, a configuration or an intervention.

    ``rule``: a requirement ID (``CFG-2``). ``place``: the dotted path of the refused value. ``what`` names
    two sentences of the catalogue: ``refused.<what>`` is the reason, and ``refused.<what>.remedy`` says what
    is allowed. ``params`` fill both.
    """

    def __init__(self, rule: str, place: str, what: str, /, **params: Any) -> None:
        super().__init__(rule, place, what, params)
        self.rule = rule
        self.place = place
        self.key = f"refused.{what}"
        self.params = params

    def __str__(self) -> str:
        return f"{self.rule}: {self.place}: {self.reason}; {self.remedy}"

    @property
    def reason(self) -> str:
        """The reason in English, for the command line and the log."""
        return _in_english(self.key, self.params)

    @property
    def remedy(self) -> str:
        """The remedy in English, for the command line and the log."""
        return _in_english(f"{self.key}.remedy", self.params)

    @property
    def sentences(self) -> dict[str, Any]:
        """The two sentences of a page's message in any language: ``reason`` and ``allowed``, each as a dict of
        ``key`` and ``params``."""
        return {
            "reason": {"key": self.key, "params": self.params},
            "allowed": {"key": f"{self.key}.remedy", "params": self.params},
        }


def _in_english(key: str, params: dict[str, Any]) -> str:
    # Imported here, only for a refusal: the catalogue imports the tables, and the tables import this module.
    from engine.explain.sentences import sentence

    return sentence(key, params)
