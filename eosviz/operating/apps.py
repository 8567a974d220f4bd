from django.apps import AppConfig


class OperatingConfig(AppConfig):
    name = "eosviz.operating"
    label = "operating"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from eosviz.operating import naming, worker_signals

        worker_signals.connect()
        naming.name_everything()
