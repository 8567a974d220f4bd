"""The socket of somebody who follows a presenter: everything of the session to be seen, nothing to be changed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, ClassVar, get_args

from eosviz.walkthroughs import messages, presenting, questions
from eosviz.walkthroughs.budget import Bucket
from eosviz.walkthroughs.consumer import Handlers, SessionConsumer, in_thread
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.messages import Problem
from eosviz.walkthroughs.models import Presentation, Session
from eosviz.walkthroughs.presenting_messages import OfPresenter
from eosviz.walkthroughs.streaming import followers_of


class FollowerConsumer(SessionConsumer):
    """`/ws/follow/<token>/`, docs/websocket.md. Who holds the address needs no cookie."""

    async def connect(self) -> None:
        await super().connect()
        if hasattr(self, "session"):
            await self.channel_layer.group_add(followers_of(self.session.id), self.channel_name)

    def _find(self) -> Session | None:
        found = Presentation.objects.select_related("session__version").filter(token=self.token).first()
        return None if found is None else found.session

    @property
    def token(self) -> uuid.UUID:
        named: uuid.UUID = self.scope["url_route"]["kwargs"]["token"]
        return named

    def budget(self) -> Callable[[], bool]:
        """Each follower's own: a hundred of them look at one person's session."""
        return Bucket(LIMITS.messages_per_second, LIMITS.messages_burst).take

    async def disconnect(self, code: int) -> None:
        if hasattr(self, "session"):
            await self.channel_layer.group_discard(followers_of(self.session.id), self.channel_name)
        await super().disconnect(code)

    async def session_presented(self, event: dict[str, Any]) -> None:
        await self.send(text_data=event["frame"])

    async def hello(self, message: messages.Hello) -> None:
        """As for the owner, and then where the presenter is: a follower who lost the connection is there again."""

        def answers() -> list[bytes]:
            welcome = questions.welcome(self.session, str(message.id), continues=False)
            frames = [messages.encode(welcome), *questions.missing_messages(self.session, message.have)]
            presentation = Presentation.objects.filter(token=self.token).first()
            if presentation is not None:
                frames.append(messages.encode(presenting.told(presentation)))
            return frames

        for frame in await in_thread(answers)():
            await self._send(frame)

    async def refuse(self, message: messages.AnyFromPage) -> None:
        raise Problem("refused", "only_followed")

    handlers: ClassVar[Handlers] = {
        **dict.fromkeys((*SessionConsumer.handlers, *get_args(OfPresenter)), refuse),
        messages.Hello: hello,
        messages.Search: SessionConsumer.search,
        messages.AskTransactions: SessionConsumer.transactions,
        messages.Window: SessionConsumer.window,
        messages.AskKeyframe: SessionConsumer.keyframe,
        messages.AskSight: SessionConsumer.sight,
        messages.AskWay: SessionConsumer.way,
        messages.Ping: SessionConsumer.ping,
    }
