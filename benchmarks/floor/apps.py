from django.apps import AppConfig


class FloorConfig(AppConfig):
    name = "benchmarks.floor"
    label = "floor"
