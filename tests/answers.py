"""The type of the responses of Django's test client, which only django-stubs names, and reading of streamed
responses.
"""

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
    """Return the whole content of a streamed response."""
    assert isinstance(answer, StreamingHttpResponse)
    return answer.getvalue()
