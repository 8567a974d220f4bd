"""The base of every message that the server sends (docs/websocket.md)."""

from msgspec import Struct

VERSION = 1


class FromServer(Struct, tag_field="type", frozen=True, kw_only=True):
    """Fields may be added within a version; pages ignore unknown ones."""

    v: int = VERSION
