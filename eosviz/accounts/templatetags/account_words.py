"""What the account's pages say about this installation."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mail_is_kept() -> bool:
    """True without a mail server: mails are files for the operator (`manage.py mail`)."""
    return not settings.EMAIL_URL
