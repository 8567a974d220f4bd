"""Responses of Django's test client: their type, which only django-stubs has a name for, and streamed content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
else:
    Answer = HttpResponse

__all__ = ["Answer", "streamed"]


def streamed(answer: HttpResponseBase) -> bytes:
    """The whole content of a streamed response."""
    assert isinstance(answer, StreamingHttpResponse)
    return answer.getvalue()
