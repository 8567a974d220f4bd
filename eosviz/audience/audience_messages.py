"""Builds the messages about hands and polls. The presenter gets all hands, and the poll with the counts of
its answers. A follower gets the poll, and their own hand and answer."""

from __future__ import annotations

import uuid
from typing import Any, cast

from eosviz.audience import actions
from eosviz.audience.actions import Who
from eosviz.audience.models import Answer, Hand, Poll, PollState
from eosviz.audience.naming import readable_names
from eosviz.walkthroughs.models import Presentation
from eosviz.walkthroughs.presenting_messages import (
    Answered,
    Audience,
    CurrentPoll,
    HandSeen,
    OwnHand,
    PollView,
    RaisedAt,
    ShownState,
)


def audience_of(session_id: uuid.UUID) -> tuple[Audience, CurrentPoll | None] | None:
    """The message to the presenter with all hands and counts, and the message to followers about the poll
    (None without a poll). Returns None if there is no presentation."""
    presentation = Presentation.objects.select_related("session").filter(session=session_id).first()
    if presentation is None:
        return None
    actions.lower_gone(presentation)
    hands = list(Hand.objects.of(presentation).select_related("follower"))
    poll = Poll.objects.filter(presentation=presentation).first()
    counts = None if poll is None else Answer.objects.counts(poll)
    answered = [] if poll is None else Answer.objects.by_users(poll)
    users = [hand.follower.user_id for hand in hands] + [user for user, _ in answered]
    called = readable_names(presentation.session, users)
    names: dict[str, list[str]] = {}
    for user, choice in answered:
        if user in called:
            names.setdefault(choice, []).append(called[user])
    seen = [
        HandSeen(
            branch=str(hand.branch_id),
            step=hand.step,
            text=hand.text,
            follower=hand.follower.number,
            name=None if hand.follower.user_id is None else called.get(hand.follower.user_id),
            away=hand.away_since is not None,
        )
        for hand in hands
    ]
    whole = None if poll is None else _view(poll, counts, with_answer=True)
    return Audience(hands=seen, poll=whole, names=names), None if poll is None else poll_for_followers(
        poll, counts
    )


def poll_for_followers(poll: Poll, counts: dict[str, int] | None = None) -> CurrentPoll:
    """The message to followers about a poll. It contains counts if they are shown or the answer is revealed.
    `counts`: choice → number of answers; if None, they are read from the database."""
    if counts is None:
        counts = Answer.objects.counts(poll)
    is_revealed = poll.state == PollState.REVEALED
    return CurrentPoll(number=poll.number, poll=_view(poll, counts, with_answer=is_revealed))


def _view(poll: Poll, counts: dict[str, int] | None, with_answer: bool) -> PollView | None:
    if poll.state == PollState.OVER:
        return None
    question: dict[str, Any] = poll.question
    are_counted = poll.shown or with_answer
    return PollView(
        id=poll.turn,
        branch=str(poll.branch_id),
        at=poll.at,
        state=cast(ShownState, poll.state),
        shown=poll.shown,
        key=question["key"],
        params=question["params"],
        choices=question["choices"],
        answers=sum(counts.values()) if counts is not None and are_counted else None,
        counts=counts if are_counted else None,
        right=question["right"] if with_answer else None,
        reasons=question["reasons"] if with_answer else None,
    )


def own_hand(token: uuid.UUID, who: Who, hand: Hand | None, re: str | None = None) -> OwnHand:
    """The follower's own hand, and the name under which the presenter sees the follower."""
    presentation = Presentation.objects.select_related("session").filter(token=token).first()
    called = {} if presentation is None else readable_names(presentation.session, [who.user])
    return OwnHand(
        raised=None if hand is None else RaisedAt(branch=str(hand.branch_id), step=hand.step, text=hand.text),
        follower=None if hand is None else hand.follower.number,
        name=called.get(who.user) if who.user is not None else None,
        re=re,
    )


def messages_on_arrival(token: uuid.UUID, who: Who) -> list[OwnHand | CurrentPoll | Answered]:
    """The messages for a follower who connects: the follower's hand and, if there is a poll that is not over, the
    poll and the follower's answer to it."""
    sent: list[OwnHand | CurrentPoll | Answered] = [own_hand(token, who, actions.come_back(token, who))]
    poll = Poll.objects.filter(presentation=token).exclude(state=PollState.OVER).first()
    if poll is not None:
        sent.append(poll_for_followers(poll))
        mine = Answer.objects.filter(poll=poll, follower__key=who.key).first()
        sent.append(Answered(poll=poll.turn, choice=None if mine is None else mine.choice))
    return sent
