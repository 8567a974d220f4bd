"""Every hostile file is refused with a sentence of its own, before anything is stored."""

import gzip
import json
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eosviz.replays.bounds import BOUNDS, Bounds
from eosviz.replays.refusal import ReplayRefused
from tests.replays.stories import (
    branch,
    canonical,
    chained,
    counting_step,
    header,
    lines,
    packed,
    read,
)

WHOLE = lines()


def refused(made: list[bytes] | bytes, bounds: Bounds = BOUNDS) -> ReplayRefused:
    with pytest.raises(ReplayRefused) as caught:
        read(made, bounds)
    return caught.value


def with_title(en: str) -> list[bytes]:
    return lines(header(title={"en": en, "zh-Hans": "计数"}))


def with_step(**fields: Any) -> list[bytes]:
    return chained(WHOLE[0], [("1", counting_step(1, **fields))])


def replaced(position: int, line: bytes) -> list[bytes]:
    return [*WHOLE[:position], line, *WHOLE[position + 1 :]]


HOSTILE: dict[str, tuple[Callable[[], list[bytes] | bytes], str]] = {
    "empty": (lambda: b"", "empty"),
    "no line": (lambda: packed([]), "empty"),
    # A search that starts anew at every quote would take hours for these.
    "escaped quotes without an end": (lambda: [b'"' + b'\\"' * 500_000], "not_json"),
    "an escape without an end": (lambda: [b'"' + b'\\"' * 500_000 + b"\\"], "not_json"),
    "not gzip": (lambda: b"PK\x03\x04" + bytes(100), "not_gzip"),
    "plain text": (lambda: b"\n".join(WHOLE), "not_gzip"),
    "gzip cut": (lambda: packed(WHOLE)[:-9], "truncated"),
    "wrong checksum": (lambda: packed(WHOLE)[:-8] + bytes(8), "not_gzip"),
    "second gzip member": (lambda: packed(WHOLE) + packed(WHOLE), "bytes_after_end"),
    "trailing bytes": (lambda: packed(WHOLE) + b"x", "bytes_after_end"),
    "no last line feed": (lambda: gzip.compress(b"\n".join(WHOLE)), "truncated"),
    "last line missing": (lambda: WHOLE[:-1], "truncated"),
    "last step missing": (lambda: WHOLE[:-2] + WHOLE[-1:], "end_differs"),
    "header alone": (lambda: WHOLE[:1], "truncated"),
    "lines after the end": (lambda: [*WHOLE, WHOLE[-1]], "lines_after_end"),
    "blank line": (lambda: [WHOLE[0], b"", *WHOLE[1:]], "not_json"),
    "NaN": (lambda: replaced(0, WHOLE[0].replace(b'"time":0', b'"time":NaN')), "not_an_integer"),
    "Infinity": (lambda: replaced(0, WHOLE[0].replace(b'"time":0', b'"time":-Infinity')), "not_an_integer"),
    "beyond any number": (lambda: replaced(0, WHOLE[0].replace(b'"time":0', b'"time":1e999')), "not_json"),
    "exponent in a step": (lambda: with_step(params={"count": 1e30}), "not_an_integer"),
    "fraction in a step": (lambda: with_step(params={"count": 0.5}), "not_an_integer"),
    "many digits": (
        lambda: replaced(0, WHOLE[0].replace(b'"time":0', b'"time":' + b"9" * 900_000)),
        "integer_too_large",
    ),
    "one more than 64 bits": (lambda: with_step(params={"count": 2**63}), "integer_too_large"),
    "a key twice": (
        lambda: replaced(0, WHOLE[0].replace(b'"view":{"time":0}', b'"view":{"time":0,"time":1}')),
        "repeated_key",
    ),
    "a step's key twice": (lambda: replaced(1, b'{"type":"end",' + WHOLE[1][1:]), "repeated_key"),
    "a key twice, once escaped": (
        lambda: replaced(0, WHOLE[0].replace(b'"time":0', b'"time":0,"t\\u0069me":1')),
        "repeated_key",
    ),
    "spaces": (lambda: replaced(0, WHOLE[0].replace(b",", b", ", 1)), "not_canonical"),
    "needless escapes": (
        lambda: replaced(0, WHOLE[0].replace(b"Counting", b"Co\\u0075nting")),
        "not_canonical",
    ),
    "nested too deep": (lambda: with_step(params={"deep": json.loads("[" * 40 + "]" * 40)}), "too_deep"),
    "half a million brackets": (lambda: replaced(1, b"[" * 500_000), "too_deep"),
    "brackets that do not match": (lambda: replaced(1, b"[}" * 10), "too_deep"),
    "not UTF-8": (lambda: replaced(0, WHOLE[0].replace(b"Counting", b"\xff\xfe")), "not_json"),
    "half a surrogate": (lambda: replaced(0, WHOLE[0].replace(b"Counting", b"\\ud800")), "not_json"),
    "a prototype's name": (
        lambda: with_step(changes=[{"path": ["__proto__", "polluted"], "after": 1}]),
        "forbidden_name",
    ),
    "script in a title": (lambda: with_title("<script>alert(1)</script>"), "markup"),
    "an image in a title": (lambda: with_title("x<img src=x onerror=alert(1)>"), "markup"),
    "script in the scenario's title": (
        lambda: lines(header(scenario={"title": {"en": "<SCRIPT src=//x>", "zh-Hans": "x"}})),
        "markup",
    ),
    "script in a variant's title": (
        lambda: lines(header(scenario={"variants": [{"title": {"en": "</title><script>"}}]})),
        "markup",
    ),
    "script in the title on show": (lambda: lines(header(header={"title": "<!--"})), "markup"),
    "a line break in a title": (lambda: with_title("one\ntwo"), "control_character"),
    "a turned title": (lambda: with_title("abc\u202egpj.exe"), "control_character"),
    "a turned branch name": (lambda: lines(header(branch(name="a\u2066b"))), "control_character"),
    "a long title": (
        lambda: chained(canonical(header(title={"en": "x" * 4001, "zh-Hans": "计数"})), []),
        "wrong_shape",
    ),
    "a list for a title": (lambda: chained(canonical(header(title=[])), []), "wrong_shape"),
    "unknown schema": (lambda: chained(canonical(header(schema=2)), []), "unknown_schema"),
    "true for a schema": (lambda: chained(canonical(header(schema=True)), []), "wrong_shape"),
    "no header": (lambda: WHOLE[1:], "no_header"),
    "unknown field in the header": (lambda: chained(canonical(header(more=1)), []), "wrong_shape"),
    "unknown field in a step": (lambda: with_step(more=1), "wrong_shape"),
    "unknown kind of step": (lambda: with_step(kind="magic"), "wrong_shape"),
    "a change without a path": (lambda: with_step(changes=[{"path": [], "after": 1}]), "wrong_shape"),
    "unknown line": (lambda: replaced(1, canonical({"type": "view"})), "unknown_line"),
    "a number for a line": (lambda: replaced(1, b"17"), "unknown_line"),
    "steps swapped": (lambda: [WHOLE[0], WHOLE[2], WHOLE[1], *WHOLE[3:]], "digest_differs"),
    "a step changed": (lambda: replaced(2, WHOLE[2].replace(b"broker-1", b"broker-2")), "digest_differs"),
    "a step left out": (
        lambda: chained(WHOLE[0], [("1", counting_step(number)) for number in (1, 3)]),
        "step_out_of_order",
    ),
    "another branch's step": (lambda: chained(WHOLE[0], [("2", counting_step(1))]), "step_out_of_order"),
    "fewer steps than told": (lambda: chained(WHOLE[0], [("1", counting_step(1))]), "steps_missing"),
    "more steps than told": (
        lambda: chained(WHOLE[0], [("1", counting_step(number)) for number in (1, 2, 3, 4)]),
        "more_steps_than_declared",
    ),
    "a change of what is not there": (
        lambda: with_step(changes=[{"path": ["clock"], "before": 0, "after": 1}]),
        "change_does_not_fit",
    ),
    "another before": (
        lambda: with_step(changes=[{"path": ["time"], "before": 7, "after": 8}]),
        "change_does_not_fit",
    ),
    "true instead of one": (
        lambda: with_step(changes=[{"path": ["time"], "before": False, "after": 8}]),
        "change_does_not_fit",
    ),
    "a change inside a number": (
        lambda: with_step(changes=[{"path": ["time", "hours"], "after": 8}]),
        "change_does_not_fit",
    ),
    "two first branches": (lambda: lines(header(branch(), branch("2")), []), "branch_does_not_fit"),
    "a branch twice": (
        lambda: lines(header(branch(), branch("1", parent="1", leaves_at=1)), []),
        "branch_does_not_fit",
    ),
    "a child before its parent": (
        lambda: lines(header(branch("2", parent="1"), branch()), []),
        "branch_does_not_fit",
    ),
    "leaving beyond the newest": (
        lambda: lines(header(branch(), branch("2", newest=9, parent="1", leaves_at=4)), []),
        "branch_does_not_fit",
    ),
    "an intervention before the branch": (
        lambda: lines(
            header(
                branch(),
                branch("2", parent="1", leaves_at=2, interventions=[{"after": 1, "intervention": {}}]),
            ),
            [],
        ),
        "branch_does_not_fit",
    ),
    "too many branches": (
        lambda: lines(header(branch(), *[branch(str(n), parent="1") for n in range(2, 70)]), []),
        "too_many_branches",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_for_its_own_reason(name: str) -> None:
    make, reason = HOSTILE[name]
    assert refused(make()).key == f"replays.refused.{reason}"


@pytest.mark.parametrize("left", [1, 2])
def test_a_cut_is_named_by_the_last_whole_line(left: int) -> None:
    content = b"".join(line + b"\n" for line in WHOLE)
    kept = b"".join(line + b"\n" for line in WHOLE[:left])
    for cut in (len(kept), len(kept) + 5):
        # These bytes are like the beginning of a whole file, and like a file whose content ends there.
        begun = zlib.compressobj(level=0, wbits=31)
        started = begun.compress(content[:cut]) + begun.flush(zlib.Z_SYNC_FLUSH)
        for made in (started, gzip.compress(content[:cut])):
            found = refused(made)
            assert (found.key, found.params) == ("replays.refused.truncated", {"line": left})


def test_a_gzip_bomb_is_refused_without_being_unpacked() -> None:
    bomb = gzip.compress(bytes(200 * 1024 * 1024), compresslevel=9)
    tracemalloc.start()
    try:
        assert refused(bomb).key == "replays.refused.line_too_long"
        assert tracemalloc.get_traced_memory()[1] < 2 * BOUNDS.line_bytes
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        (Bounds(compressed_bytes=100), "compressed_too_large"),
        (Bounds(content_bytes=1000), "content_too_large"),
        (Bounds(lines=4), "too_many_lines"),
        (Bounds(view_bytes=3, view_check_bytes=10), "view_too_large"),
        (Bounds(stored_bytes=10), "too_much_to_store"),
    ],
)
def test_each_bound_is_kept(bounds: Bounds, reason: str) -> None:
    assert refused(WHOLE, bounds).key == f"replays.refused.{reason}"


def test_the_bounds_themselves_are_allowed() -> None:
    content = sum(len(line) + 1 for line in WHOLE)
    longest = max(len(line) for line in WHOLE)
    exact = Bounds(content_bytes=content, compressed_bytes=len(packed(WHOLE)), lines=5, line_bytes=longest)
    assert read(WHOLE, exact).steps == 3


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused_and_nothing_else_happens(data: bytes) -> None:
    refused(data)


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_arbitrary_lines_are_refused_and_nothing_else_happens(made: list[bytes]) -> None:
    refused(made)


@given(st.data())
def test_a_changed_byte_is_noticed(data: st.DataObject) -> None:
    content = bytearray(b"".join(line + b"\n" for line in WHOLE))
    position = data.draw(st.integers(0, len(content) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[position]))
    content[position] = value
    # The chain of digests begins with the header's bytes, so even a harmless change of the header breaks it.
    refused(gzip.compress(bytes(content)))
