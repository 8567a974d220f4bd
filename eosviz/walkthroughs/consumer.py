"""The WebSocket of one page: it reads messages, calls the code that handles them, and sends the answers. It
decides nothing about a session itself.

Commands go to a worker. The answer arrives through the session's group, so a page that reconnected and sent
the command again gets the answer on its new socket. If a worker has made the next step ahead for this page,
the socket stores it itself. A question that needs the run goes to a worker, too; all other questions are
answered from the database.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, ClassVar

import msgspec
from asgiref.sync import sync_to_async
from django.db import DatabaseError
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from eosviz.accounts.person_right import rights_of_person
from eosviz.browser import browser_of
from eosviz.in_thread import in_thread
from eosviz.rates import TooOften, take_soon
from eosviz.refusals import Problem
from eosviz.rights import Ending, Right, of_session
from eosviz.server_message import FromServer
from eosviz.sockets import RightfulConsumer
from eosviz.walkthroughs import (
    actions,
    messages,
    plans,
    presenting,
    presenting_messages,
    questions,
    tasks,
)
from eosviz.walkthroughs.kept_ahead import KeptAhead
from eosviz.walkthroughs.messages import Unreadable
from eosviz.walkthroughs.models import Session
from eosviz.walkthroughs.storing_ahead import store_ahead
from eosviz.walkthroughs.streaming import group_of
from eosviz.walkthroughs.unavailable import unavailable

logger = logging.getLogger(__name__)

Handlers = dict[type[msgspec.Struct], Callable[[Any, Any], Awaitable[None]]]

OPEN_COMMANDS_MAX = 1_000
"""At most this many commands and questions of one socket may wait for a worker's answer. If there are more,
the socket forgets the oldest, and the page asks again."""

PAINT_SECONDS = 0.03
"""After this socket has stored a step that was made ahead, it waits this long before it sends the next one,
or asks a worker for it, because the page may be drawing on the same machine."""

ASK_RETRIES = {"max_retries": 2, "interval_start": 0.0, "interval_step": 0.2, "interval_max": 0.2}


class SessionConsumer(RightfulConsumer):
    """The socket of the page of a session, `/ws/sessions/<session id>/` (docs/websocket.md)."""

    session: Session
    going_on: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.accept()
        found, rights = await in_thread(self._entry)()
        if found is None or await self.hold(rights) is not None:
            problem = Problem("not_found", "no_session")
            await self._send(problem.message(None))
            await self.close(Ending.GONE)
            return
        self.session = found
        self.open_commands: OrderedDict[str, None] = OrderedDict()
        self.ahead = KeptAhead()
        # Join the group before `hello` is read, so that steps that are stored after that arrive through the
        # group.
        await self.channel_layer.group_add(group_of(found.id), self.channel_name)

    def _entry(self) -> tuple[Session | None, tuple[Right, ...]]:
        found = self._find()
        return found, () if found is None else self.needed_rights(found)

    def _find(self) -> Session | None:
        session_id: uuid.UUID = self.scope["url_route"]["kwargs"]["session_id"]
        return (
            Session.objects.of_browser(browser_of(self.scope["session"]))
            .select_related("version")
            .filter(id=session_id)
            .first()
        )

    def needed_rights(self, session: Session) -> tuple[Right, ...]:
        """Returns the rights that this socket must have."""
        browser = session.owner

        def ask() -> Ending | None:
            return None if Session.objects.of_browser(browser).filter(id=session.id).exists() else Ending.GONE

        thing = Right(f"session {session.id} {browser}", frozenset({of_session(session.id)}), ask)
        return (*rights_of_person(self.scope), thing)

    async def count_message(self) -> None:
        """Counts a message against the limit that all pages of one user share. Raises TooOften."""
        await take_soon("messages.person", self.session.owner)

    async def count_work(self, message: messages.AnyFromPage) -> None:
        """Counts the work for an answer against a limit. Does nothing here; FollowerConsumer counts the work
        for the followers of a link, and raises TooOften."""

    async def disconnect(self, code: int) -> None:
        if self.going_on is not None:
            self.going_on.cancel()
        if hasattr(self, "session"):
            await self.channel_layer.group_discard(group_of(self.session.id), self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if not hasattr(self, "session"):
            return
        try:
            await self.count_message()
        except TooOften as refused:
            await self._send(refused.message(messages.id_of(text_data)))
            return
        re: str | None = None
        try:
            message = messages.read_message(text_data if text_data is not None else bytes_data or b"")
            re = str(message.id)
            await self.count_work(message)
            await self.handlers[type(message)](self, message)
        except Unreadable as unreadable:
            await self._send(unreadable.problem.message(unreadable.re))
        except Problem as problem:
            await self._send(problem.message(re))
        except DatabaseError as error:
            logger.exception("session %s", self.session.id)
            await self._send(unavailable(error, "not_stored").message(re))

    async def session_frames(self, event: dict[str, Any]) -> None:
        """Sends stored steps to the page. If this page sent the command, also sends the answer."""
        if event.get("but") == self.channel_name:
            return
        for frame in event["frames"]:
            await self.send(text_data=frame)
        if event.get("re") in self.open_commands:
            del self.open_commands[event["re"]]
            await self.send(text_data=event["answer"])

    async def session_ahead(self, event: dict[str, Any]) -> None:
        """Keeps the steps that a worker made ahead for this page, and sends the first of them."""
        await self._send(self.ahead.keep(event))

    async def _send(self, message: FromServer | bytes) -> None:
        frame = message if isinstance(message, bytes) else messages.encode(message)
        await self.send(text_data=frame.decode())

    # -- handlers --------------------------------------------------------------------------------------

    async def hello(self, message: messages.Hello) -> None:
        def answers() -> list[bytes]:
            welcome = questions.welcome(self.session, str(message.id))
            plan = plans.on_arrival(self.session, message)
            return [*plan, messages.encode(welcome), *questions.missing_messages(self.session, message.have)]

        for frame in await in_thread(answers)():
            await self._send(frame)

    async def command(self, message: messages.Command) -> None:
        pauses = None
        if questions.may_be_paused(message):
            pauses = await in_thread(questions.pauses_when_asked)(self.session.id, message)
        await self._ask_worker(
            tasks.carry_out,
            str(message.id),
            [str(self.session.id), messages.encode(message).decode(), pauses, self.channel_name],
        )

    async def advance(self, message: messages.Advance) -> None:
        made = self.ahead.take(message)
        stored = None if made is None else await store_ahead(self.session.id, message, made)
        if stored is None:
            await self.command(message)
            return
        frames, answer, presented = stored
        for frame in (*frames, messages.encode(answer)):
            await self._send(frame)
        await self._send_to_others(frames, presented)
        if message.ahead:
            self.going_on = asyncio.create_task(self._go_on(message.branch, message.after + 1))

    async def _send_to_others(
        self, frames: list[bytes], presented: presenting_messages.Presented | None
    ) -> None:
        """Sends frames to the other pages of the session. `presented`: the presenter's new position, or None
        if the presenter does not move. Raises nothing if Redis cannot be reached."""
        event: dict[str, Any] = {
            "type": "session.frames",
            "frames": [frame.decode() for frame in frames],
            "but": self.channel_name,
        }
        if presented is not None:
            event["presented"] = messages.encode(presented).decode()
        try:
            await self.channel_layer.group_send(group_of(self.session.id), event)
        except (RedisError, OSError) as error:
            logger.warning("session %s: a step was not sent: %r", self.session.id, error)

    async def _go_on(self, branch: str, number: int) -> None:
        """Sends the page the step after step `number` if it was made ahead; if not, asks a worker to make the
        next steps."""
        await asyncio.sleep(PAINT_SECONDS)
        if number != self.ahead.taken:
            return  # Meanwhile the page has asked for a later step. The call for that step does the same.
        message = self.ahead.after(branch, number)
        if message is not None:
            await self._send(message)
            return
        go_on = sync_to_async(tasks.go_on.apply_async, thread_sensitive=False)
        stored = [self.ahead.first, number]
        with suppress(OperationalError, OSError):
            await go_on([str(self.session.id), branch, *stored, self.channel_name], retry=False)

    async def ask_ahead(self, message: messages.AskAhead) -> None:
        await self._question(tasks.find_ahead, message)

    async def ask_actions(self, message: messages.AskActions) -> None:
        await self._question(tasks.find_actions, message)

    async def ask_why(self, message: messages.AskWhy) -> None:
        await self._question(tasks.find_why, message)

    async def _question(
        self,
        task: Any,
        message: messages.AskAhead | messages.AskActions | messages.AskWhy | messages.AskPlan,
    ) -> None:
        await self._ask_worker(
            task, str(message.id), [str(self.session.id), messages.encode(message).decode()]
        )

    async def _ask_worker(self, task: Any, re: str, arguments: list[Any]) -> None:
        self.open_commands[re] = None
        self.open_commands.move_to_end(re)
        while len(self.open_commands) > OPEN_COMMANDS_MAX:
            self.open_commands.popitem(last=False)
        ask = sync_to_async(task.apply_async, thread_sensitive=False)
        try:
            await ask(arguments, retry=True, retry_policy=ASK_RETRIES)
        except (OperationalError, OSError) as error:
            raise unavailable(error, "no_worker") from None

    async def pause(self, message: messages.Pause) -> None:
        await in_thread(actions.pause)(self.session.id, int(message.branch))

        def newest() -> int:
            return questions.branch_of(self.session.id, message.branch).newest

        reached = await in_thread(newest)()
        await self._send(
            messages.Done(
                re=str(message.id), branch=message.branch, newest=reached, reached=reached, stopped="pause"
            )
        )

    async def window(self, message: messages.Window) -> None:
        def answer() -> bytes:
            branch = questions.branch_of(self.session.id, message.branch)
            return questions.window_message(branch, message.first, message.last, str(message.id))

        await self._send(await in_thread(answer)())

    async def keyframe(self, message: messages.AskKeyframe) -> None:
        def answer() -> messages.KeyframeAnswer:
            branch = questions.branch_of(self.session.id, message.branch)
            return questions.keyframe_answer(branch, message.number, str(message.id))

        await self._send(await in_thread(answer)())

    async def near_view(self, message: messages.AskNearView) -> None:
        def answer() -> bytes:
            branch = questions.branch_of(self.session.id, message.branch)
            found = questions.near_view_answer(branch, message.number, str(message.id), message.whole)
            return messages.encode(found)

        await self._send(await in_thread(answer)())

    async def difference(self, message: messages.AskDifference) -> None:
        def answer() -> messages.DifferenceAnswer:
            branch = questions.branch_of(self.session.id, message.branch)
            return questions.difference_answer(branch, message.first, message.last, str(message.id))

        await self._send(await in_thread(answer)())

    async def search(self, message: messages.Search) -> None:
        await self._send(await in_thread(questions.found_steps)(self.session.id, message))

    async def transactions(self, message: messages.AskTransactions) -> None:
        answer = in_thread(questions.transaction_lines)
        await self._send(await answer(self.session.id, message.branch, str(message.id)))

    async def plan(self, message: messages.AskPlan) -> None:
        def kept() -> messages.PlanAnswer | None:
            return plans.kept_plan(questions.branch_of(self.session.id, message.branch), str(message.id))

        found = await in_thread(kept)()
        if found is None:
            await self._question(tasks.find_plan, message)
        else:
            await self._send(found)

    async def rename(self, message: messages.Rename) -> None:
        name = await in_thread(actions.rename)(self.session.id, message.branch, message.name)
        await self._send(messages.Renamed(re=str(message.id), branch=message.branch, name=name))

    async def present(self, message: presenting_messages.Present) -> None:
        moved = await in_thread(presenting.move)(self.session.id, message)
        if moved is not None:
            await presenting.send_place(self.session.id, moved)

    async def ping(self, message: messages.Ping) -> None:
        await self._send(messages.Pong(re=str(message.id)))

    handlers: ClassVar[Handlers] = {
        messages.Hello: hello,
        messages.Advance: advance,
        messages.RunUntil: command,
        messages.MakeBranch: command,
        messages.Intervene: command,
        messages.Pause: pause,
        messages.Window: window,
        messages.AskKeyframe: keyframe,
        messages.AskNearView: near_view,
        messages.AskDifference: difference,
        messages.Search: search,
        messages.Rename: rename,
        messages.AskTransactions: transactions,
        messages.AskPlan: plan,
        messages.AskAhead: ask_ahead,
        messages.AskActions: ask_actions,
        messages.AskWhy: ask_why,
        presenting_messages.Present: present,
        messages.Ping: ping,
    }
    """The handler of each message that the page of a session may send. A presenter may send more messages
    (`eosviz/audience/sockets.py`)."""
