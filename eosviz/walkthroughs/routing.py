"""The WebSocket addresses of stepping; `eosviz.asgi` serves them."""

from django.urls import URLPattern, URLResolver

websocket_urlpatterns: list[URLPattern | URLResolver] = []
