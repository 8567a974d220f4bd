"""What the account's pages say about this installation."""

from __future__ import annotations

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def mail_is_kept() -> bool:
    """No mail server is set: what would be sent is kept in files for the operator (`manage.py mail`)."""
    return not settings.EMAIL_URL
