"""Defaults for a machine without settings: a secret key and the address of a Redis server, both belonging to
the data folder."""

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

from eosviz.launch.private_folder import private_folder

# The operating system stores the path of a socket in 108 bytes on Linux and 104 on macOS, including the final
# zero byte.
SOCKET_PATH_BYTES_MAX = 103


def embedded_redis_socket(data_dir: Path) -> Path:
    """The path of the socket on which this data folder's own Redis-compatible server listens: inside the
    folder or, if that path is too long for a socket, below the system's temporary folder."""
    socket = data_dir / "run" / "redis.sock"
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES_MAX:
        return socket
    name = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"eosviz-{os.getuid()}-{name}" / "redis.sock"


def embedded_redis_url(data_dir: Path) -> str:
    """The address of this data folder's own Redis-compatible server. Raises Problem as `private_folder`
    does."""
    socket = embedded_redis_socket(data_dir)
    if data_dir not in socket.parents:
        private_folder(socket.parent)
    return f"unix://{socket}"


def kombu_url(redis_url: str) -> str:
    """A Redis address in the spelling of kombu, Celery's message library."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def embedded_secret_key(data_dir: Path) -> str:
    """The secret key of this data folder. It is made on first use, in a file that only this user can read."""
    path = data_dir / "secret_key"
    if not path.exists():
        draft = data_dir / f"secret_key.{os.getpid()}"
        try:
            draft.touch(mode=0o600)
            draft.write_text(secrets.token_urlsafe(64))
            # If two processes start at the same time, the first one's link stays, and both read that file.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text()
