from django.apps import AppConfig


class WorkshopConfig(AppConfig):
    name = "eosviz.workshop"
