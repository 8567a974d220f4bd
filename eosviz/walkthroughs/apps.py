from django.apps import AppConfig

from eosviz.right_changes import deleting_ends
from eosviz.rights import of_session


class WalkthroughsConfig(AppConfig):
    name = "eosviz.walkthroughs"
    label = "walkthroughs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from eosviz.walkthroughs.models import Presentation, Session

        deleting_ends(Session, lambda session: of_session(session.pk))
        deleting_ends(Presentation, lambda presentation: of_session(presentation.session_id))
