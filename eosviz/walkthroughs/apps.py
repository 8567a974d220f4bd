from django.apps import AppConfig


class WalkthroughsConfig(AppConfig):
    name = "eosviz.walkthroughs"
    label = "walkthroughs"
    default_auto_field = "django.db.models.BigAutoField"
