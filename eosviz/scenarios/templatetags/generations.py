"""Template tags for Kafka's generations.

`{% generation_name generation %}`: the generation's name, as `Kafka 4.1, older clients`. `{% changed_row row
%}`: a field of the profiles that causes a difference, whether it is the brokers' or the clients', and its
values in the generation before and in this one.
"""

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from engine.generations.deciding import Row
from engine.generations.generation import Generation
from eosviz.catalogue import language_of, say
from eosviz.language import say_here

register = template.Library()


@register.simple_tag
def generation_name(generation: Generation) -> str:
    key = "generations.name"
    if generation.clients != generation.brokers:
        key = f"{key}.newer_clients" if generation.has_newer_clients else f"{key}.older_clients"
    return say_here(key, version=generation.cluster.version)


@register.simple_tag
def changed_row(row: Row) -> SafeString:
    language = language_of(get_language())

    def value(of: object) -> str:
        return say("reference.yes" if of else "reference.no", language) if isinstance(of, bool) else str(of)

    return format_html(
        '<b>{}</b>{}{} <a class="nb" href="{}#{}"><code>{}</code></a> <span class="quiet nb">{}</span>',
        say(f"generations.row.{row.side}", language),
        say("join.colon", language),
        say(f"reference.aspect.{row.field}", language),
        reverse("reference:versions"),
        row.field,
        row.field,
        say("generations.row.from", language, {"before": value(row.before), "value": value(row.value)}),
    )
