"""Reads the ids of a partition's cluster and topic, from the file `meta.properties` beside the partition's
folder and the file `partition.metadata` in it. Source: Kafka's `MetaProperties` (`cluster.id`) and
`PartitionMetadataFile` (`topic_id`)."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from eosviz.pipeline.kafka_logs.declared import ContradictedError
from eosviz.pipeline.kafka_logs.words import words

META_PROPERTIES = "meta.properties"
PARTITION_METADATA = "partition.metadata"
_BYTES_MAX = 65_536
_VALUE_CHARACTERS_MAX = 100


class Origin(NamedTuple):
    """The ids of a partition's cluster and topic. An unknown id is empty."""

    cluster_id: str = ""
    topic_id: str = ""


NOWHERE = Origin()


def origin_of(folder: Path) -> Origin:
    """The ids for a partition's folder, which may be a link. Raises ContradictedError if files beside the
    link and beside its target name different clusters."""
    topic_id = _value(folder / PARTITION_METADATA, "topic_id", ":")
    places = (folder, folder.resolve())
    found = [
        (place, Origin(_value(place.parent / META_PROPERTIES, "cluster.id", "="), topic_id))
        for place in places
    ]
    refuse_two_clusters(found)
    return next((origin for _, origin in found if origin.cluster_id), Origin("", topic_id))


def refuse_two_clusters(origins: Iterable[tuple[Path, Origin]]) -> None:
    """Raises ContradictedError if two folders are from different clusters, because a producer id or
    transactional id of one cluster means nothing in the other."""
    first: tuple[Path, str] | None = None
    for folder, origin in origins:
        if not origin.cluster_id:
            continue
        if first is None:
            first = (folder, origin.cluster_id)
        elif first[1] != origin.cluster_id:
            raise ContradictedError(
                words(
                    "refused.two_clusters",
                    folder=str(Path(*first[0].parts[-2:])),
                    cluster=first[1],
                    other_folder=str(Path(*folder.parts[-2:])),
                    other_cluster=origin.cluster_id,
                )
            )


def _value(file: Path, name: str, parted_by: str) -> str:
    try:
        with file.open("rb") as opened:
            text = opened.read(_BYTES_MAX).decode("utf-8", errors="replace")
    except OSError:
        return ""
    for line in text.splitlines():
        key, _, value = line.partition(parted_by)
        if key.strip() == name:
            return value.strip()[:_VALUE_CHARACTERS_MAX]
    return ""
