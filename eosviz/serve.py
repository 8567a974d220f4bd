"""`python -m eosviz.serve DESCRIPTOR`: uvicorn on a listening socket that the parent process holds.

The parent keeps the port while this process is started again. uvicorn's own `--fd` takes every socket for a
Unix one and so leaves small messages of TCP connections waiting for the ones before them.
"""

import socket
import sys

import uvicorn

from eosviz.http_protocol import BoundedHead

GRACEFUL_SECONDS = 2
SOCKET_MESSAGE_BYTES_MAX = 1024 * 1024
"""A longer one ends its socket; one beyond `limits.message_bytes` (docs/websocket.md) is refused in words."""


def configuration() -> uvicorn.Config:
    return uvicorn.Config(
        "eosviz.asgi:application",
        log_config=None,  # the site's own settings say how lines look and where they go
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
