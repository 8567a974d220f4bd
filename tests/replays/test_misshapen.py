"""Lines that are no valid lines of a replay, each with one mistake, which is reported in texts of the catalogue with
its place.
"""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from eosviz.catalogue import LANGUAGES, say
from eosviz.replays import format, misshapen
from tests.replays.stories import branch, counting_step, header

NOTE = {"key": "test.note", "params": {}, "rules": []}
TRANSITION = {"machine": "m", "of": "p1", "from": "A", "to": "B", "on": "x", "row": 1}
BROKEN = {"guarantee": "lost", "partition": None, "serials": [1], "producer_id": 1, "nodes": ["b1"]}
DECISION: dict[str, Any] = {
    "by": "b1", "subject": "batch", "machine": "m", "arrived": {}, "stored": None,
    "rows": [{"rule": "SEQ-1", "key": "test.row", "params": {}, "outcome": "passed"}],
}  # fmt: skip
REFUSAL = {"rule": "SEQ-1", "error": "E", "compared": [["a", 1]], "next": "test.next", "next_params": {}}
STEP = {
    "type": "step", "branch": "1", "digest": "0" * 64,
    "step": counting_step(
        1, notes=[NOTE], transition=TRANSITION, broken=[BROKEN], decision=DECISION, refusal=REFUSAL,
        messages=[{"id": 1, "event": "sent"}],
    ),
}  # fmt: skip
HEADER = header(branch(interventions=[{"after": 1, "intervention": {}}]))
END = {"type": "end", "steps": 3, "digest": "0" * 64}
WRONG: tuple[Any, ...] = (None, True, 1.5, -1, "", "no such word", "x" * 5000, [], [1] * 20, {})

Place = tuple[str | int, ...]


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def changed(line: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """Return the line with another value at the place; without the field if the value is `Ellipsis`; with an
    additional field if it is `any`.
    """
    made: Any = copy.deepcopy(line)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    elif value is any:
        inner[place[-1]]["another"] = 1
    else:
        inner[place[-1]] = value
    return made  # type: ignore[no-any-return]


def mistakes(
    shape: type[msgspec.Struct], line: dict[str, Any]
) -> Iterator[tuple[Place, Any, dict[str, Any]]]:
    format.convert(line, shape)
    for place in places(line):
        if place == ("type",):
            continue  # the reader checks it before it knows the shape
        inner: Any = line
        for key in place:
            inner = inner[key]
        more = [any] if isinstance(inner, dict) else []
        left_out = [...] if isinstance(place[-1], str) else []
        for value in (*WRONG, *left_out, *more):
            try:
                format.convert(changed(line, place, value), shape)
            except msgspec.ValidationError as error:
                yield place, value, misshapen.sentence_of(str(error))


@pytest.mark.parametrize(
    ("shape", "line"), [(format.Header, HEADER), (format.StepLine, STEP), (format.End, END)]
)
def test_every_mistake_has_words_and_names_its_place(
    shape: type[msgspec.Struct], line: dict[str, Any]
) -> None:
    found = list(mistakes(shape, line))
    assert len(found) > 20
    for place, value, sentence in found:
        assert sentence["key"] != "replays.misshapen.other", (place, value)
        path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place).lstrip(".")
        # A mistake in a list is reported at its first wrong item, one in an object at the missing key.
        assert sentence["params"]["place"].startswith(path), (place, value, sentence)
        for language in LANGUAGES:
            shown = say(sentence["key"], language, sentence["params"]).replace(
                sentence["params"]["place"], ""
            )
            assert not set("[{`") & set(shown), shown
    kinds = {sentence["key"].rpartition(".")[2] for _, _, sentence in found}
    assert {"missing", "wrong_type"} <= kinds


def test_what_a_reader_reads() -> None:
    def refusal_of(
        place: Place, value: Any, line: dict[str, Any] = STEP, shape: Any = format.StepLine
    ) -> list[str]:
        with pytest.raises(msgspec.ValidationError) as caught:
            format.convert(changed(line, place, value), shape)
        sentence = misshapen.sentence_of(str(caught.value))
        return [
            say("replays.refused.wrong_shape", language, {"line": 4, "detail": sentence})
            for language in ("en", "zh-Hans")
        ]

    assert refusal_of(("step", "changes", 0, "path"), 3) == [
        "Line 4 does not have the format of a replay: step.changes[0].path is a whole number "
        "(allowed: a list); export the session again.",
        "第 4 行不符合回放格式：step.changes[0].path 是整数（允许的类型：列表）；请重新导出会话。",
    ]
    assert "step.at 小于 0；" in refusal_of(("step", "at"), -1)[1]
    assert "缺少 step.kind；" in refusal_of(("step", "kind"), ...)[1]
    assert "step.kind 不是该处允许的值；" in refusal_of(("step", "kind"), "magic")[1]
    assert "step.notes[0].another is not a known field;" in refusal_of(("step", "notes", 0), any)[0]
    assert "title.en 的长度大于 4000；" in refusal_of(("title", "en"), "x" * 4001, HEADER, format.Header)[1]
    assert "branches 的长度小于 1；" in refusal_of(("branches",), [], HEADER, format.Header)[1]
    assert (
        "branches[0].id is not written as the format requires"
        in refusal_of(("branches", 0, "id"), "ä", HEADER, format.Header)[0]
    )
    assert "（允许的类型：字符串、空值（null））；" in refusal_of(("variant",), 3, HEADER, format.Header)[1]


def test_an_unknown_sentence_says_nothing_of_the_decoder() -> None:
    sentence = misshapen.sentence_of("Something entirely new - at `$.step.at`")
    assert sentence == {"key": "replays.misshapen.other", "params": {"place": "step.at"}}
    assert misshapen.sentence_of("Object contains unknown field `a\u202e\nb`")["params"] == {
        "place": "a\ufffd\ufffdb"
    }
