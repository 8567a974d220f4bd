"""`python manage.py load_library`: loads the engine's scenarios as the library of this database."""

from typing import Any

from eosviz.operating.needed_tables import TablesCommand
from eosviz.scenarios.actions import load_library


class Command(TablesCommand):
    help = "Make the engine's scenario documents the library. `migrate` does it too."

    def handle(self, *args: Any, **options: Any) -> None:
        held, new = load_library()
        self.stdout.write(f"{held} scenarios in the library, {new} of them new")
