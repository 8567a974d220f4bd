"""uvicorn's HTTP protocol with a bound on the memory of a connection outside bodies. `eosviz/head_limit.py`
refuses a head that is somewhat too long; this module closes the connection if a head does not end."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_CUT = 256 * 1024
WAITING_MAX = 16
"""At most this many requests of a connection wait until an earlier one is answered. Browsers send no further request
before that."""


class TooManyWaitError(Exception):
    """More than WAITING_MAX requests would wait."""


class BoundedHead(HttpToolsProtocol):
    """Closes a connection that received more than HEAD_BYTES_CUT in a row outside bodies, or too many
    requests at once."""

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
            # The parser stops here; uvicorn answers 400 and closes.
            raise TooManyWaitError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_moved = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_in_head = self._has_moved = True
        super().on_message_complete()
