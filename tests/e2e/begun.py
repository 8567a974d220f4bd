"""Creates sessions by requests, because opening a page costs more than the session itself."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from playwright.sync_api import BrowserContext


def begin(context: BrowserContext, home: str, scenario: str, count: int, variant: str | None = None) -> str:
    """Create a session with `count` steps for the person of this context and return its address. Both it and `home`,
    the address of the site, end with a slash.
    """
    headers = {"X-CSRFToken": context.request.get(f"{home}api/token").json()["token"]}

    def send(address: str, body: dict[str, Any]) -> Any:
        answer = context.request.post(f"{home}api/{address}", data=body, headers=headers)
        assert answer.ok, answer.text()
        return answer.json()

    welcome = send("sessions", {"scenario": scenario, "variant": variant})
    session, branch = welcome["session"]["id"], welcome["branches"][0]["id"]
    if count == 0:
        return f"{home}sessions/{session}/"
    advance = {"v": 1, "id": str(uuid4()), "type": "advance", "branch": branch, "after": 0, "count": count}
    send(f"sessions/{session}/commands", advance)
    return f"{home}sessions/{session}/"
