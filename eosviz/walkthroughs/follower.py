"""The socket of a page that follows a presenter. The page may read the steps of the session, and cannot
change anything in it."""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import Any, ClassVar, get_args

import msgspec
from django.conf import settings
from redis.exceptions import RedisError

from eosviz.accounts.person_right import rights_of_person
from eosviz.in_thread import in_thread
from eosviz.rates import take_soon
from eosviz.refusals import Problem
from eosviz.rights import Ending, Right, of_owner, of_session
from eosviz.walkthroughs import follower_count, messages, plans, presenting, questions
from eosviz.walkthroughs.consumer import Handlers, SessionConsumer
from eosviz.walkthroughs.models import Presentation, Session
from eosviz.walkthroughs.presenting_messages import OfPresenter
from eosviz.walkthroughs.streaming import followers_of
from eosviz.walkthroughs.work import steps_read

LINK_FULL_CODE = 4429


class FollowerConsumer(SessionConsumer):
    """The socket of a follower's page, `/ws/follow/<token>/` (docs/websocket.md).

    A page needs only the address, no cookie. At most FOLLOWERS_PER_LINK pages can follow at the same time.
    """

    place: str | None = None
    """The last `presented` message that this page got, as JSON."""
    has_seat = False
    """True while the socket is counted among the sockets of the link."""

    async def connect(self) -> None:
        await super().connect()
        if not hasattr(self, "session"):
            return
        if not await in_thread(follower_count.take)(self.token, self.channel_name):
            await self._send(Problem("limit", "link_full", most=settings.FOLLOWERS_PER_LINK).message(None))
            await self.close(LINK_FULL_CODE)
            return
        self.has_seat = True
        await self.channel_layer.group_add(followers_of(self.session.id), self.channel_name)

    async def still_here(self) -> None:
        if self.has_seat:
            await in_thread(follower_count.take)(self.token, self.channel_name)

    def _find(self) -> Session | None:
        open_ones = Presentation.objects.open_to_followers().select_related("session__version")
        found = open_ones.filter(token=self.token).first()
        return None if found is None else found.session

    def needed_rights(self, session: Session) -> tuple[Right, ...]:
        token = self.token

        def ask() -> Ending | None:
            is_open = Presentation.objects.open_to_followers().filter(token=token).exists()
            return None if is_open else Ending.GONE

        topics = frozenset({of_session(session.id), of_owner(session.owner)})
        return (*rights_of_person(self.scope), Right(f"follow {token}", topics, ask))

    def last_words(self, ending: Ending) -> str | None:
        """Returns the last message for the page, as JSON: the presenter's position, with `ended`. Returns
        None if there is nothing to send."""
        if ending is not Ending.GONE or self.place is None:
            return None
        last = msgspec.json.decode(self.place)
        return msgspec.json.encode({**last, "number": last["number"] + 1, "ended": True}).decode()

    @property
    def token(self) -> uuid.UUID:
        named: uuid.UUID = self.scope["url_route"]["kwargs"]["token"]
        return named

    async def count_message(self) -> None:
        """Counts a message against the limit of this page. Each page has its own limit, because many pages
        may follow one session. Raises TooOften."""
        await take_soon("messages.page", self.channel_name)

    async def count_work(self, message: messages.AnyFromPage) -> None:
        """Counts the steps that are read for the answer against the limit that all followers of a link share.
        Raises TooOften."""
        steps = steps_read(message)
        if steps:
            await take_soon("work.link", str(self.token), steps)

    async def disconnect(self, code: int) -> None:
        if self.has_seat:
            with suppress(RedisError):  # Redis stops counting the socket after GONE_SECONDS.
                await in_thread(follower_count.leave)(self.token, self.channel_name)
            await self.channel_layer.group_discard(followers_of(self.session.id), self.channel_name)
        await super().disconnect(code)

    async def session_frames(self, event: dict[str, Any]) -> None:
        """Sends stored steps to the page. The event may contain the presenter's position, too."""
        self.place = event.get("presented", self.place)
        await super().session_frames(event)

    async def session_presented(self, event: dict[str, Any]) -> None:
        self.place = event["frame"]
        await self.send(text_data=event["frame"])

    async def hello(self, message: messages.Hello) -> None:
        """Sends the answer to `hello`, and then the presenter's position, so that a follower who reconnects
        sees it again."""

        def answers() -> list[bytes]:
            welcome = questions.welcome(self.session, str(message.id), continues=False)
            plan = plans.on_arrival(self.session, message)
            frames = [
                *plan,
                messages.encode(welcome),
                *questions.missing_messages(self.session, message.have),
            ]
            presentation = Presentation.objects.filter(token=self.token).first()
            if presentation is not None:
                place = messages.encode(presenting.place_of(presentation))
                self.place = place.decode()
                frames.append(place)
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
        messages.AskPlan: SessionConsumer.plan,
        messages.Window: SessionConsumer.window,
        messages.AskKeyframe: SessionConsumer.keyframe,
        messages.AskNearView: SessionConsumer.near_view,
        messages.AskDifference: SessionConsumer.difference,
        messages.Ping: SessionConsumer.ping,
    }
