"""The web side of eosviz: the Django project and its apps. It knows `engine`, never the other way round."""

from eosviz.celery import app as celery_app

__all__ = ["celery_app"]
