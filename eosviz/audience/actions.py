"""Raises and lowers hands; opens, changes and answers polls. Each change is one transaction."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from eosviz.audience.models import POLL_CHANGES, Answer, Follower, Hand, Poll, PollState
from eosviz.refusals import Problem
from eosviz.tracks.asking import questions_or_problem
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.models import Branch, Presentation
from eosviz.walkthroughs.presenting_messages import PollChange, RaiseHand


@dataclass(frozen=True, slots=True)
class Who:
    """A follower's identity. `key`: the same on all open pages of a person who has an account or a browser's
    key. `user`: the account's id, None without an account. `page`: the page that is connected."""

    key: str
    user: int | None
    page: uuid.UUID


def who_follows(token: uuid.UUID, user: int | None, browser: str, page: uuid.UUID) -> Who:
    """The identity of a follower: by the account; without one, by the browser's key; without a key, by the
    page. `token`: of the presentation."""
    person = f"user {user}" if user is not None else f"browser {browser}" if browser else f"page {page}"
    return Who(hashlib.sha256(f"{token} {person}".encode()).hexdigest(), user, page)


def raise_hand(token: uuid.UUID, who: Who, message: RaiseHand) -> Hand:
    """Raise the follower's hand at a step, or move a raised hand to this step. Raises Problem if there is
    no such presentation, branch or step, or if too many other followers have already raised a hand or
    answered."""
    with transaction.atomic():
        presentation = _presentation(token=token)
        branch = Branch.objects.filter(id=int(message.branch), session=presentation.session_id).first()
        if branch is None:
            raise Problem("not_found", "no_branch", branch=message.branch)
        if message.step > branch.newest:
            raise Problem("conflict", "hand_beyond", step=message.step, newest=branch.newest)
        place = {"branch": branch, "step": message.step, "text": message.text.strip(), "page": who.page}
        follower = _follower(presentation, who)
        hand, _ = Hand.objects.update_or_create(follower=follower, defaults={**place, "away_since": None})
        return hand


def lower_own(token: uuid.UUID, who: Who) -> None:
    Hand.objects.filter(follower__presentation=token, follower__key=who.key).delete()


def lower(session_id: uuid.UUID, followers: list[int] | None) -> list[str]:
    """Lower the hands of the followers with these numbers, or of all followers if `followers` is None.
    Returns the keys of the followers whose hand was raised. Raises Problem if there is no presentation."""
    with transaction.atomic():
        hands = Hand.objects.of(_presentation(session=session_id))
        if followers is not None:
            hands = hands.filter(follower__number__in=followers)
        keys = list(hands.values_list("follower__key", flat=True))
        hands.delete()
        return keys


def leave(token: uuid.UUID, who: Who) -> bool:
    """Note that the page's connection has ended. A hand that was raised from this page stays raised for
    AWAY_SECONDS. Returns whether there is such a hand."""
    up = Hand.objects.filter(follower__presentation=token, follower__key=who.key, page=who.page)
    return up.update(away_since=timezone.now()) > 0


def come_back(token: uuid.UUID, who: Who) -> Hand | None:
    """Note that the page has connected again. Returns the follower's hand; None if it is not raised any
    more."""
    with transaction.atomic():
        up = Hand.objects.filter(follower__presentation=token, follower__key=who.key)
        up.gone().delete()
        up.filter(page=who.page).update(away_since=None)
        return up.select_related("follower").first()


def lower_gone(presentation: Presentation) -> None:
    """Lower the hands of followers who have been disconnected for longer than AWAY_SECONDS."""
    Hand.objects.of(presentation).gone().delete()


def open_poll(session_id: uuid.UUID, branch_id: str, at: int) -> None:
    """Open a poll: ask all followers the engine's question at step `at`. Raises Problem if there is no
    presentation, branch or question, or if the run cannot be made."""
    if not Presentation.objects.filter(session=session_id).exists():
        raise Problem("refused", "not_presented")
    branch = Branch.objects.filter(id=int(branch_id), session_id=session_id).first()
    if branch is None:
        raise Problem("not_found", "no_branch", branch=branch_id)
    # The question is computed before the transaction, because making the run may take a while.
    question = next(
        (one for one in questions_or_problem(Branch.objects.line(branch)) if one["at"] == at), None
    )
    if question is None:
        raise Problem("refused", "no_question", step=at)
    with transaction.atomic():
        presentation = _presentation(session=session_id)
        poll = Poll.objects.filter(presentation=presentation).first()
        if poll is not None and (poll.branch_id, poll.at, poll.state) == (branch.id, at, PollState.OPEN):
            return
        if poll is not None:
            poll.answers.all().delete()
        poll = poll or Poll(presentation=presentation)
        poll.turn, poll.number = poll.turn + 1, poll.number + 1
        poll.branch, poll.at, poll.question = branch, at, question
        poll.state, poll.shown = PollState.OPEN, False
        poll.save()


def change_poll(session_id: uuid.UUID, turn: int, change: PollChange) -> None:
    """Change the poll's state. Raises Problem if `POLL_CHANGES` does not allow the change in the current
    state, or if the presentation or the poll no longer exists."""
    with transaction.atomic():
        poll = _poll(_presentation(session=session_id), turn)
        target = POLL_CHANGES.get((poll.state, change))
        if target is None:
            raise Problem("refused", f"poll_{poll.state}")
        shown = {"show": True, "hide": False}.get(change, poll.shown)
        if (poll.state, poll.shown) != (target, shown):
            poll.state, poll.shown, poll.number = target, shown, F("number") + 1
            poll.save(update_fields=["state", "shown", "number"])


def answer_poll(token: uuid.UUID, who: Who, turn: int, choice: str) -> None:
    """Store the follower's answer; it replaces an earlier one. Raises Problem if there is no presentation, if
    the poll is no longer open or has no such choice, or if too many other followers take part."""
    with transaction.atomic():
        presentation = _presentation(token=token)
        poll = _poll(presentation, turn)
        if poll.state != PollState.OPEN:
            raise Problem("refused", f"poll_{poll.state}")
        if choice not in poll.choices:
            raise Problem("refused", "no_choice", choice=choice)
        follower = _follower(presentation, who)
        Answer.objects.update_or_create(poll=poll, follower=follower, defaults={"choice": choice})


def _presentation(**which: Any) -> Presentation:
    """The presentation, locked until the transaction ends. Raises Problem if there is none."""
    found = Presentation.objects.select_for_update().filter(**which).first()
    if found is None:
        raise Problem("refused", "not_presented")
    return found


def _poll(presentation: Presentation, turn: int) -> Poll:
    poll = Poll.objects.filter(presentation=presentation, turn=turn).first()
    if poll is None:
        raise Problem("refused", "poll_over")
    return poll


def _follower(presentation: Presentation, who: Who) -> Follower:
    known = Follower.objects.of(presentation).filter(key=who.key).first()
    if known is not None:
        return known
    last = Follower.objects.of(presentation).aggregate(last=Max("number"))["last"] or 0
    if last >= LIMITS.followers_heard:
        raise Problem("limit", "followers_heard", followers=LIMITS.followers_heard)
    return Follower.objects.create(presentation=presentation, key=who.key, number=last + 1, user_id=who.user)
