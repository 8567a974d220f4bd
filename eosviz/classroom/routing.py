"""The WebSocket address of a class's results; `eosviz.asgi` serves it."""

from django.urls import URLPattern, URLResolver, path

from eosviz.classroom.live import ResultsConsumer

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/classes/<uuid:classroom_id>/", ResultsConsumer.as_asgi()),
]
