"""The browser that the tests and the benchmarks drive: one that is installed, never one of their own."""

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
MACOS_PROGRAMS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
INSTALL_REMEDY = "install chromium (Debian: apt-get install chromium) or set EOSVIZ_BROWSER to its program"


def find_browser() -> Path | None:
    if named := os.environ.get("EOSVIZ_BROWSER"):
        return Path(named)
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    return next((program for program in MACOS_PROGRAMS if program.exists()), None)


def browser_options() -> Sequence[str]:
    """A browser that only shows what it is asked to: no updates, no reports, no first-run pages."""
    quiet = (
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    )
    # Chromium's sandbox refuses to start as root.
    as_root = sys.platform == "linux" and os.geteuid() == 0
    return (*quiet, "--no-sandbox") if as_root else quiet
