"""Opens logs without the form, and follows redirects to the result of an upload."""

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
    """Open these files (path → content) as a log, and store the case. Returns its replay."""
    with TemporaryDirectory() as place:
        upload = LogFiles(Path(place))
        for path, content in files.items():
            upload.add(path, content)
        upload.finish()
        return actions.keep(actions.read_log(Path(place), owner, LogOptions(), COMMAND_LINE), "cases")


def followed(client: Client, response: Answer) -> Answer:
    """Return the page with the result or refusal of an upload if the response redirects to it; otherwise, the
    response itself.
    """
    if response.status_code == 302 and "/replays/uploads/" in response["Location"]:
        return client.get(response["Location"])
    return response


def analysis_of(replay: Replay) -> dict[str, Any]:
    """Return the analysis of the log in this replay."""
    analysis: dict[str, Any] | None = replay.analysis
    assert analysis is not None
    return analysis
