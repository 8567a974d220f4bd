from django.apps import AppConfig


class ReplaysConfig(AppConfig):
    name = "eosviz.replays"
    label = "replays"
    default_auto_field = "django.db.models.BigAutoField"
