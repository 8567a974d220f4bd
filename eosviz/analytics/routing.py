"""The WebSocket address of an analysis; `eosviz.asgi` serves it."""

from django.urls import URLPattern, URLResolver, path

from eosviz.analytics.live import AnalysisConsumer

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/analytics/<uuid:job_id>/", AnalysisConsumer.as_asgi()),
]
