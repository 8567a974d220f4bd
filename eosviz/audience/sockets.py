"""The sockets of a presenter and of a follower, with the hands and polls of a presentation
(docs/websocket.md).

Each message of a follower about a hand or a poll is one transaction and one short message to the socket of
the presenter's page. That socket then reads hands and counts, at most four times a second, and sends them on.
So two hundred answers in a second lead to four reads and, if counts are shown, to four messages to the
followers' group.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Any, ClassVar

import msgspec
from django.db import DatabaseError
from redis.exceptions import RedisError

from eosviz.audience import actions, audience_messages
from eosviz.audience.coalescing import Coalesced
from eosviz.audience.models import AWAY_SECONDS
from eosviz.browser import browser_of
from eosviz.in_thread import in_thread
from eosviz.rates import take_soon
from eosviz.refusals import Problem
from eosviz.walkthroughs import messages, presenting_messages
from eosviz.walkthroughs.consumer import Handlers, SessionConsumer
from eosviz.walkthroughs.follower import FollowerConsumer
from eosviz.walkthroughs.streaming import followers_of

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
"""The shortest time between two reads of hands and counts that followers' messages cause. A command of the
presenter reads them at once."""


def presenters_of(session_id: uuid.UUID) -> str:
    """The name of the channel-layer group of the pages that present this session."""
    return f"present.{session_id.hex}"


class PresenterSocket(SessionConsumer):
    """`/ws/sessions/<session id>/`. A page gets hands and counts once it has sent `attend`."""

    attends = False
    shown: presenting_messages.CurrentPoll | None = None
    """The message about the poll that this socket last sent to the followers."""

    async def disconnect(self, code: int) -> None:
        if self.attends:
            self.looking.stop()
            await self.channel_layer.group_discard(presenters_of(self.session.id), self.channel_name)
        await super().disconnect(code)

    async def attend(self, message: presenting_messages.Attend) -> None:
        if not self.attends:
            self.attends = True
            self.looking = Coalesced(self._look, LOOK_SECONDS)
            await self.channel_layer.group_add(presenters_of(self.session.id), self.channel_name)
        await self._answer(message)

    async def lower_hands(self, message: presenting_messages.LowerHands) -> None:
        keys = await in_thread(actions.lower)(self.session.id, message.followers)
        if keys:
            event = {"type": "audience.lowered", "keys": keys}
            await self.channel_layer.group_send(followers_of(self.session.id), event)
        await self._answer(message)

    async def open_poll(self, message: presenting_messages.OpenPoll) -> None:
        await in_thread(actions.open_poll)(self.session.id, message.branch, message.at)
        await self._answer(message)

    async def change_poll(self, message: presenting_messages.ChangePoll) -> None:
        await in_thread(actions.change_poll)(self.session.id, message.poll, message.change)
        await self._answer(message)

    async def refuse_presenter(self, message: messages.AnyFromPage) -> None:
        raise Problem("refused", "only_followers")

    async def audience_changed(self, event: dict[str, Any]) -> None:
        self.looking.ask()

    async def _answer(self, message: messages.AnyFromPage) -> None:
        """Answer this page's message with the hands and the poll, send the poll to the followers, and notify
        the presenter's other pages."""
        found = await in_thread(audience_messages.audience_of)(self.session.id)
        if found is None:
            raise Problem("refused", "not_presented")
        audience, poll = found
        await self._send_to_followers(poll)
        await self._send(msgspec.structs.replace(audience, re=str(message.id)))
        if not isinstance(message, presenting_messages.Attend):
            await notify_presenters(self.channel_layer, self.session.id)

    async def _look(self) -> None:
        if not await self.is_allowed():
            return
        try:
            found = await in_thread(audience_messages.audience_of)(self.session.id)
            if found is None:
                return
            audience, poll = found
            await self._send(audience)
            await self._send_to_followers(poll)
        except (DatabaseError, RedisError, OSError):
            logger.exception("session %s: its audience could not be looked at", self.session.id)
            return
        if any(hand.away for hand in audience.hands):
            asyncio.get_running_loop().call_later(AWAY_SECONDS + LOOK_SECONDS, self.looking.ask)

    async def _send_to_followers(self, poll: presenting_messages.CurrentPoll | None) -> None:
        """Send the message about the poll to the followers, unless it is the one that this socket sent
        last."""
        if poll is None or poll == self.shown:
            return
        self.shown = poll
        event = {"type": "audience.poll", "frame": messages.encode(poll).decode()}
        await self.channel_layer.group_send(followers_of(self.session.id), event)

    handlers: ClassVar[Handlers] = {
        **SessionConsumer.handlers,
        presenting_messages.Attend: attend,
        presenting_messages.LowerHands: lower_hands,
        presenting_messages.OpenPoll: open_poll,
        presenting_messages.ChangePoll: change_poll,
        presenting_messages.RaiseHand: refuse_presenter,
        presenting_messages.LowerHand: refuse_presenter,
        presenting_messages.AnswerPoll: refuse_presenter,
    }


