"""uvicorn's HTTP protocol with a bound on the head of a request, which the library keeps in memory whatever its size.

`eosviz/head_limit.py` refuses in words what is a little too long; what never ends is cut off here.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_CUT = 256 * 1024


class BoundedHead(HttpToolsProtocol):
    """Ends a connection whose head is longer than HEAD_BYTES_CUT."""

    _bytes_of_head = 0
    _in_head = True

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._in_head:
            self._bytes_of_head += len(data)
            if self._bytes_of_head > HEAD_BYTES_CUT and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._bytes_of_head = True, 0
        super().on_message_complete()
