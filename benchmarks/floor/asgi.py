import json
import os
import uuid
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchmarks.floor.settings")
http_application = get_asgi_application()

from asgiref.sync import sync_to_async  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import path  # noqa: E402

from benchmarks.floor.tasks import click  # noqa: E402
from eosviz.interpreter import prepare_to_serve  # noqa: E402
from eosviz.sockets import RightfulConsumer  # noqa: E402


class FloorConsumer(RightfulConsumer):
    """Receives a number and starts the task. The task's message goes to the client that sent the number, or, at
    `/ws/all/`, to all clients.
    """

    async def connect(self) -> None:
        self.group = self.scope["url_route"]["kwargs"].get("group") or f"floor.{uuid.uuid4().hex}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        number = json.loads(text_data or "0")
        await sync_to_async(click.delay, thread_sensitive=False)(self.group, number)

    async def clicked(self, event: dict[str, Any]) -> None:
        await self.send(text_data=json.dumps({"number": event["number"], "body": event["body"]}))


application = ProtocolTypeRouter(
    {
        "http": http_application,
        "websocket": URLRouter(
            [
                path("ws/", FloorConsumer.as_asgi()),
                path("ws/all/", FloorConsumer.as_asgi(), {"group": "floor.all"}),
            ]
        ),
    }
)
prepare_to_serve()
