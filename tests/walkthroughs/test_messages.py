"""Reading what a page sends is strict and bounded, and every error is a typed problem."""

from __future__ import annotations

import json
import uuid
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eosviz.catalogue import say, words
from eosviz.walkthroughs import malformed, messages
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.messages import Advance, Unreadable, Window, read_message

ID = "2b2c7a4e-6d5a-4b4f-9a61-0a6c3f0c9a11"
ADVANCE: dict[str, Any] = {"v": 1, "id": ID, "type": "advance", "branch": "1", "after": 0, "count": 1}

BRANCH: dict[str, Any] = {"v": 1, "id": ID, "type": "branch", "branch": "1", "at": 0}

FIELDS = (
    *("branch", "after", "count", "until", "time", "limit", "at", "name", "from", "to", "number"),
    *("have", "selection", "intervention"),
)

ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def refused(content: Any) -> Unreadable:
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    with pytest.raises(Unreadable) as caught:
        read_message(text)
    return caught.value


def test_a_message_is_read() -> None:
    assert read_message(json.dumps(ADVANCE)) == Advance(v=1, id=uuid.UUID(ID), branch="1", after=0, count=1)


def test_a_window_is_spelled_from_and_to() -> None:
    window = read_message(json.dumps({"v": 1, "id": ID, "type": "window", "branch": "1", "from": 3, "to": 9}))
    assert isinstance(window, Window)
    assert (window.first, window.last) == (3, 9)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "malformed"),
        ("{", "malformed"),
        (b"\xff\xfe", "malformed"),
        ("[]", "malformed"),
        ("null", "malformed"),
        ('{"v": 1, "id": "x", "type": "ping"}', "malformed"),
        ("[" * 60_000, "malformed"),
        ('{"v": 1, "type": ' + "[" * 60_000 + "}", "malformed"),
        ({**ADVANCE, "v": 2}, "unsupported_version"),
        ({**ADVANCE, "v": True}, "unsupported_version"),
        ({**ADVANCE, "v": "1"}, "unsupported_version"),
        ({**ADVANCE, "type": "explode"}, "unknown_type"),
        ({**ADVANCE, "type": None}, "unknown_type"),
        ({**ADVANCE, "type": ["advance"]}, "unknown_type"),
        ({**ADVANCE, "count": 0}, "malformed"),
        ({**ADVANCE, "count": LIMITS.advance_steps + 1}, "malformed"),
        ({**ADVANCE, "count": 1.5}, "malformed"),
        ({**ADVANCE, "count": "1"}, "malformed"),
        ({**ADVANCE, "count": True}, "malformed"),
        ({**ADVANCE, "after": -1}, "malformed"),
        ({**ADVANCE, "after": 10**30}, "malformed"),
        ({**ADVANCE, "branch": 1}, "malformed"),
        ({**ADVANCE, "branch": "1' OR 1=1"}, "malformed"),
        ({**ADVANCE, "branch": "1" * 19}, "malformed"),
        ({**ADVANCE, "further": 1}, "malformed"),
        ({**ADVANCE, "x": "y" * LIMITS.message_bytes}, "too_large"),
        ("é" * (LIMITS.message_bytes // 2 + 1), "too_large"),
        ({"v": 1, "id": ID, "type": "window", "branch": "1", "from": 0, "to": 500}, "limit"),
        ({"v": 1, "id": ID, "type": "window", "branch": "1", "from": 9, "to": 3}, "limit"),
        ({"v": 1, "id": ID, "type": "run_until", "branch": "1", "after": 0, "until": "time"}, "malformed"),
        (
            {"v": 1, "id": ID, "type": "run_until", "branch": "1", "after": 0, "until": "end", "time": 3},
            "malformed",
        ),
        ({"v": 1, "id": ID, "type": "hello", "have": {str(n): 0 for n in range(65)}}, "malformed"),
        ({**BRANCH, "name": "x" * 81}, "malformed"),
        ({**BRANCH, "name": "two\nlines"}, "malformed"),
        ({**BRANCH, "name": "line\n"}, "malformed"),
        ({**BRANCH, "name": "nul\0"}, "malformed"),
        ({**BRANCH, "name": "\u202egnp.exe"}, "malformed"),
        (
            {
                "v": 1,
                "id": ID,
                "type": "intervene",
                "branch": "1",
                "after": 0,
                "intervention": {"action": "set", "path": "clients.p1.retries", "value": [1]},
            },
            "malformed",
        ),
        (
            {
                "v": 1,
                "id": ID,
                "type": "intervene",
                "branch": "1",
                "after": 0,
                "intervention": {"action": "drop_table"},
            },
            "malformed",
        ),
    ],
)
def test_what_is_wrong_has_its_code(content: Any, code: str) -> None:
    assert refused(content).problem.code == code


INTERVENE: dict[str, Any] = {"v": 1, "id": ID, "type": "intervene", "branch": "1", "after": 0}
RUN: dict[str, Any] = {"v": 1, "id": ID, "type": "run_until", "branch": "1", "after": 0}


