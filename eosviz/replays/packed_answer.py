"""Makes a response of a gzipped JSON file. It is unpacked for clients that do not accept gzip. A client that
already has the file gets 304."""

from __future__ import annotations

from http import HTTPStatus
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from eosviz.replays import player_file
from eosviz.streamed import Streamed, StreamedFile


def packed_answer(request: HttpRequest, packed: bytes | BinaryIO, digest: str, kept: str) -> HttpResponseBase:
    """The file as a response. `digest`: identifies the content. `kept`: the value of Cache-Control. If
    `packed` is an open file, it is closed at the end."""
    tag = f'"{digest}"'
    if request.headers.get("If-None-Match") == tag:
        response: HttpResponseBase = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
        if not isinstance(packed, bytes):
            packed.close()
    elif "gzip" in request.headers.get("Accept-Encoding", ""):
        if isinstance(packed, bytes):
            response = HttpResponse(packed, content_type="application/json")
        else:
            response = StreamedFile(packed, content_type="application/json")
            del response["Content-Disposition"]
        response["Content-Encoding"] = "gzip"
    else:
        response = Streamed(player_file.unpack(packed), content_type="application/json")
    response["ETag"] = tag
    response["Vary"] = "Accept-Encoding"
    response["Cache-Control"] = kept
    return response
