"""Makes steps and views as pages get them: with derived facts (docs/frame.md, *Derived*).

The derived facts are stored with the step or the view. Sessions of earlier releases have no stored facts.
Their facts are derived when a page asks for them, starting at the nearest stored view. Of the records that
broke a guarantee before this view, only those that the view names are then known.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.view import near_views
from engine.view.derived import Derived
from engine.watching import ABSENT
from eosviz.walkthroughs.models import Branch, Keyframe, Step

encode = msgspec.json.encode


class _Change(msgspec.Struct):
    path: list[str]
    before: Any = ABSENT
    after: Any = ABSENT


class _Derived(msgspec.Struct):
    changes: list[_Change] = msgspec.field(default_factory=list)


class _Changes(msgspec.Struct):
    changes: list[_Change]
    derived: _Derived = msgspec.field(default_factory=_Derived)


_decode = msgspec.json.Decoder(_Changes).decode


def changes_of(body: bytes) -> list[near_views.Change]:
    """Returns the changes of a step, each as (path, value before, value after), and after them the changes of
    its derived facts. `body`: the step as JSON, either as stored or with derived facts."""
    step = _decode(body)
    return [(one.path, one.before, one.after) for one in step.changes + step.derived.changes]


def joined(body: bytes, derived: bytes) -> bytes:
    """Returns a stored step, as JSON, with its derived facts added."""
    return b'%b,"derived":%b}' % (body[:-1], derived)


def sent(step: Step) -> bytes:
    """Returns a step that was just made, as JSON, with its derived facts."""
    return joined(bytes(step.body), bytes(step.derived or b"{}"))


def sent_bodies(line: list[Branch], first: int, last: int) -> list[bytes]:
    """Returns the steps `first` to `last` of a branch line, in order, as pages get them: with their derived
    facts."""
    stored = list(Step.objects.of_line(line, first, last).values_list("number", "body", "derived"))
    lacking = [number for number, _, derived in stored if derived is None]
    anew = _derived_anew(line, lacking[0], lacking[-1]) if lacking else {}
    return [
        joined(bytes(body), anew[number] if derived is None else bytes(derived))
        for number, body, derived in stored
    ]


def view_of(keyframe: Keyframe) -> dict[str, Any]:
    """Returns the stored view with its derived facts."""
    view: dict[str, Any] = msgspec.json.decode(keyframe.view_json)
    derived = keyframe.derived_json
    view["derived"] = Derived(view).view() if derived is None else msgspec.json.decode(derived)
    return view


def _derived_anew(line: list[Branch], first: int, last: int) -> dict[int, bytes]:
    keyframe = Keyframe.objects.nearest(line, first - 1)
    if keyframe is None:
        return dict.fromkeys(range(first, last + 1), b"{}")
    derived = Derived(msgspec.json.decode(keyframe.view_json), keyframe.number)
    found: dict[int, bytes] = {}
    for body in Step.objects.of_line(line, keyframe.number + 1, last).bodies():
        facts = derived.take(msgspec.json.decode(body))
        found[derived.number] = encode(facts)
    return found
