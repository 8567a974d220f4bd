"""Writes the schemas of the OpenAPI document. The schemas of messages are made from `messages.py`."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from eosviz.scenarios.cards import Card
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs import messages
from eosviz.walkthroughs.limits import Limits

DESCRIPTION = """\
Step through Kafka's exactly-once semantics from a program: with messages, ids and answers of the WebSocket
(`docs/websocket.md`). The messages that only pages need have no operation here.

1. `GET /api/token`, and keep its cookies: they are who you are.
2. `POST /api/sessions` with `{"scenario": "SC-03"}` and the header `X-CSRFToken`.
3. `POST /api/sessions/<id>/commands` with a message and an id of your own. Send it again when in doubt.

Every operation has the budget of a socket: `messages_per_second` for long, `messages_burst` at once (`GET
/api/limits`). It counts for each browser; for a browser that has made nothing yet, it counts for its network
address. An operation beyond it is not carried out: the answer is 429 with an `error` message (`too_frequent`) and
`Retry-After`.
"""

_REF = "#/components/schemas/{name}"
_ANSWERED = (
    messages.Welcome,
    messages.Steps,
    messages.KeyframeAnswer,
    messages.Done,
    messages.Actions,
    messages.Why,
    messages.Search,
    messages.FoundSteps,
    messages.Rename,
    messages.Renamed,
    messages.Transactions,
    ErrorMessage,
    messages.SessionSummary,
    messages.NewSession,
    Limits,
    Card,
)


def _schemas() -> dict[str, Any]:
    _, found = msgspec.json.schema_components([*_ANSWERED, *get_args(messages.Command)], ref_template=_REF)
    found["Command"] = {
        "oneOf": [{"$ref": _REF.format(name=kind.__name__)} for kind in get_args(messages.Command)],
        "discriminator": {"propertyName": "type"},
    }
    found["Token"] = _object(token={"type": "string"})
    found["Sessions"] = _object(
        sessions={"type": "array", "items": {"$ref": _REF.format(name="SessionSummary")}}
    )
    found["Scenarios"] = _object(scenarios={"type": "array", "items": {"$ref": _REF.format(name="Card")}})
    found["Paused"] = _object(branch={"type": "string"}, pauses={"type": "integer"})
    names = {"type": "array", "items": {"type": "string"}}
    found["Conditions"] = _object(
        kinds=names,
        guarantees=names,
        machines={"type": "object", "additionalProperties": names},
        errors=names,
        rule_groups=names,
    )
    found["Accepted"] = _object(command={"type": "string", "format": "uuid"})
    return found


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def with_schemas(document: Any) -> Any:
    """Returns the document with every schema that `described` refers to."""
    document["components"].setdefault("schemas", {}).update(_schemas())
    return document


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=schema)}}}


def described(
    answer: str | None, body: str | None = None, accepted: bool = False, errors: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Describes what an operation reads and answers, for its `openapi_extra`. `answer` and `body`: names of
    schemas; None if the answer or the request has no body. `accepted`: whether the operation may also answer
    with status 202. `errors`: the statuses, besides 429, whose body is an `error` message."""
    success = {"Welcome": 201} if body == "NewSession" else {}
    status = 204 if answer is None else success.get(answer, 200)
    responses: dict[int, Any] = {status: {"description": "Done"}}
    if answer is not None:
        responses[status]["content"] = _content(answer)
    if accepted:
        responses[202] = {"description": "Under way", "content": _content("Accepted")}
    for code in (*errors, 429):
        responses[code] = {"description": "An error message", "content": _content("ErrorMessage")}
    responses[429]["headers"] = {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}}
    extra: dict[str, Any] = {"responses": responses}
    if body is not None:
        extra["requestBody"] = {"required": True, "content": _content(body)}
    return extra
