"""The WebSocket addresses of stepping; `eosviz.asgi` serves them."""

from django.urls import URLPattern, URLResolver, path

from eosviz.walkthroughs.consumer import SessionConsumer
from eosviz.walkthroughs.follower import FollowerConsumer

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/sessions/<uuid:session_id>/", SessionConsumer.as_asgi()),
    path("ws/follow/<uuid:token>/", FollowerConsumer.as_asgi()),
]
