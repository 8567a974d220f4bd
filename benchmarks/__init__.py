"""Measurements; the README says which and how. What the benchmarks share with the tests in a real browser must not
bring the tests' settings into the processes that are measured.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
