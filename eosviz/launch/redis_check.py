"""Checks, before anything is started, that the Redis of REDIS_URL can be used: without it the site would
never be ready."""

import contextlib
import socket
import threading
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit

from eosviz.launch.problem import Problem

ANSWER_SECONDS_MAX = 2.0
PORT = 6379
SCHEMES = ("redis", "rediss", "unix")


def require_redis(environment: Mapping[str, str]) -> None:
    """Raises Problem if the Redis of REDIS_URL cannot be used."""
    url = environment.get("REDIS_URL")
    if not url:
        return
    found: list[str] = []
    # The lookup of a host name has no timeout of its own, so the check runs in another thread.
    asking = threading.Thread(target=lambda: found.append(complaint(url)), daemon=True)
    asking.start()
    asking.join(ANSWER_SECONDS_MAX + 0.5)
    wrong = found[0] if found else f"no answer within {ANSWER_SECONDS_MAX:g} s"
    if wrong:
        raise Problem(
            f"the Redis at {without_password(url)} cannot be used ({wrong}):"
            " start it, correct REDIS_URL, or unset REDIS_URL to use the embedded server"
        )


def without_password(url: str) -> str:
    """The address without its password."""
    try:
        password = urlsplit(url).password
    except ValueError:
        return "REDIS_URL"
    return url.replace(f":{password}@", ":…@") if password else url


def complaint(url: str) -> str:
    """Why the Redis at this address cannot be used; empty if it can. With rediss:// only the connection is
    tested."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:
            return "an address begins with redis://, rediss:// or unix://"
        with contextlib.closing(connect(parts)) as connection:
            if parts.scheme == "rediss":
                return ""  # The server listens; clients check the rest over TLS.
            return refusal(connection, parts)
    except TimeoutError:
        return f"no answer within {ANSWER_SECONDS_MAX:g} s"
    except OSError as error:
        return error.strerror or str(error)
    except ValueError as error:
        return str(error)


def connect(parts: SplitResult) -> socket.socket:
    if parts.scheme != "unix":
        return socket.create_connection(
            (parts.hostname or "localhost", parts.port or PORT), ANSWER_SECONDS_MAX
        )
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(ANSWER_SECONDS_MAX)
    try:
        connection.connect(unquote(parts.path))
    except OSError:
        connection.close()
        raise
    return connection


def refusal(connection: socket.socket, parts: SplitResult) -> str:
    """Redis's error text if it refuses the password or a PING; empty if it accepts them."""
    if parts.password:
        words = [unquote(word) for word in (parts.username, parts.password) if word]
        reply = answer(connection, "AUTH", *words)
        if not reply.startswith("+"):
            return reply.lstrip("-")
    reply = answer(connection, "PING")
    # LOADING is no refusal: the server accepts commands once it has loaded its data.
    return "" if reply.startswith(("+", "-LOADING")) else reply.lstrip("-") or "it closed the connection"


def answer(connection: socket.socket, *words: str) -> str:
    """Send a command, and return the first line of the reply."""
    encoded = [word.encode() for word in words]
    lines = [b"*%d" % len(encoded), *(line for word in encoded for line in (b"$%d" % len(word), word)), b""]
    connection.sendall(b"\r\n".join(lines))
    return connection.recv(512).decode(errors="replace").split("\r\n")[0]
