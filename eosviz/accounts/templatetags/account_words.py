"""Tags of the account's pages."""

from __future__ import annotations

from django import template
from django.conf import settings
from django.forms import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def mail_is_kept() -> bool:
    """True if there is no mail server. Mails are then kept as files for the operator (`manage.py mail`)."""
    return not settings.EMAIL_URL


@register.filter
def in_view(field: BoundField) -> SafeString:
    """The field as HTML. It gets the focus if it is the first field of its form with an error."""
    wrong = next((one.name for one in field.form.visible_fields() if one.errors), None)
    return field.as_widget(attrs={"autofocus": True} if field.name == wrong else None)
