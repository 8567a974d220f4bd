"""uvicorn's HTTP protocol with a limit on the memory of each connection; the memory of bodies does not count.
`eosviz/head_limit.py` refuses a complete head that is too long; this module closes the connection if a head
does not end."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_CUT = 256 * 1024
WAITING_MAX = 16
"""The largest number of requests of one connection that wait until an earlier one is answered. Browsers send
the next request only after the answer."""


class TooManyWaitError(Exception):
    """More than WAITING_MAX requests would wait."""


class BoundedHead(HttpToolsProtocol):
    """Closes a connection that sends more than HEAD_BYTES_CUT bytes in a row that belong to no body, or too
    many requests at once."""

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
            # The exception stops the parser; uvicorn then answers 400 and closes the connection.
            raise TooManyWaitError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_head = self._has_moved = True
        super().on_message_complete()
