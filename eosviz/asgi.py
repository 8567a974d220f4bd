"""The ASGI application that uvicorn serves: pages and API over HTTP, and the site's WebSockets."""

import os
from importlib import import_module

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
http_application = get_asgi_application()  # loads the apps, which the imports below need

from channels.auth import AuthMiddleware  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.sessions import CookieMiddleware  # noqa: E402

from eosviz.analytics.routing import websocket_urlpatterns as analysis_sockets  # noqa: E402
from eosviz.audience.routing import websocket_urlpatterns  # noqa: E402
from eosviz.classroom.routing import websocket_urlpatterns as class_sockets  # noqa: E402
from eosviz.head_limit import HeadLimit  # noqa: E402
from eosviz.interpreter import prepare_to_serve  # noqa: E402
from eosviz.operating.metrics import MeasuredSockets  # noqa: E402
from eosviz.pipeline.routing import websocket_urlpatterns as job_sockets  # noqa: E402
from eosviz.replays.body_limit import BodyLimit  # noqa: E402
from eosviz.sockets import SocketSession  # noqa: E402
from eosviz.walkthroughs.origin import OwnOrigin  # noqa: E402

routes = ProtocolTypeRouter(
    {
        "http": BodyLimit(http_application),
        # A page of another site may open a WebSocket with the visitor's cookies: the origin is checked first.
        "websocket": OwnOrigin(
            CookieMiddleware(
                SocketSession(
                    AuthMiddleware(
                        URLRouter([*websocket_urlpatterns, *class_sockets, *job_sockets, *analysis_sockets])
                    )
                )
            )
        ),
    }
)
application = HeadLimit(MeasuredSockets(routes))

import_module(settings.ROOT_URLCONF)  # otherwise the first request would load it
prepare_to_serve()
