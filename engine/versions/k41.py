"""Kafka 4.1: each transaction has an epoch of its own if the cluster's feature ``transaction.version`` is at
level 2 (KIP-890, second part).

The level is a setting of the cluster (``cluster.transaction_version`` of a scenario; by default 2), and the
controller may raise or lower it while clients run. A request shows which protocol its client uses, and
brokers follow that, whatever the level is (``KafkaApis``: Produce 12, TxnOffsetCommit 5, EndTxn 5). A
coordinator also aborts transactions that no EndTxn ended: after the transaction timeout, or when a new
producer takes over the transactional id. These aborts follow the level.
"""

from __future__ import annotations

from dataclasses import replace

from engine.versions.k39 import PROFILE as K39

PROFILE = replace(
    K39,
    name="k41",
    version="4.1",
    verifies_each_epoch=True,
    refuses_lower_epoch_unasked=True,
    refuses_many_in_flight=True,
    waits_before_identity=True,
    unknown_mapping_is_fatal=True,
    rebootstraps=True,
    commit_may_raise_epoch=True,
    transaction_version=2,
)
