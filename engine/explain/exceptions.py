"""Other names of Kafka's errors: their Java exceptions, and what they were called in earlier versions."""

from __future__ import annotations

from engine.errors import Cause, Error

EARLIER = {"NOT_LEADER_FOR_PARTITION": Error.NOT_LEADER_OR_FOLLOWER}
"""Dict of the name that an error had up to Kafka 2.5 → the error."""

_IRREGULAR = {
    Error.CORRUPT_MESSAGE: "CorruptRecordException",
    Error.KAFKA_STORAGE_ERROR: "KafkaStorageException",
    Error.RECORD_LIST_TOO_LARGE: "RecordBatchTooLargeException",
    Error.INVALID_TRANSACTION_TIMEOUT: "InvalidTxnTimeoutException",
    Error.UNKNOWN_SERVER_ERROR: "UnknownServerException",
    Error.REQUEST_TIMED_OUT: "TimeoutException",
    Error.NETWORK_EXCEPTION: "NetworkException",
    Error.MESSAGE_TOO_LARGE: "RecordTooLargeException",
    Error.INVALID_PRODUCER_ID_MAPPING: "InvalidPidMappingException",
    Error.UNKNOWN_PRODUCER_ID: "UnknownProducerIdException",
    Error.OUT_OF_ORDER_SEQUENCE_NUMBER: "OutOfOrderSequenceException",
    Error.DUPLICATE_SEQUENCE_NUMBER: "DuplicateSequenceException",
    Error.CLUSTER_AUTHORIZATION_FAILED: "ClusterAuthorizationException",
    Error.TOPIC_AUTHORIZATION_FAILED: "TopicAuthorizationException",
    Error.GROUP_AUTHORIZATION_FAILED: "GroupAuthorizationException",
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "TransactionalIdAuthorizationException",
    # Only TxnOffsetCommit has these two errors (KIP-447), with exceptions of its own.
    Error.UNKNOWN_MEMBER_ID: "CommitFailedException",
    Error.ILLEGAL_GENERATION: "CommitFailedException",
}


def exception_name(error: Cause, version: str = "2.8") -> str:
    """The Java class of an error: ``Error.INVALID_PRODUCER_EPOCH`` → ``InvalidProducerEpochException``, with
    Kafka's irregular names.

    Before 2.7 Kafka threw a ProducerFencedException for error code 47.
    """
    if version == "2.0" and error is Error.INVALID_PRODUCER_EPOCH:
        return "ProducerFencedException"
    irregular = _IRREGULAR.get(error) if isinstance(error, Error) else None
    if irregular is not None:
        return irregular
    return "".join(word.capitalize() for word in error.name.split("_")) + "Exception"
