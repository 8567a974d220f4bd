from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AccountsConfig(AppConfig):
    name = "eosviz.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from eosviz.accounts.owning import take_over_browser
        from eosviz.accounts.roles import keep_groups

        user_logged_in.connect(take_over_browser, dispatch_uid="take over browser")
        # Without a sender: once per app, so that it also runs after the app whose permissions come last.
        post_migrate.connect(keep_groups, dispatch_uid="keep groups")
