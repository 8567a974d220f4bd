"""A small file system that tests can fill: a tmpfs that only the test and the processes started by it can see."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# From Linux's sched.h and mount.h.
CLONE_NEWNS = 0x00020000
MS_REC = 0x4000
MS_PRIVATE = 1 << 18
MS_REMOUNT = 32
MS_RDONLY = 1
MNT_DETACH = 2
LARGE_BYTES = 64 * 2**20
SMALL_BYTES = 4096


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


@contextlib.contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """Mount a tmpfs of this size at `folder`, in a mount namespace of this thread, and yield it. It is unmounted at
    the end.

    The test is skipped, with a message, if the system does not allow this user to mount.
    """
    if sys.platform != "linux":
        pytest.skip("NOT TESTED HERE: a full disk is tested on Linux, where a test can mount one of its own")
    folder.mkdir(parents=True, exist_ok=True)
    here = os.getcwd()
    usual = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
    try:
        try:
            _call("unshare", CLONE_NEWNS)
        except OSError as error:
            pytest.skip(f"NOT TESTED HERE: a full disk needs a mount, and this user may not ({error})")
        try:
            _call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
            _call("mount", b"small", os.fsencode(folder), b"tmpfs", 0, b"size=%d" % size_bytes)
            yield folder
        finally:
            with contextlib.suppress(OSError):
                _call("umount2", os.fsencode(folder), MNT_DETACH)
            # The kernel refuses this while a thread lives that was started in here. The process then keeps a
            # namespace of its own, in which nothing is different any more.
            with contextlib.suppress(OSError):
                _call("setns", usual, CLONE_NEWNS)
                os.chdir(here)  # setns moves the thread to the root folder
    except PermissionError as error:
        pytest.skip(f"NOT TESTED HERE: a full disk needs a mount, and this user may not ({error})")
    finally:
        os.close(usual)


def read_only(disk: Path) -> None:
    """Mount a disk of `small_disk` again, so that nothing can be written to it."""
    _call("mount", None, os.fsencode(disk), None, MS_REMOUNT | MS_RDONLY, None)


def fill(folder: Path, leave_bytes: int = 0) -> Path:
    """Make a file that takes all free space but `leave_bytes`, and return its path. Remove it to make room again."""
    filler = folder / "filler"
    piece = LARGE_BYTES
    with filler.open("ab", buffering=0) as file:
        while piece >= SMALL_BYTES:
            disk = os.statvfs(folder)
            if disk.f_bavail * disk.f_frsize - leave_bytes < piece:
                piece //= 2
                continue
            with contextlib.suppress(OSError):  # other processes write, too
                os.posix_fallocate(file.fileno(), os.fstat(file.fileno()).st_size, piece)
    return filler
