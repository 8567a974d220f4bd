"""Defaults of a machine without settings: a key and a Redis address that belong to its data folder."""

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

from eosviz.launch.private_folder import private_folder

# The operating system stores a socket's address in 108 bytes on Linux and 104 on macOS, including the final
# zero.
SOCKET_PATH_BYTES_MAX = 103


def embedded_redis_socket(data_dir: Path) -> Path:
    """The socket of the embedded Redis-compatible server of this data folder: inside it or, if the path is
    too long for a socket, below the system's temporary folder."""
    socket = data_dir / "run" / "redis.sock"
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES_MAX:
        return socket
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"eosviz-{os.getuid()}-{name}" / "redis.sock"


def embedded_redis_url(data_dir: Path) -> str:
    """The server's address. Raises Problem as `private_folder` does."""
    socket = embedded_redis_socket(data_dir)
    if data_dir not in socket.parents:
        private_folder(socket.parent)
    return f"unix://{socket}"


def kombu_url(redis_url: str) -> str:
    """The address as Celery's message library, kombu, spells it."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def embedded_secret_key(data_dir: Path) -> str:
    """The key of this data folder, made on first use and readable by this user alone."""
    path = data_dir / "secret_key"
    if not path.exists():
        draft = data_dir / f"secret_key.{os.getpid()}"
        try:
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(64))
            # Two processes may start together: the first link is kept, and both read it.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text()
