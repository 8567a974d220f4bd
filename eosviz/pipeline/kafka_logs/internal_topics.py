"""The partitions of `__transaction_state` and `__consumer_offsets`, each read apart and put together."""

from collections.abc import Iterable

from eosviz.pipeline.kafka_logs import coordinator as coordinator_log
from eosviz.pipeline.kafka_logs import groups as group_offsets
from eosviz.pipeline.kafka_logs.compiled import segment_reader
from eosviz.pipeline.kafka_logs.coordinator import Coordinator
from eosviz.pipeline.kafka_logs.directories import PartitionDirectory
from eosviz.pipeline.kafka_logs.groups import GroupOffsets

Internal = Coordinator | GroupOffsets
_READERS: dict[str, type[Internal]] = {
    coordinator_log.TOPIC: Coordinator,
    group_offsets.TOPIC: GroupOffsets,
}


def is_internal(directory: PartitionDirectory) -> bool:
    """Whether the folder is a partition of one of the two topics."""
    return directory.name.rpartition("-")[0] in _READERS


def read_internal(directory: PartitionDirectory) -> Internal:
    """What a folder for which `is_internal` holds says. Raises LogsError; damage is counted in it."""
    found = _READERS[directory.name.rpartition("-")[0]]()
    found.read(directory.name, directory.rows(segment_reader()))
    return found


def together(found: Iterable[Internal]) -> tuple[Coordinator, GroupOffsets]:
    """Partitions, in their order, as one coordinator's view and the groups of all."""
    coordinator, groups = Coordinator(), GroupOffsets()
    for one in found:
        if isinstance(one, Coordinator):
            coordinator.take(one)
        else:
            groups.take(one)
    return coordinator, groups
