"""`manage.py remake_replay_files`: makes the replay files of imported sessions that earlier releases stored
without their file."""

from typing import Any

from eosviz.operating.needed_tables import TablesCommand
from eosviz.replays.remaking import remake, without_file


class Command(TablesCommand):
    help = (
        "Make the replay files of imported sessions again that an earlier version did not keep, from what is stored,"
        " and only where their digests prove that nothing differs. May be stopped and called again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        keys = list(without_file().values_list("pk", flat=True))
        made = 0
        for key in keys:
            replay = without_file().filter(pk=key).first()
            if replay is None:
                continue  # It was deleted, or another call of the command has made its file.
            if remake(replay):
                made += 1
            else:
                self.stdout.write(
                    f"{replay}: its scenario is not among the stored documents; import it again"
                )
        self.stdout.write(f"{made} of {len(keys)} made again")
