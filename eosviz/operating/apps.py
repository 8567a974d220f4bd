from django.apps import AppConfig


class OperatingConfig(AppConfig):
    name = "eosviz.operating"
    label = "operating"
    default_auto_field = "django.db.models.BigAutoField"
