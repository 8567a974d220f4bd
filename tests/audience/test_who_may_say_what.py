"""Every message of the protocol × who may send it: the owner of a session, and a follower of its presentation.

A message without a row in the table fails. Who may open which socket is tested in
`tests/classroom/test_permissions.py`.
"""

from __future__ import annotations

from typing import Any, get_args

import pytest

from eosviz.walkthroughs.messages import AnyFromPage
from tests.audience.conftest import Heard, follower, presenter
from tests.audience.test_hands import presented

pytestmark = pytest.mark.django_db(transaction=True)

BOTH, OWNER, FOLLOWER = ["owner", "follower"], ["owner"], ["follower"]
REFUSALS = {"owner": "problem.only_followers", "follower": "problem.only_followed"}
BRANCH = "the branch"
ROWS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "hello": (BOTH, {}),
    "ping": (BOTH, {}),
    "window": (BOTH, {"branch": BRANCH, "from": 1, "to": 1}),
    "keyframe": (BOTH, {"branch": BRANCH, "number": 0}),
    "near_view": (BOTH, {"branch": BRANCH, "number": 0}),
    "difference": (BOTH, {"branch": BRANCH, "from": 0, "to": 0}),
    "search": (BOTH, {"branch": BRANCH, "from": 1, "to": 1, "conditions": [{"on": "interesting"}]}),
    "transactions": (BOTH, {"branch": BRANCH}),
    "plan": (BOTH, {"branch": BRANCH}),
    "advance": (OWNER, {"branch": BRANCH, "after": 0, "count": 1}),
    "run_until": (OWNER, {"branch": BRANCH, "after": 0, "until": "end"}),
    "pause": (OWNER, {"branch": BRANCH}),
    "branch": (OWNER, {"branch": BRANCH, "at": 0}),
    "intervene": (
        OWNER, {"branch": BRANCH, "after": 0, "intervention": {"action": "crash", "actor": "broker-1"}},
    ),
    "rename": (OWNER, {"branch": BRANCH, "name": "other"}),
    "ahead": (OWNER, {"branch": BRANCH, "after": 0}),
    "actions": (OWNER, {"branch": BRANCH, "number": 0, "selection": {"kind": "actor", "id": "p1"}}),
    "why": (OWNER, {"branch": BRANCH, "number": 0}),
    "present": (OWNER, {"branch": BRANCH, "step": 0}),
    "attend": (OWNER, {}),
    "lower_hands": (OWNER, {}),
    "open_poll": (OWNER, {"branch": BRANCH, "at": 0}),
    "change_poll": (OWNER, {"poll": 1, "change": "end"}),
    "raise_hand": (FOLLOWER, {"branch": BRANCH, "step": 0}),
    "lower_hand": (FOLLOWER, {}),
    "answer_poll": (FOLLOWER, {"poll": 1, "choice": "stored"}),
}  # fmt: skip


async def refusal(page: Heard, type: str, fields: dict[str, Any], branch: str) -> str:
    """Send the message and return the key of the error in the answer, or "" if there is none. An accepted `present`
    gets no answer, so a `ping` is sent after each message.
    """
    content = {name: branch if value == BRANCH else value for name, value in fields.items()}
    named = await page.say(type, **content)
    after = await page.say("ping")
    answer = ""
    while (heard := await page.next()).get("re") != after:
        if heard["type"] == "error":
            assert heard["re"] == named
            answer = heard["key"]
    return answer


def test_every_message_has_a_row() -> None:
    assert ROWS.keys() == {kind.__struct_config__.tag for kind in get_args(AnyFromPage)}


async def test_each_says_what_they_may_and_no_more() -> None:
    session, branch, token = await presented()
    found: dict[str, list[str]] = {}
    async with presenter(session) as owner, follower(token) as guest:
        for type, (_, fields) in ROWS.items():
            keys = {
                "owner": await refusal(owner, type, fields, branch),
                "follower": await refusal(guest, type, fields, branch),
            }
            found[type] = [who for who, key in keys.items() if key != REFUSALS[who]]
            # An accepted message may still fail in this situation, but never because its fields cannot be read.
            assert (
                "problem.unknown_field" not in keys.values() and "problem.missing_field" not in keys.values()
            )
    assert found == {type: may for type, (may, _) in ROWS.items()}
