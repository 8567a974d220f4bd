"""Creates, changes, publishes and deletes drafts and their editions. The caller must have checked that the
user may use the rows. If a rule forbids the change, the functions raise `WorkshopRefused`."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from django.db import IntegrityError, transaction
from django.db.models import F, ProtectedError

from engine.explain.sentences import LANGUAGES
from engine.scenario.bounds import TEXT_BYTES_MAX
from engine.scenario.document import BadScenario, load, parse
from engine.scenario.mistakes import mistakes
from engine.scenario.shelf import library
from engine.simulation import ENGINE_VERSION
from eosviz import quotas
from eosviz.accounts.models import User
from eosviz.bounded import refusing as bounded
from eosviz.bounded import runner
from eosviz.bounded.refusing import BeyondBounds, Busy
from eosviz.bounded.register import Caller, caller
from eosviz.bounded.tasks import TASKS
from eosviz.classroom.audit import note
from eosviz.classroom.models import Classroom
from eosviz.refusals import Refusal
from eosviz.scenarios.editing import CannotEdit, Edit
from eosviz.scenarios.identifiers import ScenarioIdentifier
from eosviz.scenarios.models import ScenarioVersion, encode_document
from eosviz.scenarios.rewriting import edited, written
from eosviz.walkthroughs.asked_run import AskedRun
from eosviz.walkthroughs.models import Branch, Session, line_interventions
from eosviz.workshop.models import (
    EDITIONS_MAX,
    SEARCHED_CHARACTERS_MAX,
    TAG_CHARACTERS_MAX,
    TAGS_MAX,
    Draft,
    Edition,
    Language,
    Visibility,
)
from eosviz.workshop.scripting import Scripted
from eosviz.workshop.trial import STEPS_MAX, Outcome, outcomes

IDENTIFIER = re.compile(ScenarioIdentifier.regex)
FIRST_TITLE = {Language.ENGLISH: "My scenario", Language.CHINESE: "我的场景"}


class WorkshopRefused(Refusal):
    words = "workshop.refused"


# -- drafts --------------------------------------------------------------------------------------------------


@transaction.atomic
def create_draft(
    owner: User,
    text: str,
    *,
    origin: Edition | None = None,
    origin_name: str = "",
    tags: str = "",
    language: Language = Language.BOTH,
) -> Draft:
    """Creates a draft. Raises WorkshopRefused if the owner has too many drafts, or if the text cannot be
    stored."""
    quotas.check(owner.owner_key, "drafts", refused=WorkshopRefused)
    draft = Draft(owner=owner, origin=origin, origin_name=origin_name[:120], tag_line=tags, language=language)
    _take(draft, text)
    draft.save()
    return draft


def _take(draft: Draft, text: str) -> None:
    """Sets the text of the draft and, if the text can be parsed, the fields that lists show. Raises
    WorkshopRefused."""
    if len(text.encode()) > TEXT_BYTES_MAX:
        raise WorkshopRefused("too_long", most=TEXT_BYTES_MAX)
    if "\0" in text:
        raise WorkshopRefused("not_text")
    draft.text = text
    try:
        document = parse(text)
    except BadScenario:
        return
    draft.identifier = str(document.get("id", ""))[:64]
    draft.profile = str(document.get("profile", "k28"))[:16]
    title = document.get("title")
    draft.title = (
        {language: str(text)[:200] for language, text in title.items() if language in LANGUAGES}
        if isinstance(title, dict)
        else {}
    )
    words = [draft.identifier, draft.profile, *_words(document), *draft.tags]
    draft.searched = " ".join(words).lower()[:SEARCHED_CHARACTERS_MAX]


def _words(document: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for name in ("title", "summary", "watch_for", "lesson"):
        texts = document.get(name)
        found += [str(text) for text in texts.values()] if isinstance(texts, dict) else []
    covers = document.get("covers")
    return found + ([str(one) for one in covers] if isinstance(covers, list) else [])


def tag_line(tags: list[str]) -> str:
    """Returns the tags in the form of `Draft.tag_line`: in lower case, without duplicates. Raises
    WorkshopRefused if there are too many tags, or if a tag is too long or contains `|`."""
    kept = list(dict.fromkeys(" ".join(tag.lower().split()) for tag in tags))
    kept = [tag for tag in kept if tag]
    if len(kept) > TAGS_MAX or any(len(tag) > TAG_CHARACTERS_MAX or "|" in tag for tag in kept):
        raise WorkshopRefused("bad_tags", most=TAGS_MAX, characters=TAG_CHARACTERS_MAX)
    return f"|{'|'.join(kept)}|" if kept else ""


def save(draft: Draft, text: str, revision: int, tags: list[str], language: str) -> Draft:
    """Saves the draft, and returns it with its new revision. A repeated request changes nothing. Raises
    WorkshopRefused if the draft was changed elsewhere since `revision`, or if the text or the tags cannot be
    stored."""
    with transaction.atomic():
        held = Draft.objects.select_for_update().get(pk=draft.pk)
        kept = (held.text, held.language, held.tag_line) == (text, language, tag_line(tags))
        if kept and held.revision == revision + 1:
            return held  # it was saved before, but the answer did not arrive
        if held.revision != revision:
            raise WorkshopRefused("changed_elsewhere", revision=held.revision)
        held.tag_line = tag_line(tags)
        held.language = Language(language)
        _take(held, text)
        held.revision += 1
        held.save()
    return held


def delete_draft(draft: Draft, actor: User) -> None:
    """Deletes a draft and its editions. Also deletes the versions of these editions, except those that are in
    use."""
    with transaction.atomic():
        note(draft.classroom, actor, "deleted_scenario", name=str(draft))
        versions = list(draft.editions.values_list("version_id", flat=True))
        draft.delete()
    for version in ScenarioVersion.objects.filter(id__in=versions, library_position=None):
        try:
            with transaction.atomic():
                version.delete()
        except ProtectedError:
            continue


def set_visibility(draft: Draft, actor: User, visibility: Visibility, classroom: Classroom | None) -> None:
    """Sets who can find the draft's editions. `classroom`: used only for visibility *class*; it must be a
    class that the actor teaches. Raises WorkshopRefused."""
    if visibility == Visibility.CLASS and classroom is None:
        raise WorkshopRefused("no_class")
    if visibility == Visibility.PUBLIC and not actor.has_perm("workshop.publish_to_all"):
        raise WorkshopRefused("not_to_all")
    with transaction.atomic():
        room = classroom if visibility == Visibility.CLASS else None
        # The class that could see the draft before gets an entry, too.
        concerned: set[Classroom | None] = {one for one in (draft.classroom, room) if one is not None} or {
            None
        }
        for each in concerned:
            note(each, actor, f"visible_{visibility}", name=str(draft))
        draft.visibility = visibility
        draft.classroom = room
        draft.save(update_fields=["visibility", "classroom", "changed"])


# -- where drafts come from ----------------------------------------------------------------------------------


def from_nothing(owner: User, language: Language) -> Draft:
    """Creates a draft with an empty scenario in one language. The author needs to write the other language
    only after choosing both languages."""
    title = FIRST_TITLE[language]
    text = f'id = "MY-1"\nprofile = "k28"\n\n[title]\nen = "{title}"\nzh-Hans = "{title}"\n'
    return create_draft(owner, text, language=language)


def from_library(owner: User, version: ScenarioVersion) -> Draft:
    """Creates a draft that is a copy of a library scenario, with its comments. Raises WorkshopRefused."""
    text = _renamed(text_of(version, owner), owner)
    return create_draft(owner, text, origin_name=version.identifier)


def fork(owner: User, edition: Edition) -> Draft:
    name = f"{edition.version.identifier} · {edition.number}"
    tags = edition.draft.tag_line
    return create_draft(owner, _renamed(edition.text, owner), origin=edition, origin_name=name, tags=tags)


def from_text(owner: User, text: str) -> Draft:
    """Creates a draft with the text of an imported file, which need not be valid. Raises WorkshopRefused, for
    example if the text is not TOML."""
    try:
        parse(text)
    except BadScenario as bad:
        raise _unreadable(bad, text) from None
    return create_draft(owner, text)


def _unreadable(bad: BadScenario, text: str) -> WorkshopRefused:
    """Returns the refusal of a text that ``parse`` refuses. If the error has no line number, the refusal
    names the last line."""
    line = bad.line or text.count("\n") + 1
    return WorkshopRefused("no_toml", reason=bad.sentences["reason"], line=line)


def from_branch(owner: User, branch: Branch) -> tuple[Draft, int]:
    """Turns the interventions of this branch and its ancestors into a fault script. Returns the draft, and
    how many interventions are left out because no rule of a script can express them. Raises
    WorkshopRefused."""
    session = branch.session
    script = _script_of(session, line_interventions(Branch.objects.line(branch)), caller(owner.owner_key))
    name = session.version.identifier + (f"/{session.variant}" if session.variant else "")
    text = text_of(session.version, owner)
    if session.variant:
        edits = _edits_of_variant(session.version.document, script.scenario)
        text = _changed(text, edits, owner)
    edits = [Edit("add", ["faults"], _without_nothing(rule)) for rule in script.rules]
    if "expect" in parse(text) and script.rules:
        edits.append(Edit("remove", ["expect"]))
    text = _changed(text, edits, owner)
    return create_draft(owner, _renamed(text, owner), origin_name=name), script.left_out


def _script_of(session: Session, done: list[dict[str, Any]], asks: Caller) -> Scripted:
    version = session.version
    asked = AskedRun(version.document, version.identifier, session.variant, done)
    try:
        with within_bounds():
            return msgspec.json.decode(runner.answer(TASKS["script"], asked, asks), type=Scripted)
    except bounded.Refused as refused:
        raise WorkshopRefused(refused.key, **refused.params) from None


def _without_nothing(rule: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if value is not None}


def _edits_of_variant(document: dict[str, Any], source: dict[str, Any]) -> list[Edit]:
    """Returns the edits that put the values of the variant into the document and remove the document's
    variants. `source`: the document with the values of the variant."""
    edits = [Edit("remove", ["variants"])]
    for key, value in source.items():
        if key not in ("variant_title", "expect_refused") and document.get(key) != value:
            edits.append(Edit("set", [key], copy.deepcopy(value)))
    return edits


def text_of(version: ScenarioVersion, asks: User) -> str:
    """Returns the TOML text of a version: as its author wrote it, if that text is known; otherwise a text
    made from the document. Raises WorkshopRefused."""
    for entry in library():
        if entry.id == version.identifier:
            if hashlib.sha256(encode_document(entry.document)).hexdigest() == version.digest:
                return entry.text
            break
    edition = Edition.objects.filter(version=version).order_by("published").first()
    if edition is not None:
        return edition.text
    return text_of_document(version.document, caller(asks.owner_key))


def text_of_document(document: dict[str, Any], asks: Caller) -> str:
    """Returns a text made from the document. Raises WorkshopRefused."""
    with _writing():
        return written(document, asks)


def _changed(text: str, edits: list[Edit], asks: User) -> str:
    with _writing():
        return edited(text, edits, caller(asks.owner_key))


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        with within_bounds():
            yield
    except (CannotEdit, BadScenario):
        raise WorkshopRefused("cannot_write", most=TEXT_BYTES_MAX) from None


def _renamed(text: str, asks: User) -> str:
    """Returns the text with an id that begins with `MY-`."""
    with _writing():
        name = str(parse(text).get("id", "MY"))[:30]
    return _changed(text, [Edit("set", ["id"], name if name.startswith("MY-") else f"MY-{name}")], asks)


# -- editions --------------------------------------------------------------------------------------------


def version_of_draft(draft: Draft) -> ScenarioVersion:
    """Returns the version of the saved draft, which its author can play. Raises WorkshopRefused."""
    document = _publishable(draft.text)
    return ScenarioVersion.objects.of_document(document["id"], document)


def is_published(draft: Draft) -> bool:
    """Returns whether the newest edition has the same text as the draft has now."""
    newest = _newest(draft)
    return newest is not None and newest.text == draft.text


def _newest(draft: Draft) -> Edition | None:
    return Edition.objects.filter(draft=draft).order_by("-number").first()


def check_publishable(draft: Draft) -> None:
    """Checks everything about the draft that can be checked without running the engine. Raises
    WorkshopRefused."""
    _check_to_publish(draft, draft.text, _newest(draft))


def _check_to_publish(draft: Draft, text: str, newest: Edition | None) -> dict[str, Any]:
    if newest is not None and newest.number >= EDITIONS_MAX:
        raise WorkshopRefused("too_many_versions", most=EDITIONS_MAX)
    quotas.check(draft.owner.owner_key, "editions", refused=WorkshopRefused)
    return _publishable(text)


def publish(draft: Draft, text: str | None = None, name: str | None = None) -> Edition:
    """Publishes the draft as it is now, or `text`, as an edition, and returns the edition. If the text has
    not changed, returns the newest edition. `name`: the name of the run in the queue of bounded processes;
    with a name, this call waits for a free process. Raises WorkshopRefused and, with a name, AlreadyThere,
    Cancelled or Stopped."""
    text = draft.text if text is None else text
    newest = _newest(draft)
    if newest is not None and newest.text == text:
        return newest
    document = _check_to_publish(draft, text, newest)
    made = _outcomes(text, caller(draft.owner.owner_key), name)
    edition = Edition(
        draft=draft,
        number=1 if newest is None else newest.number + 1,
        text=text,
        engine=ENGINE_VERSION,
        checked=ENGINE_VERSION,
        outcome={name: _stored_outcome(one) for name, one in made.items()},
        steps=Edition.pack([bytes.fromhex(one.digests) for one in made.values()]),
    )
    try:
        with transaction.atomic():
            quotas.check(draft.owner.owner_key, "editions", refused=WorkshopRefused)
            edition.version = ScenarioVersion.objects.of_document(document["id"], document)
            edition.save()
            note(draft.classroom, draft.owner, "published_scenario", name=str(draft), number=edition.number)
    except IntegrityError:  # of two requests at the same time, the other one created the edition
        return Edition.objects.get(draft=draft, number=edition.number)
    return edition


def _stored_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "finished": outcome.finished,
        "steps": outcome.steps,
        "verdicts": outcome.verdicts,
        "refused": outcome.refused,
    }


def _publishable(text: str) -> dict[str, Any]:
    try:
        document = parse(text)
    except BadScenario as bad:
        raise _unreadable(bad, text) from None
    found = mistakes(document, text=text)
    if found:
        raise WorkshopRefused("mistakes", count=len(found), place=found[0].place)
    if not IDENTIFIER.fullmatch(document["id"]) or any(entry.id == document["id"] for entry in library()):
        raise WorkshopRefused("bad_id", name=document["id"][:60])
    for variant in (None, *(one["name"] for one in document.get("variants", ()))):
        if load(document, variant)["limits"]["steps"] > STEPS_MAX:
            raise WorkshopRefused("limit_too_high", most=STEPS_MAX)
    return document


def _outcomes(text: str, author: Caller, name: str | None) -> dict[str, Outcome]:
    with within_bounds():
        made = outcomes(text, author, name)
    if not any(one.steps for one in made.values()) and not any(one.refused for one in made.values()):
        raise WorkshopRefused("nothing_happens")
    return made


@contextlib.contextmanager
def within_bounds() -> Iterator[None]:
    """Turns BeyondBounds and Busy, which bounded processes raise, into WorkshopRefused."""
    try:
        yield
    except Busy as busy:
        raise WorkshopRefused.for_now("busy_now", busy.seconds) from None
    except BeyondBounds as beyond:
        raise WorkshopRefused(beyond.key.removeprefix("workshop.refused.")) from None


def check(edition: Edition) -> dict[str, Any] | None:
    """Runs an edition again on this engine. Stores and returns the engine, the variant and the step of the
    first difference, or None if there is none. Raises BeyondBounds or Busy."""
    differs = None
    made = outcomes(edition.text)
    for variant, before in edition.step_digests.items():
        now = made.get(variant)
        digests = b"" if now is None else bytes.fromhex(now.digests)
        step = _first_difference(before, digests)
        if step is None and (now is None or now.refused != edition.outcome[variant]["refused"]):
            step = 1
        if step is not None:
            differs = {"engine": ENGINE_VERSION, "variant": variant, "step": step}
            break
    Edition.objects.filter(pk=edition.pk).update(checked=ENGINE_VERSION, differs=differs)
    return differs


def check_all(
    *, again: bool = False
) -> Iterator[tuple[Edition, dict[str, Any] | None, Busy | BeyondBounds | None]]:
    """Calls `check` for each edition that was not yet compared with this engine or, with `again`, for every
    edition. Yields the edition, the difference (or None), and why it could not be run (or None)."""
    wanted = Edition.objects.all() if again else Edition.objects.to_check(ENGINE_VERSION)
    for name in list(wanted.order_by("published", "id").values_list("pk", flat=True)):
        edition = Edition.objects.select_related("version").filter(pk=name).first()
        if edition is None:
            continue  # it was deleted meanwhile
        try:
            yield edition, check(edition), None
        except (Busy, BeyondBounds) as error:
            yield edition, None, error


def _first_difference(before: bytes, now: bytes) -> int | None:
    """Returns the number of the first step that differs; None if the runs are the same."""
    if before == now:
        return None
    for at in range(0, min(len(before), len(now)), 8):
        if before[at : at + 8] != now[at : at + 8]:
            return at // 8 + 1
    return min(len(before), len(now)) // 8 + 1


def forget_differences(draft: Draft) -> None:
    """Clears the differences of all editions of a draft, because its author has seen them."""
    Edition.objects.filter(draft=draft, differs__isnull=False).update(differs=None, checked=F("checked"))
