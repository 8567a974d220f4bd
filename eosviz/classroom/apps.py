from django.apps import AppConfig

from eosviz.right_changes import any_change_ends, deleting_ends
from eosviz.rights import of_class, of_owner


class ClassroomConfig(AppConfig):
    name = "eosviz.classroom"
    label = "classroom"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from eosviz.classroom.judged_versions import judges
        from eosviz.classroom.kinds import kinds
        from eosviz.classroom.models import Assignment, Classroom, Membership
        from eosviz.scenarios.visibility import add_exemption

        Assignment._meta.get_field("kind").choices = [(kind.name, kind.name) for kind in kinds()]
        add_exemption(judges)
        deleting_ends(Classroom, lambda classroom: of_class(classroom.pk))
        any_change_ends(Membership, lambda membership: of_owner(membership.user.owner_key))
