from django.apps import AppConfig


class ClassroomConfig(AppConfig):
    name = "eosviz.classroom"
    label = "classroom"
    default_auto_field = "django.db.models.BigAutoField"
