"""Template tags and filters for texts on pages, such as `{% say "library.title" count=3 %}`."""

import re
from datetime import UTC, datetime
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from engine.scenario.shelf import library
from eosviz.catalogue import language_of
from eosviz.catalogue import say as sentence
from eosviz.navigation import Group, navigation
from eosviz.quotas import REASONS
from eosviz.scenarios.choices import way_back
from eosviz.scenarios.lesson_layout import paragraphs, parts
from eosviz.time_zone import difference_to_utc

register = template.Library()


@register.simple_tag
def say(key: str, params: dict[str, Any] | None = None, /, **named: Any) -> SafeString:
    """The text of `key`. It is escaped, because a parameter may contain a user's text."""
    return conditional_escape(sentence(key, language_of(get_language()), {**(params or {}), **named}))


_NAME = re.compile(r"((?:--)?[\w.]+(?:-[\w.]*\w)+|--\w+|\b(?:epoch|PID) \d+)")
"""Matches a name, a command's option or a date with hyphens, after each of which a browser may break the line;
and a number with the word before it that says what it is."""
_LETTER_AND_MARK = re.compile(r"[^\W_][，。：；、？！）]+")
_NAME_WITH_UNDERSCORES = re.compile(r"([A-Za-z0-9]+(?:_[A-Za-z0-9]+)+[，。：；、？！）:,?]*)")
_UNDERSCORE = re.compile(r"_(?=[A-Za-z0-9]{4})")
_CLAUSE = re.compile(r"[^，：；？！]+[，：；？！]+(?!$)|[^，：；？！]+[，：；？！]*$")
LONGEST = 28
"""A name, or a word of a command, of at most this many letters is not broken into two lines."""


@register.simple_tag
def say_unbroken(key: str, params: dict[str, Any] | None = None, /, **named: Any) -> SafeString:
    """Like `say`, for headlines: a name of at most LONGEST letters is not broken into two lines, as in the
    player (static/player/unbroken.ts)."""
    return unbroken(sentence(key, language_of(get_language()), {**(params or {}), **named}))


@register.filter
def unbroken(text: str) -> SafeString:
    """A text, escaped, without line breaks inside names of at most LONGEST letters and before the number of
    an epoch."""
    parts = _NAME.split(text)
    whole = (
        (name if number % 2 == 0 or len(name) > LONGEST else format_html('<span class="nb">{}</span>', name))
        for number, name in enumerate(parts)
    )
    return format_html_join("", "{}", ((part,) for part in whole))


@register.filter
def by_words(command: str) -> SafeString:
    """A command without line breaks inside words of at most LONGEST letters."""
    words = (
        format_html('<span class="nb">{}</span>', word) if len(word) <= LONGEST else word
        for word in command.split(" ")
    )
    return format_html_join(" ", "{}", ((word,) for word in words))


@register.simple_tag
def gap() -> str:
    """What separates two sentences, and a label's colon from what follows: a space, in Chinese nothing."""
    return sentence("join.sentences", language_of(get_language()), {"first": "", "then": ""})


@register.simple_tag
def used_link(key: str) -> SafeString | str:
    """A link to the page *Your usage*, if `key` is that of a refusal because of a quota; otherwise empty."""
    if key.rpartition(".")[2] not in REASONS:
        return ""
    title = sentence("quotas.title", language_of(get_language()))
    return format_html('<p><a href="{}">{}</a></p>', reverse("accounts:used"), title)


@register.filter
def in_language(words: dict[str, str] | None) -> str:
    """The text of a bilingual value (`{"en": …, "zh-Hans": …}`) in the language of the page; empty if there
    is no value."""
    return (words or {}).get(language_of(get_language()), "")


_SCENARIO = re.compile(r"(SC-\d+)")


@register.filter
def with_scenarios(text: str) -> SafeString:
    """A text in which the names of the library's scenarios are links to their pages."""
    known = {entry.id for entry in library()}
    address = reverse("walkthroughs:new")
    pieces = (
        format_html('<a href="{}?scenario={}">{}</a>', address, part, part)
        if part in known
        else _with_code(part)
        for part in _SCENARIO.split(text)
    )
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def _with_code(text: str) -> SafeString:
    pieces = (
        format_html("<code>{}</code>", _whole(piece)) if number % 2 else breakable(piece)
        for number, piece in enumerate(parts(text))
    )
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def _whole(code: str) -> SafeString:
    words = (
        (format_html('<span class="nb">{}</span>', word) if "-" in word else word,)
        for word in code.split(" ")
    )
    return format_html_join(" ", "{}", words)


