"""`import_session FILE`: checks a replay file, runs its scenario again, and stores the replay."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.urls import reverse

from eosviz.catalogue import say
from eosviz.operating.needed_tables import TablesCommand
from eosviz.replays.actions import import_replay
from eosviz.replays.refusal import ReplayRefused


class Command(TablesCommand):
    help = "Read a replay file (docs/replay-format.md), run it again and keep it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["file"]
        try:
            with open(path, "rb") as file:
                replay = import_replay(file, owner="")
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}; give a file that export_session made") from error
        except ReplayRefused as refused:
            raise CommandError(f"{path}: {refused}") from refused
        self.stdout.write(say(replay.sentence_key, "en", replay.sentence_params))
        self.stdout.write(reverse("replays:play", args=[replay.id]))