@pytest.mark.parametrize(
    ("content", "key", "params"),
    [
        ("{", "cut_short", {}),
        ('{"v": x}', "not_json", {"byte": "6"}),
        (b'{"v": "\xff"}', "not_utf8", {}),
        ("[" * 60_000, "wrong_type", {"allowed": "object", "found": "array", "field": "$"}),
        ('{"v": 1, "type": ' + "[" * 60_000 + "}", "nested_too_deep", {}),
        ("null", "wrong_type", {"allowed": "object", "found": "null", "field": "$"}),
        ({**ADVANCE, "id": "x"}, "no_uuid", {"field": "id"}),
        ({**ADVANCE, "count": 0}, "too_small", {"least": "1", "field": "count"}),
        ({**ADVANCE, "count": 501}, "too_great", {"most": "500", "field": "count"}),
        ({**ADVANCE, "count": 1.5}, "wrong_type", {"allowed": "int", "found": "float", "field": "count"}),
        ({**ADVANCE, "branch": "x"}, "not_digits", {"field": "branch"}),
        ({**ADVANCE, "further": 1}, "unknown_field", {"field": "further"}),
        (BRANCH | {"name": "x" * 81}, "too_long", {"most": "80", "field": "name"}),
        (BRANCH | {"name": "two\nlines"}, "not_one_line", {"field": "name"}),
        ({**RUN, "until": "time"}, "time_and_until", {}),
        (
            {**RUN, "until": "dawn"},
            "not_one_of",
            {"found": "'dawn'", "allowed": ["breakpoint", "end", "interesting", "time"], "field": "until"},
        ),
        ({**INTERVENE, "intervention": {}}, "missing_field", {"field": "intervention.action"}),
        (
            {**INTERVENE, "intervention": {"action": "set", "path": "a", "value": [1]}},
            "wrong_type",
            {"allowed": "bool | int | str", "found": "array", "field": "intervention.value"},
        ),
    ],
)
def test_what_cannot_be_read_is_named_with_its_field_and_what_is_allowed(
    content: Any, key: str, params: dict[str, Any]
) -> None:
    problem = refused(content).problem
    assert (problem.key, problem.params) == (f"problem.{key}", params)
    for language in ("en", "zh-Hans"):
        assert "[" not in say(problem.key, language, params) + say(problem.remedy_key, language, params)


def test_every_reason_why_a_message_is_malformed_has_its_words() -> None:
    assert {key for key in malformed.KEYS if f"problem.{key}.remedy" not in words()} == set()


def test_an_unknown_action_is_answered_with_the_known_ones() -> None:
    params = refused({**INTERVENE, "intervention": {"action": "drop_table"}}).problem.params
    assert params["field"] == "intervention.action"
    assert "drop_message" in params["allowed"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 5000])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    text = json.dumps(ADVANCE).replace('"after": 0', f'"after": {number}')
    assert refused(text).problem.code == "malformed"


def test_the_id_is_answered_when_it_can_be_read() -> None:
    assert refused({**ADVANCE, "type": "explode"}).re == ID
    assert refused({**ADVANCE, "id": 5, "type": "explode"}).re is None
    assert refused({**ADVANCE, "id": "x" * 100, "type": "explode"}).re is None
    assert refused("{").re is None


@given(st.text(max_size=300) | st.binary(max_size=300))
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        read_message(text)
    except Unreadable as unreadable:
        assert (
            msgspec.json.decode(messages.encode(unreadable.problem.message(unreadable.re)))["type"] == "error"
        )


@given(
    st.sampled_from(
        ["advance", "run_until", "branch", "intervene", "window", "keyframe", "actions", "hello"]
    ),
    st.dictionaries(
        st.sampled_from(FIELDS),
        ANY_JSON,
    ),
)
@example("intervene", {"branch": "1", "after": 0, "intervention": {"action": {}}})
@example("hello", {"have": {"1": None}})
def test_any_fields_are_read_or_refused(type: str, fields: dict[str, Any]) -> None:
    try:
        read_message(json.dumps({"v": 1, "id": ID, "type": type, **fields}))
    except Unreadable as unreadable:
        assert unreadable.re == ID


def test_the_id_of_a_message_that_is_not_read() -> None:
    assert messages.id_of(json.dumps(ADVANCE)) == ID
    assert messages.id_of("{") is None
    assert messages.id_of(None) is None
    assert messages.id_of(json.dumps({"id": ID, "x": "y" * LIMITS.message_bytes})) is None


def test_the_asked_of_a_command_is_the_same_under_any_id() -> None:
    one = read_message(json.dumps(ADVANCE))
    other = read_message(json.dumps({**ADVANCE, "id": str(uuid.uuid4())}))
    further = read_message(json.dumps({**ADVANCE, "after": 1}))
    assert messages.asked(one) == messages.asked(other)  # type: ignore[arg-type]
    assert messages.asked(one) != messages.asked(further)  # type: ignore[arg-type]


def test_every_problem_that_the_code_names_has_its_words() -> None:
    import re
    from pathlib import Path

    folder = Path(messages.__file__).parent
    named = set()
    for file in folder.glob("*.py"):
        named |= set(re.findall(r'Problem\(\s*"[a-z_]+",\s*"([a-z_]+)"', file.read_text()))
        named |= set(re.findall(r'_refusal\("([a-z_]+)"', file.read_text()))
    assert len(named) > 15
    for name in named:
        assert f"problem.{name}" in words(), name
        assert f"problem.{name}.remedy" in words(), name
