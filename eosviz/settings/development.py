"""The settings of `make run` and `python manage.py …` on one machine. No variable of the environment is needed."""

from eosviz.settings.base import *  # noqa: F403
from eosviz.settings.base import env

DEBUG = env.bool("EOSVIZ_DEBUG", False)

# The bundle is served from where it was built; a rebuild shows on the next load.
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = True
SERVESTATIC_MAX_AGE = 0
