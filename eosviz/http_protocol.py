"""uvicorn's HTTP protocol with a bound on what of a connection is kept in memory beside bodies, which the library keeps
whatever its size.

`eosviz/head_limit.py` refuses in words what is a little too long; what never ends is cut off here.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_CUT = 256 * 1024
WAITING_MAX = 16
"""Requests of one connection that wait behind the one that is answered. No browser sends one before the answer."""


class TooManyWaitError(Exception):
    """More requests than WAITING_MAX came before the first was answered."""


class BoundedHead(HttpToolsProtocol):
    """Ends a connection over which more than HEAD_BYTES_CUT came and no body: a head without an end, the same behind a
    body, or names of its pieces; or over which too many requests came at once. What follows a body is no part of the
    head: the library would add it to headers that were looked at already.
    """

    _bytes_without_body = 0
    _is_in_head = True
    _has_moved = False

    def data_received(self, data: bytes) -> None:
        self._has_moved = False
        super().data_received(data)
        self._bytes_without_body = 0 if self._has_moved else self._bytes_without_body + len(data)
        if self._bytes_without_body > HEAD_BYTES_CUT and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        if len(self.pipeline) >= WAITING_MAX:
            # The parser ends here; uvicorn answers 400 and closes.
            raise TooManyWaitError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_head = self._has_moved = True
        super().on_message_complete()
