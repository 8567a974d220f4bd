from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "eosviz.pipeline"
    label = "pipeline"
    default_auto_field = "django.db.models.BigAutoField"
