"""Makes `.venv`, with uv if possible, otherwise with venv and pip. The site needs `requirements.txt`. Tests,
benchmarks and linters also need `tests/requirements.txt`."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from eosviz.launch.commands import attempt, install_debian_package, is_debian_root, require, say
from eosviz.launch.places import BOOTSTRAP, ENVIRONMENT, ROOT, environment_python
from eosviz.launch.problem import Problem
from eosviz.launch.stamps import digest_of, is_fresh, stamp, unstamp
from eosviz.launch.storage import require_room

UV_VERSION = "0.13.8"
PYTHON_VERSION_MIN = (3, 11)
REQUIREMENTS = ROOT / "requirements.txt"
TOOLS = ROOT / "tests" / "requirements.txt"
ENVIRONMENT_BYTES = 2_500_000_000  # measured: 1.5 GB after installing; unpacking needs the rest


def prepare_environment(with_tools: bool = False) -> None:
    """Install the site's pinned requirements into `.venv`, unless they are there; with `with_tools` also the
    tools of tests and linters. Raises Problem if this is impossible."""
    if sys.version_info < PYTHON_VERSION_MIN:
        raise Problem(
            f"Python {sys.version.split()[0]} is too old: install Python 3.11 or newer"
            " and name it: make PYTHON=python3.11"
        )
    needed, everything = (REQUIREMENTS,), (REQUIREMENTS, TOOLS)
    wanted = everything if with_tools else needed
    # Tools that are already installed stay: the site also runs with them.
    enough = (everything,) if with_tools else (needed, everything)
    if any(is_fresh(ENVIRONMENT, digest_of(files)) for files in enough) and environment_works():
        return
    require_room(ROOT, ENVIRONMENT_BYTES, "the environment")
    size = "1.5 GB" if with_tools else "1.1 GB"
    say(f"Making the environment in .venv ({size}, once) …")
    if ENVIRONMENT.exists() and not environment_works():
        shutil.rmtree(ENVIRONMENT)
    if ENVIRONMENT.exists():
        unstamp(ENVIRONMENT)
    install([word for file in wanted for word in ("-r", file)])
    stamp(ENVIRONMENT, digest_of(wanted))


def environment_works() -> bool:
    """Whether the Python of `.venv` runs. It does not if the Python from which `.venv` was made no longer
    exists."""
    return environment_python().exists() and attempt([environment_python(), "-c", ""])[0]


def install(wanted: Sequence[str | Path]) -> None:
    """Install requirements into `.venv`, which is made if it is missing. `wanted`: the requirements, or `-r`
    and a file of requirements."""
    uv = find_uv()
    if uv is not None:
        if install_with_uv(uv, wanted):
            return
        # uv does not read pip's configuration. If that names a mirror of the package index, pip may still
        # find the packages.
        say("uv could not install the requirements; trying pip …")
    if not ENVIRONMENT.exists():
        create_with_venv()
    if not attempt([environment_python(), "-m", "pip", "--version"])[0]:
        require([environment_python(), "-m", "ensurepip"], "delete .venv and try again")
    require(
        [
            environment_python(),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            *wanted,
        ],
        "check the network (and pip's configuration, where packages come from a mirror), then try again",
    )


def find_uv() -> Path | None:
    """The path of uv: an installed one, or the one in `.bootstrap`, which is put there with pip if it is
    missing. None if pip fails."""
    if found := shutil.which("uv"):
        return Path(found)
    local = BOOTSTRAP / "bin" / "uv"
    if not local.exists():
        pip = (sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check")
        attempt([*pip, "--target", BOOTSTRAP, f"uv=={UV_VERSION}"])
    return local if local.exists() else None


def install_with_uv(uv: Path, wanted: Sequence[str | Path]) -> bool:
    if (
        not ENVIRONMENT.exists()
        and not attempt([uv, "venv", "-q", "--python", sys.executable, ENVIRONMENT])[0]
    ):
        return False
    return attempt([uv, "pip", "install", "-q", "--python", environment_python(), *wanted])[0]


def create_with_venv() -> None:
    """Make `.venv` with Python's own venv; on Debian the package that it needs is installed first, if
    necessary. Raises Problem if this is impossible."""
    command: Sequence[str | Path] = [sys.executable, "-m", "venv", ENVIRONMENT]
    if attempt(command)[0]:
        return
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if not is_debian_root():
        raise Problem(
            f"this Python cannot make environments: run  sudo apt-get install {package}  and try again"
        )
    say(f"Installing Debian's {package} …")
    if not install_debian_package(package):
        raise Problem(f"apt-get could not install {package}: run  apt-get install {package}  to see why")
    require(command, f"python3 -m venv does not work even with {package}; delete .venv and try again")
