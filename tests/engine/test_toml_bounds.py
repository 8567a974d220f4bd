"""A TOML text is checked against bounds before a parser reads it: a refusal is one sentence with the line, and the
work is proportional to the text.
"""

from __future__ import annotations

import tomllib

import pytest

from engine.scenario.bounds import (
    KEY_CHARACTERS_MAX,
    KEY_DOTS_MAX,
    LEVELS_MAX,
    NUMBER_CHARACTERS_MAX,
    TEXT_BYTES_MAX,
    check_text,
)
from engine.scenario.document import BadScenario, load, parse
from engine.scenario.mistakes import mistakes
from engine.scenario.shelf import library
from engine.scenario.toml_lines import line_of

PARTS = 49_000
DEEP, LONG_NUMBER = "scenario.wrong.too_deep", "scenario.wrong.number_too_long"
LARGE, NO_NUMBER = "scenario.wrong.number_too_large", "scenario.wrong.no_number"
HOSTILE = {
    "a dotted key": ("id = 1\n" + "a." * PARTS + "a = 1", DEEP, 2),
    "a dotted key of quoted parts": ("'a' . " * 16_000 + '"a" = 1', DEEP, 1),
    "a heading": ("\n\n[" + "a." * PARTS + "a]", DEEP, 3),
    "a heading of a list": ("[[" + "a." * PARTS + "a]]", DEEP, 1),
    "a dotted key in a table in a line": ("x = { y = 1, " + "a." * PARTS + "a = 1 }", DEEP, 1),
    "lists in lists": ("x = [\n" + "[" * 90_000, DEEP, 2),
    "tables in tables": ("x = " + "{ a = " * 16_000, DEEP, 1),
    "tables in lists in tables": ("x = " + "{a=[" * 20_000, DEEP, 1),
    "a key below a heading": ("[a.b.c.d.e.f.g.h]\ni.j.k.l.m.n.o.p.q = 1", DEEP, 2),
    "digits": ("seed = " + "1" * 4_301, LONG_NUMBER, 1),
    "hexadecimal digits": ("seed = 0x" + "f" * 90_000, LONG_NUMBER, 1),
    "digits behind a dot": ("seed = 0." + "1" * 90_000, LONG_NUMBER, 1),
    "digits in a list behind a text": ('x = """\n["""\ny = [1, ' + "9" * 5_000 + "]", LONG_NUMBER, 3),
    "dots in many keys": ("".join(f"a.k{n} = 1\n" for n in range(5_000)), "scenario.wrong.too_many_dots", 1001),
    "a long key": ("k" * (KEY_CHARACTERS_MAX + 1) + " = 1", "scenario.wrong.key_too_long", 1),
    "a long text": ("#" * (TEXT_BYTES_MAX + 1), "scenario.wrong.too_long", None),
    "many bytes of few characters": ("#" + "é" * (TEXT_BYTES_MAX // 2), "scenario.wrong.too_long", None),
    "65 bits": ("[limits]\nsteps = 0x1_0000_0000_0000_0000", LARGE, 2),
    "infinity": ("[cluster]\n\nlatency_ms = -inf", NO_NUMBER, 3),
    "beyond the largest float": ("x = 1e999", NO_NUMBER, 1),
    "no number": ("[[faults]]\n[[faults]]\nmatch = { rate = nan }", NO_NUMBER, 3),
    "a date": ("id = 1\nseed = 2020-01-01", "scenario.wrong.date", 2),
    "a time": ("seed = 01:02:03", "scenario.wrong.date", 1),
    "an escaped zero": ('id = "a"\ntitle = "\\u0000"', "scenario.wrong.zero", 2),
    "an escaped zero in a key": ('id = "a"\n"\\U00000000" = 1', "scenario.wrong.zero", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused_with_its_line_and_the_bound(name: str) -> None:
    text, fault, line = HOSTILE[name]
    with pytest.raises(BadScenario) as refused:
        parse(text, "x.toml")
    bad = refused.value
    assert (bad.sentences["reason"]["key"], bad.line) == (fault, line)
    assert len(str(bad)) < 300
    assert str(bad).startswith("x.toml")


def test_as_many_levels_as_allowed_are_read_and_one_more_is_not() -> None:
    keys = ".".join("abcdefghijklmnopqrstuvwxyz"[:LEVELS_MAX])
    for right in (f"{keys} = 1", f"[{keys}]", "x = " + "[" * (LEVELS_MAX - 1) + "]" * (LEVELS_MAX - 1)):
        assert parse(right) == tomllib.loads(right)
    for wrong in (
        f"{keys}.z = 1",
        f"[{keys}.z]",
        f"[{keys}]\nz = 1",
        "x = " + "[" * LEVELS_MAX + "]" * LEVELS_MAX,
    ):
        with pytest.raises(BadScenario):
            parse(wrong)


def test_what_only_looks_deep_or_long_is_read() -> None:
    digits = "1" * (NUMBER_CHARACTERS_MAX * 9)
    dots = "a." * (KEY_DOTS_MAX * 2)
    for text in (
        f'x = "{dots}"  # {dots}{digits}',
        f"x = '{dots}{digits}'",
        f'x = """\n{"[" * 99}\\"""\n{dots} = {digits}""""',
        f"x = '''\n{dots} = {digits}''''",
        'x = "\\\\"\ny = "["',
        '"a.b.c" = { "d.e" = [1.5, -0.25, 1_000, 0x7f] }',
        "x = [ # [[[[[[[[[[[[[[[[[[[[\n [1], [2], # ]\n]\r\ny = 1",
        "[[a]]\n[[a.b]]\nc = { d = {}, e = [] }\n[[a]]",
    ):
        assert parse(text) == tomllib.loads(text)


def test_the_scan_leaves_the_faults_of_the_language_to_the_parser() -> None:
    for text in (
        "x = ]",
        "x = [}",
        "]" * 9,
        'x = "',
        "x = '''",
        "[a",
        "[[a]",
        "= 1",
        "x = 1 ]",
        "\\",
        "x = [1}\n" + "a." * 99,
    ):
        check_text(text)
        with pytest.raises(BadScenario):
            parse(text)


def test_a_heading_within_a_row_is_found_below_that_row() -> None:
    text = library()[11].text
    lines = text.splitlines()
    for name in library()[11].variants:
        line = line_of(text, f"variants.{name}.set")
        assert line is not None
        above = "\n".join(lines[:line]).rpartition("[[variants]]")[2]
        assert f'name = "{name}"' in above
        assert lines[line - 1].startswith(("[variants.set]", "set ="))


def test_a_row_is_found_by_its_name_and_by_its_number() -> None:
    text = """[[a]]
x = 1
[[b]]

name = "first"  # of two
x = [
  ["1"],
]
[[a]]
x = 2
[ c . "d" ] # end
"e" = 1
"""
    expected = {"a.0": 1, "a.1.x": 10, "b.first": 3, "b.first.x.0": 6, "c.d.e": 12, "c.d.z": 11, "z": None}
    assert {place: line_of(text, place) for place in expected} == expected


def test_a_variant_that_sets_what_no_document_has_is_a_mistake_at_its_line() -> None:
    text = 'id = "x"\n[title]\nen = "a"\nzh-Hans = "b"\n[[variants]]\nname = "v"\ntitle = { en = "a", zh-Hans = "b" }\n'
    for path in (
        "__class__.__init__",
        "producers.p1.settings.retries",
        "",
        ".",
        "a" * 9,
        "title.en.x",
        "topics.x",
    ):
        document = parse(f'{text}set = {{ "{path}" = 1 }}')
        [bad] = mistakes(document, text=f'{text}set = {{ "{path}" = 1 }}')
        assert bad.place.startswith("variants.v.set")
        assert bad.line == 8
        assert bad.wrong and bad.allowed


def test_a_path_that_leads_too_deep_is_refused() -> None:
    with pytest.raises(BadScenario, match="levels"):
        load({"id": "x", "title": {"en": "a", "zh-Hans": "b"}}, settings={"a." * PARTS: 1})
