"""`{% session_items sessions %}`: the items of the list of the visitor's own sessions. They are rendered in
Python because a template would take longer."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.catalogue import say as sentence
from eosviz.scenarios.templatetags.words import minute
from eosviz.walkthroughs.models import SessionLine

register = template.Library()

_ANY = UUID(int=0)
_ITEM = """<li class="session">
<a href="{address}"><b>{scenario}</b> {title}</a>{variant}
<span class="quiet num">{steps} · {branches} · <time datetime="{at}">{made}</time></span>
<button class="small" form="delete-session" formaction="{deletion}" aria-label="{label}">{delete}</button>
</li>
"""
"""The HTML of one item. `variant` is replaced by an element or nothing, every other placeholder by text that
is safe in HTML."""


@register.simple_tag
def session_items(sessions: Iterable[SessionLine]) -> SafeString:
    """The list's items as HTML. `sessions`: rows of `Session.objects.….lines()`. The items' buttons belong to
    the form `delete-session`, which the page must have."""
    language = language_of(get_language())
    # The addresses of all items differ only in the id, so `reverse` is called once for each kind of address.
    addresses = [reverse(f"walkthroughs:{name}", args=[_ANY]) for name in ("player", "delete")]
    address, deletion = ("{}".join(map(escape, one.split(str(_ANY)))) for one in addresses)
    delete = escape(sentence("library.delete", language))

    @lru_cache(maxsize=1000)
    def worded(key: str, name: str, number: int) -> str:
        return escape(sentence(key, language, {name: number}))

    def item(session: SessionLine) -> str:
        made = minute(session.created)
        about = {"scenario": session.scenario, "when": made}
        return _ITEM.format(
            address=address.format(session.id),
            deletion=deletion.format(session.id),
            scenario=escape(session.scenario),
            title=escape(session.title.get(language, "")),
            variant=f'\n<span class="tag">{escape(session.variant)}</span>' if session.variant else "",
            steps=worded("library.session_steps", "newest", session.newest),
            branches=worded("library.session_branches", "branch_count", session.branch_count),
            at=session.created.isoformat(timespec="minutes"),
            made=made,
            label=escape(sentence("library.delete_session", language, about)),
            delete=delete,
        )

    return mark_safe("".join(map(item, sessions)))
