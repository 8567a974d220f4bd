"""Types of requests with attributes that a middleware sets. `HttpRequest` does not declare them, or declares
them with a wider type."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

    from eosviz.accounts.models import User


class HtmxRequest(HttpRequest):
    """Any request of the site: `django_htmx.middleware.HtmxMiddleware` gives each one the attribute
    `htmx`."""

    htmx: HtmxDetails


class SignedInRequest(HtmxRequest):
    """The request of a view behind `login_required`."""

    user: User


def is_signed_in(request: HttpRequest) -> TypeGuard[SignedInRequest]:
    return request.user.is_authenticated


def user_of(request: HttpRequest) -> User:
    """The account of a request. Raises PermissionDenied if the visitor is anonymous."""
    if not is_signed_in(request):
        raise PermissionDenied
    return request.user
