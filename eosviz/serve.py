"""`python -m eosviz.serve DESCRIPTOR`: runs uvicorn on a listening socket that the parent process has opened.

The parent keeps the port while this process is restarted. uvicorn's own option `--fd` would take the socket
for a Unix socket, which delays small messages on TCP connections.
"""

import socket
import sys

import uvicorn

from eosviz.http_protocol import BoundedHead

GRACEFUL_SECONDS = 2
SOCKET_MESSAGE_BYTES_MAX = 1024 * 1024
"""A WebSocket is closed when it receives a longer message. A message that is only longer than
`limits.message_bytes` (docs/websocket.md) gets an error message."""


def configuration() -> uvicorn.Config:
    return uvicorn.Config(
        "eosviz.asgi:application",
        log_config=None,  # the site's own settings configure logging
        log_level="warning",
        access_log=False,
        lifespan="off",
        http=BoundedHead,
        ws_max_size=SOCKET_MESSAGE_BYTES_MAX,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    uvicorn.Server(configuration()).run(sockets=[listener])


if __name__ == "__main__":
    main()