@register.filter
def in_paragraphs(text: str) -> SafeString:
    """The text of a lesson in paragraphs (`lesson_layout.py`)."""
    laid = ((kind, with_scenarios(said)) for kind, said in paragraphs(text))
    return format_html_join("", '<p class="lesson-text {}">{}</p>', laid)


@register.filter
def breakable(text: str) -> SafeString:
    """A text in which a name with underscores moves to a new line before it is broken. It may be broken only
    after an underscore, and only if at least four letters follow."""
    pieces = _NAME_WITH_UNDERSCORES.split(text)
    return format_html_join(
        "",
        "{}",
        ((_divisible(piece) if number % 2 else _with_marks(piece),) for number, piece in enumerate(pieces)),
    )


def _divisible(name: str) -> SafeString:
    return format_html(
        '<span class="divisible">{}</span>', mark_safe(_UNDERSCORE.sub("_<wbr>", escape(name)))
    )


def _with_marks(text: str) -> SafeString:
    return mark_safe(_LETTER_AND_MARK.sub(r'<span class="nb">\g<0></span>', escape(text)))


@register.filter
def in_clauses(text: str) -> SafeString:
    """A title as `breakable` makes it. A Chinese title of several clauses begins a new line between two
    clauses before it breaks one."""
    clauses = _CLAUSE.findall(text)
    if len(clauses) < 2:
        return breakable(text)
    return format_html_join(
        "", '<span class="clause">{}</span>', ((breakable(clause),) for clause in clauses)
    )


@register.filter
def minute(at: datetime) -> str:
    """A time, to the minute, in the reader's time zone, with the zone's difference to UTC."""
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M} {difference_to_utc(at)}"


@register.filter
def utc_minute(at: datetime) -> str:
    """A time, to the minute, in UTC. For mails, whose reader's time zone is not known."""
    return at.astimezone(UTC).isoformat(" ", "minutes")[:16]


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """A time as `minute` shows it, in a `<time>` element."""
    return format_html('<time datetime="{}">{}</time>', at.isoformat(timespec="minutes"), minute(at))


@register.simple_tag
def page_language() -> str:
    """The value for `<html lang>`: `en` or `zh-Hans`."""
    return language_of(get_language())


@register.simple_tag(takes_context=True)
def page_theme(context: Context) -> str:
    """The theme, `light` or `dark`; empty if the page follows the system's setting."""
    return _chosen_theme(context)


def _chosen_theme(context: Context) -> str:
    request = context.get("request")
    theme = request.COOKIES.get("theme", "") if request is not None else ""
    return theme if theme in ("light", "dark") else ""


@register.simple_tag(takes_context=True)
def page_themes(context: Context) -> list[dict[str, str]]:
    """The choices of the theme form."""
    chosen = _chosen_theme(context) or "system"
    return [
        {"name": name, "key": f"page.theme.{name}", "pressed": "true" if name == chosen else "false"}
        for name in ("system", "light", "dark")
    ]


@register.simple_tag(takes_context=True)
def page_navigation(context: Context) -> list[Group]:
    """The five words of the navigation, with the page's own place marked."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    view = context.get("belongs_to") or (match.view_name if match is not None else "")
    return navigation(getattr(request, "path", ""), view)


@register.simple_tag(takes_context=True)
def library_address(context: Context, identifier: str = "") -> str:
    """The library's address with the filters that it showed last; with `identifier`, it leads to the card of
    this scenario."""
    request = context.get("request")
    return reverse("scenarios:library") if request is None else way_back(request, identifier)


@register.simple_tag(takes_context=True)
def element_addresses(context: Context, session: Any = None) -> SafeString:
    """The attributes that give the player's elements their addresses (docs/player.md)."""
    addresses = {
        "library": library_address(context, "" if session is None else session.version.identifier),
        "compare": reverse("walkthroughs:compare"),
        "reference": reverse("reference:index"),
        "rules": "/reference/requirements/{rule}",
        "machines": "/reference/machines/{machine}.json",
        "code": reverse("reference:code_json"),
    }
    if session is not None:
        addresses["export"] = reverse("replays:export_begin", args=[session.id])
        addresses["present"] = reverse("walkthroughs:present", args=[session.id])
        addresses["share"] = reverse("replays:link", args=[session.id])
        addresses["rerun"] = reverse("walkthroughs:rerun", args=[session.id])
    return format_html_join(" ", '{}="{}"', addresses.items())
