"""What Django's test client answers: the type, which django-stubs alone names, and the content in pieces."""

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
    """The whole content of one that is sent in pieces."""
    assert isinstance(answer, StreamingHttpResponse)
    return answer.getvalue()
