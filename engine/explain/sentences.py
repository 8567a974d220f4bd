"""Sentences by key (format in docs/frame.md).

A text may have these slots:

- ``{name}`` is a parameter.
- ``{count:record|records}`` is a number with the word in singular or plural.
- ``{name@prefix}`` is a parameter whose value is a name of the engine. Its text is the catalogue's entry
  ``prefix.value`` (``prefix.–`` without a value).
- ``{name} ms`` is a duration or a moment (`MOMENTS`): in milliseconds below 10 s, then in seconds, exact and with at
  least two decimals. A duration of whole seconds is always written in seconds. From a minute on, a duration has
  minutes, hours and days, and a moment is written as a clock writes it.
- ``第 {name} ms`` becomes ``t = {name} ms`` from a minute on: 第 1 分钟 would be the first minute.
- ``{name} UTC`` is the date and the time of milliseconds since 1970.

A parameter may itself be a sentence: ``{"key": …, "params": …}``. The player fills in texts by the same rules
(static/player/text.ts); tests hold both to the same cases.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

LANGUAGES = ("en", "zh-Hans")
_RANGE = re.compile(r"\{([a-z_0-9]+)\}–\{([a-z_0-9]+)\}")
_SLOT = re.compile(
    r"\{([a-z_0-9]+)(?:@([a-z_.]+)|:([^{}|]*)\|([^{}|]*))?\}"
    r"((?: ms| 毫秒| UTC)(?![A-Za-z]))?( (?=[\u3400-\u9fff]))?"
)
_END = "end"
"""The prefix in a slot for one end of a message or connection, as in ``{source@end}``."""
_CONNECTION = "connection"
_OTHER_END = {"source": "destination", "destination": "source", "from": "to", "to": "from"}
_NTH = re.compile(r"([\u3400-\u9fff]?)第 (?=\{([a-z_0-9]+)\} ms)")
_CHINESE = re.compile("[\u3400-\u9fff]")
"""Chinese characters. A text that contains one joins lists with the Chinese comma."""
_CHINESE_BETWEEN = "、"
_CHINESE_END = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uff5e]$")
_UTC = " UTC"
MOMENTS = frozenset({"at", "due", "from", "sent_at", "since", "started_at", "until"})
"""The parameters that hold a moment of the run. All other parameters before `ms` hold a duration."""
_SECOND_MS = 1000
_MILLISECONDS_BELOW = 10_000
_LONG_MOMENT_MS = 60_000
"""A moment of at least this many milliseconds is written as a clock writes it."""
_UNITS = (("duration.days", 86_400_000), ("duration.hours", 3_600_000), ("duration.minutes", 60_000))
_SECONDS = "duration.seconds"


@dataclass(frozen=True, slots=True)
class Sentence:
    """The sentence of one key: its text in both languages, and the class and method of Kafka that it describes."""

    en: str
    zh: str
    source: str | None = None

    def text(self, language: str) -> str:
        return self.zh if language == "zh-Hans" else self.en

    def slots(self, language: str) -> set[str]:
        """The parameters that the text in this language uses."""
        return {found.group(1) for found in _SLOT.finditer(self.text(language))}


def read_catalogue(files: Iterable[tuple[str, str]]) -> dict[str, Sentence]:
    """Sentences by key, from catalogue files given as (name, TOML text). Raises ValueError, with the name of
    the file, for a bad or repeated key and for a text that is not TOML."""
    found: dict[str, Sentence] = {}
    for name, text in files:
        try:
            entries = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{name}: {error}") from None
        for key, entry in entries.items():
            if key in found:
                raise ValueError(f"{name}: {key} is in the catalogue twice")
            if not isinstance(entry, dict) or not entry.get("en") or not entry.get("zh-Hans"):
                raise ValueError(f"{name}: {key} needs en and zh-Hans")
            found[key] = Sentence(entry["en"], entry["zh-Hans"], entry.get("source"))
    return found


@cache
def catalogue() -> dict[str, Sentence]:
    """Every sentence of the engine."""
    folder = resources.files("engine.explain").joinpath("catalogue")
    files = sorted(
        (item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda item: item.name
    )
    return read_catalogue((item.name, item.read_text(encoding="utf-8")) for item in files)


def sentence(key: str, params: dict[str, Any], language: str = "en") -> str:
    """The sentence of a key with its parameters. An unknown key or parameter is shown in brackets."""
    known = catalogue().get(key)
    if known is None:
        return f"[{key}]"
    return fill(known.text(language), params, words_of(catalogue(), language))


def words_of(known: Mapping[str, Sentence], language: str) -> Callable[[str], str | None]:
    """A function for ``fill`` that returns the text of a key in this language, or None if there is none."""
    return lambda key: known[key].text(language) if key in known else None


def fill(text: str, params: dict[str, Any], word: Callable[[str], str | None] = lambda _: None) -> str:
    """Put parameters into a text. ``word``: a function that returns the text of a catalogue key, or None; a name
    without a text is written as it is."""

    def whole(found: re.Match[str]) -> str:
        first, last = found.groups()
        one = first in params and last in params and params[first] == params[last]
        return "{" + first + "}" if one else found.group()

    def since_the_start(found: re.Match[str]) -> str:
        before, name = found.groups()
        moment = params.get(name)
        if type(moment) is not int or moment < _LONG_MOMENT_MS:
            return found.group()
        return f"{before} t = " if before else "t = "

    between = _CHINESE_BETWEEN if _CHINESE.search(text) else ", "

    def value_of(name: str, prefix: str | None, one: str | None, many: str | None, unit: str | None) -> str:
        if name not in params:
            return f"[{name}]{unit or ''}"
        value = params[name]
        if unit == _UTC and type(value) is int:
            return f"{clock(value)}{unit}"
        if unit is not None and unit != _UTC:
            return _time(name, value, word) or f"{shown(value, between)}{unit}"
        if unit is not None:
            return f"{shown(value, between)}{unit}" if value is not None else shown(value)
        if prefix is not None and prefix.partition(".")[0] == _END:
            return _end(name, prefix, params, word)
        if prefix is not None:
            named = value if isinstance(value, list | tuple) else [value]
            return between.join(word(f"{prefix}.{shown(one)}") or shown(one) for one in named)
        if isinstance(value, Mapping) and "key" in value:
            within = word(value["key"])
            return f"[{value['key']}]" if within is None else fill(within, value.get("params", {}), word)
        if one is None:
            return shown(value, between)
        return f"{shown(value)} {one if value == 1 else many}"

    def put(found: re.Match[str]) -> str:
        *slot, space = found.groups()
        filled = value_of(*slot)
        # Chinese text has no space after a Chinese character or mark.
        return filled if space is None or _CHINESE_END.search(filled) else filled + space

    return _SLOT.sub(put, _NTH.sub(since_the_start, _RANGE.sub(whole, text)))


def _end(name: str, prefix: str, params: dict[str, Any], word: Callable[[str], str | None]) -> str:
    """The text for one end of a message or connection: the name of the actor. If both ends are in the same broker,
    the text names the role in the broker."""
    value = shown(params[name])
    other = _OTHER_END[name]
    if params.get(other) != params[name]:
        return value
    _, _, kind = prefix.partition(".")
    which = "from" if name in ("from", "source") else "to"
    of = (
        [_CONNECTION]
        if kind == _CONNECTION
        else [shown(params.get("api")), kind or shown(params.get("kind"))]
    )
    text = word(".".join((_END, *of, which)))
    return value if text is None else fill(text, {"broker": value})


def _time(name: str, milliseconds: Any, word: Callable[[str], str | None]) -> str | None:
    """A duration, such as `19.69 s` or `7 d 10 min`, or a moment, such as `20.010 s` or `1:10.495`. None if the value
    stays in milliseconds."""
    if type(milliseconds) is not int or milliseconds < _SECOND_MS or word(_SECONDS) is None:
        return None
    if milliseconds < _MILLISECONDS_BELOW and (name in MOMENTS or milliseconds % _SECOND_MS):
        return None
    if name in MOMENTS and milliseconds >= _LONG_MOMENT_MS:
        return _moment(milliseconds, word)
    parts = []
    for key, size in _UNITS:
        count, milliseconds = divmod(milliseconds, size)
        if count:
            parts.append(fill(word(key) or "", {"count": count}))
    if milliseconds >= _SECOND_MS:
        parts.append(fill(word(_SECONDS) or "", {"count": _seconds(milliseconds, is_moment=name in MOMENTS)}))
    elif milliseconds:
        parts.append(f"{milliseconds} ms")
    return " ".join(parts)


def _seconds(milliseconds: int, *, is_moment: bool) -> str:
    """Milliseconds as seconds. All moments have three decimals (`20.010`), all durations two (`19.70`), or none if they
    are whole seconds (`30`)."""
    if is_moment:
        return f"{milliseconds / _SECOND_MS:.3f}"
    if milliseconds % _SECOND_MS == 0:
        return str(milliseconds // _SECOND_MS)
    hundredths = (milliseconds + 5) // 10
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _moment(milliseconds: int, word: Callable[[str], str | None]) -> str:
    """A moment of the run, as a clock writes it: `1:10.495` (minutes, seconds, milliseconds), `2:00:00.000`,
    or `7 d 0:10:00.000`."""
    days, left = divmod(milliseconds, _UNITS[0][1])
    hours, left = divmod(left, 3_600_000)
    minutes, left = divmod(left, 60_000)
    second = f"{left // 1000:02}.{left % 1000:03}"
    if not days and not hours:
        return f"{minutes}:{second}"
    day = f"{fill(word(_UNITS[0][0]) or '', {'count': days})} " if days else ""
    return f"{day}{hours}:{minutes:02}:{second}"


def clock(milliseconds: int) -> str:
    """UTC date and time of milliseconds since 1970: `2026-11-20 09:12:00`. (The engine does not import
    `datetime`.)"""
    seconds = milliseconds // 1000
    days, second = divmod(seconds, 86_400)
    # Years are counted from 1 March of the year 0, so that the leap day is the last day of its year.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month = month + 3 if month < 10 else month - 9
    year += era * 400 + (month <= 2)
    return f"{year:04}-{month:02}-{day:02} {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def shown(value: Any, between: str = ", ") -> str:
    """A parameter as text. ``between`` separates the items of a list. In a Chinese text, an item such as
    `t-0: broker-1` gets a Chinese colon."""
    if isinstance(value, list | tuple):
        items = (shown(item) for item in value)
        return between.join(
            item.replace(": ", "：") if between == _CHINESE_BETWEEN else item for item in items
        )
    if value is None:
        return "–"
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)
