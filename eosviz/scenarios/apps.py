from django.apps import AppConfig


class ScenariosConfig(AppConfig):
    name = "eosviz.scenarios"
    label = "scenarios"
    default_auto_field = "django.db.models.BigAutoField"
