from django.apps import AppConfig


class AudienceConfig(AppConfig):
    name = "eosviz.audience"
    label = "audience"
    default_auto_field = "django.db.models.BigAutoField"
