"""Measurements of the product; `README.md` lists them and says how each is made. Some benchmarks import browser
helpers of the tests; these helpers must not bring the tests' settings into the processes that are measured.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
