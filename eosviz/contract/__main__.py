"""`python -m eosviz.contract` writes the schema, from which `npm run types` generates the TypeScript
types."""

import os

import django

from eosviz.launch.places import ROOT

FILE = ROOT / "docs" / "messages.schema.json"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
    django.setup()
    # This import must follow `setup`, because its modules read the settings.
    from eosviz.contract import schema

    FILE.write_text(schema.as_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
