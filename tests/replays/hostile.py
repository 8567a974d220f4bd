"""Makes broken and hostile files of every form from good ones: the same number always gives the same file.

A few changes are made to a good file. Some of them respect the form: they change a byte, a line, a value inside a
line with the chain of digests made valid again, or the container of the lines.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.replays.stories import canonical, chained

ODD: Sequence[Any] = (
    None, True, -1, 0, 2**63, -(2**63) - 1, 10**30, 0.5, "", "x" * 5000, "\u202e", "<script>", "__proto__", [], {},
    [[]], {"__proto__": 1}, [None] * 50, "=1+1", "../../etc/passwd", "\x00",
)  # fmt: skip
"""Values that a careless program does not expect."""
SPLICES = (
    b"",
    b"\n",
    b"\x00",
    b"{",
    b"}",
    b'"',
    b"\\",
    b"NaN",
    b"1e999",
    b"<",
    b"\xff",
    b"PAR1",
    b"\x1f\x8b",
    b"9" * 400,
)
MOST_AT_ONCE = 3


@dataclass(frozen=True)
class Whole:
    """One replay in all its forms."""

    packed: bytes
    page: bytes
    parquet: bytes

    @property
    def plain(self) -> bytes:
        return gzip.decompress(self.packed)

    @property
    def lines(self) -> list[bytes]:
        return self.plain.splitlines()


def hostile(whole: Whole, seed: int) -> bytes:
    """Return the file with this number."""
    chance = random.Random(seed)
    return chance.choice(MAKERS)(whole, chance)


def _bytes_changed(content: bytes, chance: random.Random) -> bytes:
    made = bytearray(content)
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        if not made:
            break
        at = chance.randrange(len(made))
        which = chance.randrange(5)
        if which == 0:
            made[at] ^= 1 << chance.randrange(8)
        elif which == 1:
            del made[at : at + chance.choice((1, 10, 1000))]
        elif which == 2:
            made[at:at] = chance.choice(SPLICES)
        elif which == 3:
            del made[at:]
        else:
            made[at:at] = made[: chance.randrange(200)]
    return bytes(made)


def _lines_changed(lines: list[bytes], chance: random.Random) -> list[bytes]:
    made = list(lines)
    for _ in range(chance.randint(1, MOST_AT_ONCE)):
        at = chance.randrange(len(made))
        which = chance.randrange(5)
        if which == 0:
            made[at] = _bytes_changed(made[at], chance)
        elif which == 1:
            made.insert(at, chance.choice(made))
        elif which == 2 and len(made) > 1:
            del made[at]
        elif which == 3:
            other = chance.randrange(len(made))
            made[at], made[other] = made[other], made[at]
        else:
            made[at] = chance.choice((b"", b"{}", b"[]", b"null", b"[" * 3000, b'{"type":"end"}'))
    return made


def _value_changed(value: Any, chance: random.Random) -> Any:
    """Return a copy of the value in which one element is replaced, added or removed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(sorted(value))
        made = dict(value)
        which = chance.randrange(8)
        if which == 0:
            del made[name]
        elif which == 1:
            made[chance.choice(("more", "__proto__", "constructor", "", name + "\u0000"))] = chance.choice(
                ODD
            )
        else:
            made[name] = _value_changed(value[name], chance)
        return made
    if isinstance(value, list) and value and chance.random() < 0.9:
        made_list = list(value)
        at = chance.randrange(len(made_list))
        made_list[at] = _value_changed(made_list[at], chance)
        return made_list
    return chance.choice(ODD)


def _from_bytes(whole: Whole, chance: random.Random) -> bytes:
    return _bytes_changed(chance.choice((whole.packed, whole.plain, whole.page)), chance)


def _from_lines(whole: Whole, chance: random.Random) -> bytes:
    plain = b"".join(line + b"\n" for line in _lines_changed(whole.lines, chance))
    return chance.choice((plain, gzip.compress(plain, 1, mtime=0)))


def _lies(whole: Whole, chance: random.Random) -> bytes:
    """Return a file in which a value is changed and every digest is valid again: only its meaning is wrong."""
    header, *steps = [json.loads(line) for line in whole.lines[:-1]]
    if chance.random() < 0.4:
        header = _value_changed(header, chance)
    else:
        at = chance.randrange(len(steps))
        steps[at] = {**steps[at], "step": _value_changed(steps[at]["step"], chance)}
    try:
        lines = chained(canonical(header), [(line["branch"], line["step"]) for line in steps])
    except (UnicodeEncodeError, OverflowError, ValueError, TypeError):
        return canonical(header)  # no writer of ours would write it
    return gzip.compress(b"".join(line + b"\n" for line in lines), 1, mtime=0)


def _another_page(whole: Whole, chance: random.Random) -> bytes:
    opening = b'<script type="application/gzip" id="replay">'
    inside = chance.choice(
        (whole.packed, whole.packed[: chance.randrange(len(whole.packed))], b"", b"\x00" * 99)
    )
    letters = (
        _bytes_changed(base64.b64encode(inside), chance)
        if chance.random() < 0.6
        else base64.b64encode(inside)
    )
    around = chance.choice((b"", b"\n", b"<", b"<!--", b"</script><script>", b" " * 5000))
    return (
        b"<!doctype html>"
        + around
        + opening * chance.randint(0, 2)
        + letters
        + chance.choice((b"</script>", b"", b"<"))
    )


MAKERS: Sequence[Callable[[Whole, random.Random], bytes]] = (
    _from_bytes,
    _from_lines,
    _lies,
    _lies,
    _another_page,
)


def hostile_parquet(whole: Whole, seed: int) -> bytes:
    """Return a hostile Parquet file. It has a function of its own, because each such file that is imported is read in
    a process of its own.
    """
    chance = random.Random(seed)
    if chance.random() < 0.6:
        changed = _bytes_changed(whole.parquet, chance)
        return changed if changed.startswith(b"PAR1") else b"PAR1" + changed
    table = pq.read_table(io.BytesIO(whole.parquet))
    which = chance.randrange(5)
    if which == 0:
        table = table.drop_columns([chance.choice(table.column_names)])
    elif which == 1:
        table = table.append_column("more", pa.array([1] * table.num_rows))
    elif which == 2:
        table = table.slice(chance.randrange(table.num_rows))
    elif which == 3:
        at = table.column_names.index(chance.choice(("step", "digest", "branch", "actor")))
        texts = table.column(at).to_pylist()
        texts[chance.randrange(len(texts))] = chance.choice(("", "{}", "null", "x" * 100, '{"number": 1}'))
        table = table.set_column(at, table.schema.field(at), pa.array(texts, pa.string()))
    else:
        own_metadata = dict(table.schema.metadata or {})
        own_metadata[b"eosviz.header"] = chance.choice((b"", b"{}", b"[]", b"\xff", b"{" * 100))
        table = table.replace_schema_metadata(own_metadata)
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()
