"""The WebSocket addresses of jobs; `eosviz.asgi` serves them."""

from django.urls import URLPattern, URLResolver, path

from eosviz.pipeline.live import ShrinkConsumer, SweepConsumer

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/sweeps/<uuid:job_id>/", SweepConsumer.as_asgi()),
    path("ws/shrinks/<uuid:job_id>/", ShrinkConsumer.as_asgi()),
]
