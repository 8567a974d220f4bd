"""Kafka 4.1: an epoch for each transaction, where the cluster's feature ``transaction.version`` is at level 2 (KIP-890,
second part).

The level is a setting of the cluster (``cluster.transaction_version`` of a scenario, 2 unless it says another), and the
controller may raise or lower it while clients run. A request says which protocol its client uses; brokers act by
that, whatever the level (``KafkaApis``: Produce 12, TxnOffsetCommit 5, EndTxn 5). A coordinator also
aborts transactions that no EndTxn ended: after the transaction timeout, or when a new producer takes the transactional
id. These aborts follow the level.
"""

from __future__ import annotations

from dataclasses import replace

from engine.versions.k39 import PROFILE as K39

PROFILE = replace(
    K39,
    name="k41",
    version="4.1",
    verifies_each_epoch=True,
    waits_before_identity=True,
    unknown_mapping_is_fatal=True,
    commit_may_raise_epoch=True,
    transaction_version=2,
)
