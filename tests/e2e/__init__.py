"""Tests in a real browser. What they share is run as a program, too (`make gallery`), without settings of its own."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.test")
