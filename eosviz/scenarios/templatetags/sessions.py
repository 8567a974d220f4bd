"""`{% session_items sessions %}`: the items of the list of one's own sessions.

Written here and not in a template, because there may be a thousand of them: the template language takes four times as
long for the same words.
"""

from collections.abc import Iterable
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from eosviz.catalogue import language_of
from eosviz.catalogue import say as sentence
from eosviz.scenarios.templatetags.words import minute
from eosviz.walkthroughs.models import Session

register = template.Library()

_ANY = UUID(int=0)
_ITEM = """<li class="session">
<a href="{address}"><b>{scenario}</b> {title}</a>{variant}
<span class="quiet num">{steps} · {branches} · <time datetime="{made}Z">{made}</time></span>
<button class="small" form="delete-session" formaction="{deletion}" aria-label="{label}">{delete}</button>
</li>
"""


@register.simple_tag
def session_items(sessions: Iterable[Session]) -> SafeString:
    """Of `Session.objects.with_newest()`. The button belongs to a form `delete-session` of the page."""
    language = language_of(get_language())
    # Looked up once: the address of each differs in its id alone.
    address, deletion = (reverse(f"walkthroughs:{name}", args=[_ANY]) for name in ("player", "delete"))
    delete = sentence("library.delete", language)

    def item(session: Session) -> SafeString:
        key, scenario, made = str(session.id), session.version.identifier, minute(session.created)
        branches = {"branch_count": session.branch_count}  # type: ignore[attr-defined]
        return format_html(
            _ITEM,
            address=address.replace(str(_ANY), key),
            deletion=deletion.replace(str(_ANY), key),
            scenario=scenario,
            title=session.title.get(language, ""),
            variant=format_html('\n<span class="tag">{}</span>', session.variant) if session.variant else "",
            steps=sentence("library.session_steps", language, {"newest": session.newest}),  # type: ignore[attr-defined]
            branches=sentence("library.session_branches", language, branches),
            made=made,
            label=sentence("library.delete_session", language, {"scenario": scenario, "when": made}),
            delete=delete,
        )

    return mark_safe("".join(map(item, sessions)))
