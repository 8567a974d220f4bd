"""The fields of a message in the form that pages show."""

from __future__ import annotations

from typing import Any

from engine.messages import describe
from engine.middleware.messages import CommitFail, PrepareFail, RollbackFail
from engine.telling.middleware import reason_key

_WITH_REASON = frozenset({CommitFail, PrepareFail, RollbackFail})


def shown_fields(body: object) -> Any:
    """The fields of a message as JSON. A reason is replaced by the key of its sentence."""
    fields = describe(body)
    if type(body) in _WITH_REASON:
        fields["reason"] = reason_key(fields["reason"])
    return fields