class FollowerSocket(FollowerConsumer):
    """`/ws/follow/<token>/`. A page whose `hello` names no `follower` can only watch."""

    who: actions.Who | None = None

    async def disconnect(self, code: int) -> None:
        try:
            if self.who is not None and await in_thread(actions.leave)(self.token, self.who):
                await notify_presenters(self.channel_layer, self.session.id)
        finally:
            await super().disconnect(code)

    async def hello(self, message: messages.Hello) -> None:
        await super().hello(message)
        if message.follower is None:
            return
        user = getattr(self.scope.get("user"), "pk", None)
        browser = browser_of(self.scope["session"])
        self.who = actions.who_follows(self.token, user, browser, message.follower)
        frames = await in_thread(audience_messages.messages_on_arrival)(self.token, self.who)
        for frame in frames:
            await self._send(frame)
        if frames[0].raised is not None:
            await notify_presenters(self.channel_layer, self.session.id)

    async def raise_hand(self, message: presenting_messages.RaiseHand) -> None:
        who = await self._counted_follower()
        hand = await in_thread(actions.raise_hand)(self.token, who, message)
        await self._send(await in_thread(audience_messages.own_hand)(self.token, who, hand, str(message.id)))
        await notify_presenters(self.channel_layer, self.session.id)

    async def lower_hand(self, message: presenting_messages.LowerHand) -> None:
        who = await self._counted_follower()
        await in_thread(actions.lower_own)(self.token, who)
        await self._send(await in_thread(audience_messages.own_hand)(self.token, who, None, str(message.id)))
        await notify_presenters(self.channel_layer, self.session.id)

    async def answer_poll(self, message: presenting_messages.AnswerPoll) -> None:
        await in_thread(actions.answer_poll)(
            self.token, await self._counted_follower(), message.poll, message.choice
        )
        await self._send(
            presenting_messages.Answered(poll=message.poll, choice=message.choice, re=str(message.id))
        )
        await notify_presenters(self.channel_layer, self.session.id)

    async def _counted_follower(self) -> actions.Who:
        if self.who is None:
            raise Problem("refused", "no_follower")
        await take_soon("say.follower", self.who.key)
        return self.who

    async def audience_poll(self, event: dict[str, Any]) -> None:
        await self.send(text_data=event["frame"])

    async def audience_lowered(self, event: dict[str, Any]) -> None:
        if self.who is not None and self.who.key in event["keys"]:
            await self._send(await in_thread(audience_messages.own_hand)(self.token, self.who, None))

    handlers: ClassVar[Handlers] = {
        **FollowerConsumer.handlers,
        messages.Hello: hello,
        presenting_messages.RaiseHand: raise_hand,
        presenting_messages.LowerHand: lower_hand,
        presenting_messages.AnswerPoll: answer_poll,
    }


async def notify_presenters(layer: Any, session_id: uuid.UUID) -> None:
    """Notify the presenter's pages that hands or answers have changed. Does not raise if Redis is lost: hands
    and answers are in the database, so the next read finds them."""
    try:
        await layer.group_send(presenters_of(session_id), {"type": "audience.changed"})
    except (RedisError, OSError) as error:
        logger.warning("session %s: its presenter was not notified: %r", session_id, error)
