"""The settings of `make run` and `python manage.py …` on one machine. No environment variable needs to be
set."""

from eosviz.settings.base import *  # noqa: F403
from eosviz.settings.base import env

DEBUG = env.bool("EOSVIZ_DEBUG", False)

# The front end is served from the folder in which it was built, so that a page loaded after a new build uses
# it.
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = True
SERVESTATIC_MAX_AGE = 0
