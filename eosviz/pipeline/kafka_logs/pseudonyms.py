"""Replaces names in a bundle by pseudonyms. A name has the same pseudonym everywhere in the bundle.

The names of one sort (topics, groups, transactional ids, files of texts and others) are numbered in the order
in which they occur. A number is skipped if its pseudonym would be a real name in the case. Kafka's own
numbers (producer ids, epochs, offsets) and its internal topics identify no one, so they stay.
"""

import re
from collections.abc import Iterable

INTERNAL_TOPICS = ("__transaction_state", "__consumer_offsets", "__cluster_metadata")
_PARTITION = re.compile(r"(?P<topic>[a-zA-Z0-9._-]{1,249})-(?P<number>\d{1,10})")
_LINE = re.compile(r"(?P<file>.*): line (?P<line>\d+)", re.DOTALL)


class Pseudonyms:
    """Gives each name of a case its pseudonym. `taken`: all names in the case, because no pseudonym may be
    equal to one of them."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def topic(self, name: str) -> str:
        return name if name in INTERNAL_TOPICS else self._other("topic", name)

    def group(self, name: str) -> str:
        return self._other("group", name)

    def transactional_id(self, name: str) -> str:
        return self._other("id", name)

    def cluster(self, name: str) -> str:
        """The pseudonym of a cluster's or a topic's id. Empty if the id is empty."""
        return self._other("cluster", name) if name else ""

    def partition(self, name: str) -> str:
        """The pseudonym of a partition. A name of the form `topic-N` keeps its number."""
        found = _PARTITION.fullmatch(name)
        if found is None:
            return self._other("folder", name)
        return f"{self.topic(found['topic'])}-{found['number']}"

    def place(self, place: str) -> str:
        """A place in a text (`file: line 7`), with a pseudonym instead of the file's name."""
        found = _LINE.fullmatch(place)
        if found is None:
            return self._other("place", place) if place else ""
        return f"{self._other('text', found['file'])}: line {found['line']}"

    def _other(self, kind: str, name: str) -> str:
        key = (kind, name)
        while key not in self._names:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            other = f"{kind}-{self._counts[kind]}"
            if other not in self._taken:
                self._names[key] = other
        return self._names[key]
