"""What the account's pages say about this installation."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mail_is_kept() -> bool:
    """True if there is no mail server, so that mails become files for the operator (`manage.py mail`)."""
    return not settings.EMAIL_URL
