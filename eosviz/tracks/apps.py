from django.apps import AppConfig


class TracksConfig(AppConfig):
    name = "eosviz.tracks"
    label = "tracks"
    default_auto_field = "django.db.models.BigAutoField"
