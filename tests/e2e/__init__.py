"""Tests in a real browser. Their shared modules must need no settings: `make gallery` runs them as a program."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.test")
