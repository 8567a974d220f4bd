"""Creates and changes classes, assignments and attempts, for the pages.

The caller reads the rows through the query sets of `models.py`, which check permission. If a rule of the
class forbids the change, `ClassRefused` is raised. What instructors change in a class is written to the audit
log in the same transaction. That an instructor leaves the class is not logged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from engine.scenario.document import BadScenario
from eosviz import quotas
from eosviz.accounts.models import User
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.classroom.audit import note
from eosviz.classroom.judging import Judgement
from eosviz.classroom.kinds import judge, kind_of
from eosviz.classroom.live import notify_instructors
from eosviz.classroom.models import (
    ASSIGNMENTS_MAX,
    MEMBERS_MAX,
    Assignment,
    Attempt,
    Classroom,
    Membership,
    Outcome,
    Part,
    new_code,
)
from eosviz.refusals import Refusal
from eosviz.scenarios.actions import with_settings
from eosviz.walkthroughs.actions import bad_scenario, create_session
from eosviz.walkthroughs.models import Session


class ClassRefused(Refusal):
    words = "classroom.refused"
    code = "conflict"


# -- classes -------------------------------------------------------------------------------------------------


@transaction.atomic
def create_class(teacher: User, name: str) -> Classroom:
    quotas.check(teacher.owner_key, "classes", refused=ClassRefused)
    classroom = Classroom.objects.create(name=name)
    Membership.objects.create(classroom=classroom, user=teacher, part=Part.INSTRUCTOR)
    note(classroom, teacher, "made", name=name)
    return classroom


def join(user: User, code: str) -> Classroom:
    """Add the user as a learner to the class with this code. A member stays as they are. Raises ClassRefused
    if no class has the code, or if the class is archived or full."""
    classroom = Classroom.objects.filter(code=code.strip().lower()).first()
    if classroom is None:
        raise ClassRefused("no_such_code")
    if Membership.objects.filter(classroom=classroom, user=user).exists():
        return classroom
    _must_be_open(classroom)
    with transaction.atomic():
        Classroom.objects.select_for_update().get(id=classroom.id)
        if classroom.memberships.count() >= MEMBERS_MAX:
            raise ClassRefused("class_full", most=MEMBERS_MAX)
        Membership.objects.get_or_create(classroom=classroom, user=user)
    notify_instructors(classroom.id)
    return classroom


@transaction.atomic
def rename(classroom: Classroom, actor: User, name: str) -> None:
    note(classroom, actor, "renamed", before=classroom.name, after=name)
    classroom.name = name
    classroom.save(update_fields=["name"])


@transaction.atomic
def change_code(classroom: Classroom, actor: User) -> None:
    """Give the class a new code. The old code and the link with it stop working; members stay."""
    classroom.code = new_code()
    classroom.save(update_fields=["code"])
    note(classroom, actor, "new_code")


@transaction.atomic
def set_archived(classroom: Classroom, actor: User, archived: bool) -> None:
    if archived == (classroom.archived is not None):
        return
    classroom.archived = timezone.now() if archived else None
    classroom.save(update_fields=["archived"])
    note(classroom, actor, "archived" if archived else "reopened")


@transaction.atomic
def delete_class(classroom: Classroom, actor: User) -> None:
    """Delete an archived class with its assignments, their attempts, and its audit log. Raises ClassRefused
    if the class is not archived."""
    if classroom.archived is None:
        raise ClassRefused("not_archived")
    note(None, actor, "deleted_class", name=classroom.name)
    classroom.delete()


@transaction.atomic
def set_part(membership: Membership, actor: User, part: Part) -> None:
    if part != Part.INSTRUCTOR:
        _must_keep_an_instructor(membership)
    membership.part = part
    membership.save(update_fields=["part"])
    note(membership.classroom, actor, f"made_{part}")


@transaction.atomic
def remove_member(membership: Membership, actor: User) -> None:
    """End a membership, and delete the member's attempts in the class. Raises ClassRefused if the member is
    the only instructor."""
    _must_keep_an_instructor(membership)
    Attempt.objects.filter(assignment__classroom=membership.classroom_id, user=membership.user_id).delete()
    membership.delete()
    if actor.pk != membership.user_id:
        note(membership.classroom, actor, "removed")


def _must_keep_an_instructor(membership: Membership) -> None:
    teachers = Membership.objects.select_for_update().filter(
        classroom=membership.classroom_id, part=Part.INSTRUCTOR
    )
    # The rows themselves are selected, because a count would lock no row in the database.
    if membership.part == Part.INSTRUCTOR and len(teachers) == 1:
        raise ClassRefused("last_instructor")


def _must_be_open(classroom: Classroom) -> None:
    if classroom.archived is not None:
        raise ClassRefused("archived")


# -- assignments ---------------------------------------------------------------------------------------------


@transaction.atomic
def give_assignment(classroom: Classroom, actor: User, assignment: Assignment) -> Assignment:
    """Store an assignment that its form has validated. Raises ClassRefused if the class is archived or has
    too many assignments."""
    _must_be_open(classroom)
    if classroom.assignments.count() >= ASSIGNMENTS_MAX:
        raise ClassRefused("too_many_assignments", most=ASSIGNMENTS_MAX)
    assignment.classroom = classroom
    assignment.save()
    note(classroom, actor, "assigned", title=assignment.title)
    notify_instructors(classroom.id)
    return assignment


@transaction.atomic
def change_assignment(assignment: Assignment, actor: User, changed: Mapping[str, Any]) -> None:
    """Store the changed fields of an assignment, which its form has validated. After a learner has begun,
    raises ClassRefused for a change of the fields of `_asked_of`; before, such a change deletes the attempts
    of instructors. Also raises ClassRefused if the class is archived."""
    _must_be_open(assignment.classroom)
    held = Assignment.objects.select_for_update().get(pk=assignment.pk)
    changed = {name: value for name, value in changed.items() if getattr(held, name) != value}
    if not changed:
        return
    if not _asked_of(held).isdisjoint(changed):
        if learners_attempts(held):
            raise ClassRefused("already_begun")
        held.attempts.all().delete()
    for name, value in changed.items():
        setattr(held, name, value)
    held.save(update_fields=list(changed))
    note(assignment.classroom, actor, "changed", title=held.title)
    notify_instructors(assignment.classroom_id)


def _asked_of(assignment: Assignment) -> frozenset[str]:
    """The names of the fields of an assignment on which its attempts depend."""
    return frozenset(("version", "variant", "track", *kind_of(assignment).fields()))


def learners_attempts(assignment: Assignment) -> int:
    """The number of attempts that learners of the class have begun at the assignment. Attempts of instructors
    do not count."""
    learners = Membership.objects.filter(classroom=assignment.classroom_id, part=Part.LEARNER)
    return assignment.attempts.filter(user__in=learners.values("user")).count()


@transaction.atomic
def withdraw_assignment(assignment: Assignment, actor: User, with_attempts: bool = False) -> None:
    """Delete an assignment with all attempts at it. Raises ClassRefused if learners have begun attempts and
    the instructor did not agree to delete them (`with_attempts`)."""
    count = learners_attempts(assignment)
    if count and not with_attempts:
        raise ClassRefused("attempts_are_deleted", count=count)
    note(assignment.classroom, actor, "withdrew", title=assignment.title)
    assignment.delete()


# -- attempts ------------------------------------------------------------------------------------------------


def _must_take_work(assignment: Assignment, user: User) -> None:
    """Raises ClassRefused if the class is archived, or if the assignment is not open yet or is closed.
    Instructors of the class may try the assignment at any time."""
    _must_be_open(assignment.classroom)
    if not (assignment.is_ahead or assignment.is_closed):
        return
    if not Assignment.objects.taught_by(user).filter(pk=assignment.pk).exists():
        raise ClassRefused("not_open_yet" if assignment.is_ahead else "closed")


def begin(user: User, assignment: Assignment, chosen: dict[str, Any] | None = None) -> Attempt:
    """The learner's open attempt or, if there is none, a new one. `chosen`: the values that the learner chose
    before it begins. Raises ClassRefused or Problem."""
    _must_take_work(assignment, user)
    open_one = Attempt.objects.of(user).open().filter(assignment=assignment).first()
    if open_one is not None:
        return open_one
    begun = Attempt.objects.of(user).filter(assignment=assignment).count()
    if begun >= assignment.attempts_max:
        raise ClassRefused("no_attempts_left", most=assignment.attempts_max)
    session = _run(user, assignment, chosen or {})
    try:
        with transaction.atomic():
            _must_be_the_same(assignment)
            attempt = Attempt.objects.create(
                assignment=assignment, user=user, number=begun + 1, session=session, chosen=chosen or {}
            )
    except IntegrityError:  # Another request at the same time created the attempt.
        if session is not None:
            session.delete()
        return Attempt.objects.get(assignment=assignment, user=user, number=begun + 1)
    except ClassRefused:
        if session is not None:
            session.delete()
        raise
    notify_instructors(assignment.classroom_id)
    return attempt


def _must_be_the_same(assignment: Assignment) -> None:
    """Raises ClassRefused if the assignment was withdrawn, or if its fields of `_asked_of` have changed since
    the caller read it."""
    now = Assignment.objects.select_for_update().filter(pk=assignment.pk).first()
    asked = _asked_of(assignment)
    if now is None or any(getattr(now, name) != getattr(assignment, name) for name in asked):
        raise ClassRefused("changed_meanwhile")


def _run(user: User, assignment: Assignment, chosen: dict[str, Any]) -> Session | None:
    """A new session for the attempt; None for an assignment without a scenario. Raises Problem."""
    version = assignment.version
    if version is None:
        return None
    if chosen:
        try:
            version = with_settings(version, assignment.variant, chosen)
        except BadScenario as bad:
            raise bad_scenario(bad) from None
    return create_session(user.owner_key, version, assignment.variant)


def judgement_of(attempt: Attempt) -> Judgement:
    """The judgement that the attempt would get if it were submitted now. Raises ClassRefused if the run that
    decides it could not be made."""
    try:
        return judge(attempt)
    except Busy as busy:
        raise ClassRefused.for_now("busy", busy.seconds) from None
    except BeyondBounds:
        raise ClassRefused("too_much") from None


def hand_in(attempt: Attempt, text: str = "", **answer: Any) -> Attempt:
    """Judge and close the attempt. A second call changes nothing. `text` and `answer`: the values of the
    `answer_fields` of the assignment's kind. Raises ClassRefused."""
    assignment = attempt.assignment
    _must_take_work(assignment, attempt.user)
    _must_be_answered(assignment, {"text": text.strip(), **answer})
    attempt.text = text.strip()
    attempt.chosen = {**attempt.chosen, **answer}
    judgement = judgement_of(attempt)
    with transaction.atomic():
        held = Attempt.objects.select_for_update().get(pk=attempt.pk)
        if held.outcome != Outcome.OPEN:
            return held
        held.outcome = judgement.outcome
        held.score, held.score_max = judgement.score, judgement.score_max
        held.evidence = {"reason": judgement.reason, **judgement.evidence}
        held.text, held.chosen = attempt.text, attempt.chosen
        held.handed_in = timezone.now()
        held.save()
    notify_instructors(assignment.classroom_id)
    return held


def _must_be_answered(assignment: Assignment, answer: dict[str, Any]) -> None:
    fields = kind_of(assignment).answer_fields()
    if any(field.required and answer.get(name) in (None, "") for name, field in fields.items()):
        raise ClassRefused("not_answered")


def keep_text(attempt: Attempt, text: str) -> None:
    """Store the draft of a learner's text, which only the learner sees. Raises ClassRefused."""
    _must_take_work(attempt.assignment, attempt.user)
    Attempt.objects.open().filter(pk=attempt.pk).update(text=text.strip())


@transaction.atomic
def answer_text(attempt: Attempt, actor: User, passed: bool, comment: str) -> None:
    """Store an instructor's decision on a learner's text. Raises ClassRefused if assignments of this kind
    have no text, or if the text was not submitted yet."""
    if not kind_of(attempt.assignment).is_read or attempt.handed_in is None:
        raise ClassRefused("nothing_to_read")
    attempt.outcome = Outcome.PASSED if passed else Outcome.FAILED
    attempt.comment = comment.strip()
    attempt.save(update_fields=["outcome", "comment"])
    note(attempt.assignment.classroom, actor, "read", title=attempt.assignment.title)
    notify_instructors(attempt.assignment.classroom_id)
