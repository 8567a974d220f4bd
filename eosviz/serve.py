"""`python -m eosviz.serve DESCRIPTOR`: uvicorn on a listening socket that the parent process holds.

The parent keeps the port while this process is started again. uvicorn's own `--fd` takes every socket for a
Unix one and so leaves small messages of TCP connections waiting for the ones before them.
"""

import socket
import sys

import uvicorn

GRACEFUL_SECONDS = 2


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        "eosviz.asgi:application",
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
