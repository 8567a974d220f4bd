"""A gzipped JSON file as an answer: packed for browsers that take it so, and not at all for those that have it."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from eosviz.replays import player_file


def packed_answer(request: HttpRequest, packed: bytes, digest: str, kept: str) -> HttpResponseBase:
    """`digest` names the content, `kept` is its Cache-Control."""
    tag = f'"{digest}"'
    if request.headers.get("If-None-Match") == tag:
        response: HttpResponseBase = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
    elif "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(packed, content_type="application/json")
        response["Content-Encoding"] = "gzip"
    else:
        response = StreamingHttpResponse(player_file.unpack(packed), content_type="application/json")
    response["ETag"] = tag
    response["Vary"] = "Accept-Encoding"
    response["Cache-Control"] = kept
    return response
