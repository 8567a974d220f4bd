"""The WebSocket addresses for stepping through a session and for following a presentation; `eosviz.asgi`
serves them."""

from django.urls import URLPattern, URLResolver, path

from eosviz.audience.sockets import FollowerSocket, PresenterSocket

websocket_urlpatterns: list[URLPattern | URLResolver] = [
    path("ws/sessions/<uuid:session_id>/", PresenterSocket.as_asgi()),
    path("ws/follow/<uuid:token>/", FollowerSocket.as_asgi()),
]
