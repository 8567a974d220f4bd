"""Hand-made requests: an entry of the fault script gives the fields of a request that no client of the run
sends (GEN-6)."""

from __future__ import annotations

from typing import Any

from engine.apis import APIS, BY_NAME, Api
from engine.errors import Refused
from engine.middleware.messages import CRAFTABLE, craft


def _in_order(api: Api) -> tuple[bool, int]:
    """Sort key: Kafka's number of the API; OffsetCommit (8) and OffsetFetch (9) come last."""
    key = -1 if api.key is None else api.key
    return key in (8, 9), key


FIELDS: dict[str, dict[str, tuple[type, Any]]] = {
    **CRAFTABLE,
    **{api.name: dict(api.crafted) for api in sorted(APIS, key=_in_order) if api.crafted},
}
"""Dict of API → the fields that a script can set, each with type and default."""


def check_crafted(message: dict[str, Any], place: str) -> dict[str, Any]:
    """Every field of the message's API with its value: the one in ``message``, or else the default. Raises
    Refused for the first wrong field."""
    api = message.get("api")
    fields = FIELDS.get(str(api))
    if fields is None:
        raise Refused("GEN-6", f"{place}.api", "unknown_api", api=repr(api), known=list(FIELDS))
    for name, value in message.items():
        if name == "api":
            continue
        if name not in fields:
            raise Refused("GEN-6", f"{place}.{name}", "unknown_field", field=name, known=list(fields))
        wanted = fields[name][0]
        texts = [item for item in value if type(item) is str] if isinstance(value, list) else []
        if type(value) is not wanted or (isinstance(value, list) and len(texts) != len(value)):
            words = {str: "text", int: "whole", bool: "bool", list: "texts"}
            raise Refused("GEN-6", f"{place}.{name}", f"wants_{words[wanted]}", value=repr(value))
    return {name: message.get(name, default) for name, (_, default) in fields.items()}


def crafted(message: dict[str, Any]) -> object:
    """The request that ``message``, a table of a fault script, describes. Raises Refused for a wrong field."""
    values = check_crafted(message, "faults.message")
    if message["api"] in CRAFTABLE:
        return craft(message["api"], values)
    request: object = BY_NAME[message["api"]].made(values)
    return request


def written_fields(message: dict[str, Any]) -> list[str]:
    """The fields of a request that a script has set, each as `name value`, in the order of `FIELDS`."""
    return [f"{name} {text_of(message[name])}" for name in FIELDS[message["api"]] if name in message]


def text_of(value: Any) -> str:
    """The text of one field of a hand-made request; an empty text is shown as ``""``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(text_of(item) for item in value)
    return str(value) if value != "" else '""'
