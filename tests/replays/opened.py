"""Logs opened without a form, and pages that sent something followed to what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.test import Client

from eosviz.bounded.register import COMMAND_LINE
from eosviz.replays import actions
from eosviz.replays.log_options import LogOptions
from eosviz.replays.log_upload import LogFiles
from eosviz.replays.models import Replay
from tests.answers import Answer


def open_log(files: Mapping[str, bytes], owner: str) -> Replay:
    """The stored case of files (path to content)."""
    with TemporaryDirectory() as place:
        upload = LogFiles(Path(place))
        for path, content in files.items():
            upload.add(path, content)
        upload.finish()
        return actions.keep(actions.read_log(Path(place), owner, LogOptions(), COMMAND_LINE), "cases")


def followed(client: Client, response: Answer) -> Answer:
    """What the page of an upload answers, where the form led there: a redirect to the result, or a refusal."""
    if response.status_code == 302 and "/replays/uploads/" in response["Location"]:
        return client.get(response["Location"])
    return response


def analysis_of(replay: Replay) -> dict[str, Any]:
    """Of the log that it holds."""
    analysis: dict[str, Any] | None = replay.analysis
    assert analysis is not None
    return analysis
