#!/usr/bin/env python
"""Django's command line for eosviz."""

import os
import sys

OF_DJANGO = ("--settings", "--pythonpath", "--traceback", "--verbosity", "-v", "--no-color", "--force-color")
"""Options that only Django understands."""


def main(arguments: list[str]) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
    if arguments[1:2] == ["logs"] and not any(one.startswith(OF_DJANGO) for one in arguments):
        # The command needs nothing of Django, and starting Django takes longer than reading a large log.
        from eosviz.replays.logs_command import main as logs

        return logs(arguments[2:])
    from django.core.management import execute_from_command_line

    execute_from_command_line(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
