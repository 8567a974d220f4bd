from django.apps import AppConfig
from django.db.models.signals import m2m_changed, post_migrate

from eosviz.right_changes import any_change_ends
from eosviz.rights import of_owner


class AccountsConfig(AppConfig):
    name = "eosviz.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from allauth.account.signals import password_reset
        from django.contrib.auth.signals import user_logged_in

        from eosviz.accounts import owning
        from eosviz.accounts.known_browsers import remember
        from eosviz.accounts.models import User
        from eosviz.accounts.ownership import take_over_browser
        from eosviz.accounts.role_changes import roles_changed
        from eosviz.accounts.roles import keep_groups

        user_logged_in.connect(take_over_browser, dispatch_uid="take over browser")
        user_logged_in.connect(remember, dispatch_uid="known browsers: signed in")
        password_reset.connect(remember, dispatch_uid="known browsers: new password")
        any_change_ends(User, lambda user: of_owner(user.owner_key))
        m2m_changed.connect(roles_changed, sender=User.groups.through, dispatch_uid="rights: roles")
        owning.load()
        # `keep_groups` is connected without a sender, so it runs after the migration of each app. It must
        # also run after the last app that has permissions.
        post_migrate.connect(keep_groups, dispatch_uid="keep groups")
