"""Drafts and their versions: stored, found, published, compared with a newer engine, copied and deleted."""

from __future__ import annotations

import io
import re
import tomllib
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from engine.scenario.bounds import TEXT_BYTES_MAX
from engine.scenario.shelf import entry
from eosviz.accounts.belongings import holdings, packed
from eosviz.accounts.models import User
from eosviz.accounts.roles import Role
from eosviz.bounded import runner
from eosviz.bounded.refusing import Stopped
from eosviz.bounded.register import COMMAND_LINE
from eosviz.bounded.tasks import TASKS
from eosviz.bounded.waiting_rows import ASK_AGAIN_SECONDS
from eosviz.catalogue import say
from eosviz.classroom.actions import begin, create_class, join, set_part
from eosviz.classroom.models import Classroom, Membership, Part
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.actions import create_session
from eosviz.walkthroughs.models import Branch, Intervention, Session
from eosviz.workshop import actions, publishing, tasks
from eosviz.workshop.actions import WorkshopRefused
from eosviz.workshop.models import TAGS_MAX, Draft, Edition, Publishing, Visibility
from eosviz.workshop.tasks import check_editions
from eosviz.workshop.tasks import publish as publish_task
from tests.accounts.conftest import person, signed_in
from tests.bounded.work import never_in_time
from tests.walkthroughs.conftest import carry_out, root
from tests.workshop.conftest import TEXT

pytestmark = pytest.mark.django_db


def refused(call: Any, *args: Any, **named: Any) -> str:
    with pytest.raises(WorkshopRefused) as caught:
        call(*args, **named)
    return caught.value.reason


# -- keeping -------------------------------------------------------------------------------------------------


def test_a_saved_text_is_kept_right_or_not_and_what_lists_show_is_read_from_the_last_readable_one(
    draft: Draft,
) -> None:
    assert (draft.identifier, draft.title["zh-Hans"]) == ("MY-LOST", "确认丢失")
    held = actions.save(draft, "id = [", draft.revision, ["Retries", " retries ", "acks"], "en")
    assert (held.text, held.identifier, held.tags) == ("id = [", "MY-LOST", ["retries", "acks"])
    again = actions.save(held, TEXT.replace("MY-LOST", "MY-2"), held.revision, [], "both")
    assert (again.identifier, again.tags, again.revision) == ("MY-2", [], draft.revision + 2)


def test_saving_an_older_revision_is_refused_and_overwrites_nothing(draft: Draft) -> None:
    actions.save(draft, TEXT + "# one\n", draft.revision, [], "both")
    assert refused(actions.save, draft, TEXT + "# other\n", draft.revision, [], "both") == "changed_elsewhere"
    draft.refresh_from_db()
    assert draft.text.endswith("# one\n")


def test_bounds_are_reported(ina: User, draft: Draft, settings: Any) -> None:
    assert refused(actions.save, draft, "#" * (TEXT_BYTES_MAX + 1), 1, [], "both") == "too_long"
    assert refused(actions.save, draft, "a\0", 1, [], "both") == "not_text"
    assert (
        refused(actions.save, draft, TEXT, 1, [f"tag {n}" for n in range(TAGS_MAX + 1)], "both") == "bad_tags"
    )
    settings.QUOTAS = {**settings.QUOTAS, "drafts": 1, "editions": 0}
    assert refused(actions.create_draft, ina, TEXT) == "too_many_drafts"
    assert refused(actions.publish, draft) == "too_many_editions"


# -- publishing ----------------------------------------------------------------------------------------------


def test_publishing_makes_a_version_for_ever_and_the_same_text_none_more(draft: Draft) -> None:
    first = actions.publish(draft)
    assert actions.publish(draft).pk == first.pk
    assert first.outcome[""]["finished"] == "complete"
    assert first.outcome[""]["verdicts"][0]["duplicates"] == 1
    assert len(first.step_digests[""]) == 8 * first.outcome[""]["steps"] > 0
    draft = actions.save(draft, TEXT.replace("retries = 3", "retries = 0"), draft.revision, [], "both")
    second = actions.publish(draft)
    assert (second.number, second.outcome[""]["verdicts"][0]["duplicates"]) == (2, 0)
    first.refresh_from_db()
    assert first.version.document["producers"][0]["settings"]["retries"] == 3


@pytest.mark.parametrize(
    ("language", "kept", "title"), [("en", "en", "My scenario"), ("zh-hans", "zh-Hans", "我的场景")]
)
def test_an_empty_scenario_is_written_in_the_language_of_its_author(
    ina: User, language: str, kept: str, title: str
) -> None:
    signed_in(ina).post("/workshop/make", headers={"accept-language": language})
    draft = Draft.objects.get()
    assert (draft.language, draft.title) == (kept, {"en": title, "zh-Hans": title})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("id = [", "no_toml"),
        (TEXT.replace("t-0", "x-9"), "mistakes"),
        (TEXT.replace("MY-LOST", "SC-03"), "bad_id"),
        (TEXT.replace("MY-LOST", "a/../b"), "bad_id"),
        ('id = "MY-1"\ntitle = { en = "", zh-Hans = "" }\n', "nothing_happens"),
        (TEXT + "[limits]\nsteps = 20001\n", "limit_too_high"),
    ],
)
def test_what_cannot_be_played_is_not_published(ina: User, text: str, reason: str) -> None:
    draft = actions.create_draft(ina, text)
    assert refused(actions.publish, draft) == reason
    assert not Edition.objects.exists()


def test_a_file_that_ends_too_early_is_refused_at_its_last_line(ina: User) -> None:
    with pytest.raises(actions.WorkshopRefused) as ended:
        actions.from_text(ina, 'id = "x"\nseed = [')
    assert ended.value.params["line"] == 2


def test_a_scenario_called_after_a_version_of_kafka_has_pictures_and_links(ina: User) -> None:
    draft = actions.create_draft(ina, TEXT.replace("MY-LOST", "MY-2.8"))
    edition, browser = actions.publish(draft), signed_in(ina)
    assert "/cards/MY-2.8/" in browser.get(f"/workshop/{draft.id}/").content.decode()
    browser.post(f"/workshop/{draft.id}/versions/{edition.number}/start")
    session = Session.objects.get()
    answer = browser.get(f"/sessions/{session.id}/link?branch={root(session).id}&step=0").json()
    assert browser.get(answer["address"]).status_code == 200


def test_an_edition_whose_variants_are_stored_in_another_order_equals_its_own_run(ina: User) -> None:
    variants = "".join(
        f'\n[[variants]]\nname = "{name}"\ntitle = {{ en = "{name}", zh-Hans = "{name}" }}\n'
        f"set = {{ {path} = {value} }}\n"
        for name, path, value in (
            ("slower", '"cluster.latency_ms"', 3),
            ("once", '"producers.p1.settings.retries"', 0),
        )
    )
    edition = actions.publish(actions.create_draft(ina, TEXT + variants))
    # PostgreSQL sorts the keys of JSON by their length.
    in_order = dict(sorted(edition.outcome.items(), key=lambda one: len(one[0])))
    assert list(in_order) == ["", "once", "slower"]
    Edition.objects.filter(pk=edition.pk).update(outcome=in_order)
    assert actions.check(Edition.objects.get(pk=edition.pk)) is None


def test_a_newer_engine_that_makes_other_steps_is_reported_with_the_first_of_them(
    draft: Draft, settings: Any, ina: User
) -> None:
    edition = actions.publish(draft)
    assert actions.check(edition) is None
    digests = bytearray(edition.step_digests[""])
    digests[8 * 6] ^= 1  # as if an engine had made another seventh step
    Edition.objects.filter(pk=edition.pk).update(steps=Edition.pack([bytes(digests)]), checked="1")
    output = io.StringIO()
    call_command("check_editions", stdout=output)
    assert (
        "step 7 is another one" in output.getvalue() and "1 compared, 1 of them differ" in output.getvalue()
    )
    assert settings.CELERY_BEAT_SCHEDULE["check_editions"]["task"] == check_editions.name
    check_editions()  # as the schedule and a starting worker request it; all versions were compared just now
    edition.refresh_from_db()
    assert edition.differs is not None
    assert (edition.differs["variant"], edition.differs["step"]) == ("", 7)
    browser = signed_in(ina)
    assert "MY-LOST" in browser.get("/workshop/").content.decode()
    page = browser.get(f"/workshop/{draft.id}/").content.decode()
    assert "step 7 differs" in page
    browser.post(f"/workshop/{draft.id}/seen")
    assert "step 7 differs" not in browser.get(f"/workshop/{draft.id}/").content.decode()


def test_sessions_keep_the_version_they_were_made_with(draft: Draft, ina: User, client: Any) -> None:
    actions.publish(draft)
    draft.visibility = Visibility.LINK
    draft.save()
    assert client.post(f"/workshop/{draft.id}/versions/1/start").status_code == 302
    session = Session.objects.get()
    signed_in(ina).post(f"/workshop/{draft.id}/delete")
    assert not Draft.objects.exists() and not Edition.objects.exists()
    session.refresh_from_db()
    assert client.get(f"/sessions/{session.id}/").status_code == 200
    carry_out(session, "advance", root(session), after=0, count=5)


def test_a_deleted_scenario_takes_along_the_versions_without_runs(draft: Draft) -> None:
    actions.publish(draft)
    actions.delete_draft(draft, draft.owner)
    assert not ScenarioVersion.objects.filter(identifier="MY-LOST").exists()


# -- where drafts come from ----------------------------------------------------------------------------------


def test_a_library_scenario_is_copied_with_its_comments(ina: User) -> None:
    draft = actions.from_library(ina, ScenarioVersion.objects.library().get(identifier="SC-03"))
    assert [line for line in draft.text.splitlines() if line.startswith("#")] == [
        line for line in entry("SC-03").text.splitlines() if line.startswith("#")
    ]
    assert (draft.identifier, draft.origin_name) == ("MY-SC-03", "SC-03")
    actions.publish(draft)


def test_a_fork_keeps_its_origin_and_outlives_it(draft: Draft, lea: User) -> None:
    edition = actions.publish(draft)
    copied = actions.fork(lea, edition)
    assert (copied.origin, copied.owner) == (edition, lea)
    actions.delete_draft(draft, draft.owner)
    copied.refresh_from_db()
    assert (copied.origin, copied.origin_name) == (None, "MY-LOST · 1")


def test_a_copy_that_would_outgrow_the_bound_with_its_new_name_is_refused(draft: Draft, lea: User) -> None:
    edition = actions.publish(draft)
    text = TEXT.replace("MY-LOST", "LOST")
    edition.text = text + "#" * (TEXT_BYTES_MAX - len(text.encode()))
    assert refused(actions.fork, lea, edition) == "cannot_write"


def test_what_was_done_in_a_session_becomes_the_fault_script(ina: User) -> None:
    version = ScenarioVersion.objects.library().get(identifier="SC-44")
    session = create_session(ina.owner_key, version, "k28")
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=30)
    carry_out(session, "intervene", branch, after=30, intervention={"action": "crash", "actor": "broker-2"})
    newest = Branch.objects.filter(session=session).order_by("-id")[0]
    draft, left_out = actions.from_branch(ina, newest)
    document = tomllib.loads(draft.text)
    assert left_out == 0 and "variants" not in document
    assert document["profile"] == "k28"
    (fault,) = document["faults"]
    assert (fault["action"], fault["actor"]) == ("crash", "broker-2") and fault["at"] > 0
    assert draft.origin_name == "SC-44/k28"
    assert actions.publish(draft).outcome[""]["steps"] > 30


def test_a_run_that_takes_too_much_to_be_made_again_becomes_no_scenario(
    ina: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    session = create_session(ina.owner_key, ScenarioVersion.objects.library().get(identifier="SC-03"))
    browser, address = signed_in(ina), f"/workshop/from-branch/{root(session).id}"
    with monkeypatch.context() as patch:
        patch.setitem(TASKS, "script", never_in_time(TASKS["script"]))
        assert "needs more time or memory than the server allows" in browser.post(address).content.decode()
        patch.setattr(runner, "WAIT_SECONDS_MAX", 0)
        settings.BOUNDED_MEMORY_BYTES = 0
        full = browser.post(address)
        assert (full.status_code, full["Retry-After"]) == (503, str(runner.BUSY_SECONDS))
    assert not Draft.objects.exists()


def test_what_the_engine_does_not_take_any_more_becomes_no_scenario(ina: User) -> None:
    session = create_session(ina.owner_key, ScenarioVersion.objects.library().get(identifier="SC-03"))
    unknown = {"after": 3, "intervention": {"action": "crash", "actor": "broker-9"}}
    later = {"after": 5, "intervention": {"action": "crash", "actor": "broker-2"}}
    Branch.objects.update(newest=6)
    Intervention.objects.add(root(session), [unknown, later])
    assert refused(actions.from_branch, ina, root(session)) == "cannot_replay"


def test_one_file_goes_out_and_comes_back(draft: Draft, ina: User, lea: User) -> None:
    file = signed_in(ina).get(f"/workshop/{draft.id}/scenario.toml")
    assert "attachment" in file["Content-Disposition"] and file.content.decode() == TEXT
    upload = SimpleUploadedFile("mine.toml", file.content)
    assert signed_in(lea).post("/workshop/import", {"file": upload}).status_code == 302
    assert Draft.objects.of(lea).get().text == TEXT


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"id = [", b"a" * (TEXT_BYTES_MAX + 1), b"\0", b"", b"<script>alert(1)</script>"],
)
def test_hostile_files_leave_no_row_or_one_that_says_what_is_wrong(lea: User, content: bytes) -> None:
    answer = signed_in(lea).post("/workshop/import", {"file": io.BytesIO(content)})
    assert answer.status_code in (302, 422)
    assert Draft.objects.count() == (answer.status_code == 302)
    assert b"<script>alert" not in answer.content


def test_the_page_offers_what_can_be_done_with_the_newest_version(draft: Draft, ina: User) -> None:
    """A text that is already a version is not published again, and without questions there is no *predict*
    assignment.
    """
    address, browser = f"/workshop/{draft.id}/", signed_in(ina)
    assert f"{address}publish" in browser.get(address).content.decode()
    actions.publish(draft)
    room = create_class(ina, "Streams")
    page = browser.get(address).content.decode()
    assert f"{address}publish" not in page
    offered = re.findall(rf"/classes/{room.id}/assign/(\w+)/", page)
    assert offered == ["watch", "break", "hold", "explain"]
    draft = actions.save(draft, f"{TEXT}# Another.\n", draft.revision, [], "both")
    assert f"{address}publish" in browser.get(address).content.decode()


def test_a_version_is_given_to_a_class_by_its_author_alone(draft: Draft, ina: User, lea: User) -> None:
    edition = actions.publish(draft)
    room = create_class(ina, "Streams")
    asked = {"title": "Look", "material": f"edition:{edition.pk}", "attempts_max": 3}
    other = person("ines@example.org", Role.INSTRUCTOR)
    set_part(join_as(room, other), ina, Part.INSTRUCTOR)
    address = f"/classes/{room.id}/assign/watch/"
    assert signed_in(other).post(address, asked).status_code == 422
    assert f"edition:{edition.pk}" in signed_in(ina).get(address).content.decode()
    assert signed_in(ina).post(address, asked).status_code == 302
    given = room.assignments.get()
    assert given.version == edition.version
    join(lea, room.code)
    actions.delete_draft(draft, draft.owner)
    session = begin(lea, given).session
    assert session is not None and session.version == given.version


def join_as(room: Classroom, user: User) -> Membership:
    join(user, room.code)
    return Membership.objects.get(classroom=room, user=user)


# -- the gallery ---------------------------------------------------------------------------------------------


@pytest.fixture
def gallery(ina: User) -> list[Draft]:
    found = []
    for number, (language, profile, tags) in enumerate(
        [("both", "k28", "|order|"), ("en", "k20", "|order|retries|"), ("zh-Hans", "k28", "")]
    ):
        text = TEXT.replace("MY-LOST", f"MY-{number}").replace(
            "[title]", f'profile = "{profile}"\n[title]', 1
        )
        draft = actions.create_draft(ina, text, tags=tags)
        draft.language, draft.visibility = language, Visibility.PUBLIC
        draft.save()
        version = ScenarioVersion.objects.of_document(draft.identifier, tomllib.loads(text))
        draft.editions.create(
            number=1,
            version=version,
            text=text,
            engine="2",
            outcome={"": {"steps": 0}},
            steps=Edition.pack([]),
        )
        found.append(draft)
    return found


def names(**asked: str) -> set[str]:
    filters = {"query": "", "tag": "", "language": "", "profile": "", **asked}
    return {draft.identifier for draft in Draft.objects.gallery().matching(**filters)}


def test_the_gallery_finds_by_words_tag_language_and_version(gallery: list[Draft]) -> None:
    assert names() == {"MY-0", "MY-1", "MY-2"}
    assert names(query="确认 my-1") == {"MY-1"}
    assert names(tag="order") == {"MY-0", "MY-1"}
    assert names(tag="orde") == set()
    assert names(language="en") == {"MY-0", "MY-1"}
    assert names(profile="k20") == {"MY-1"}
    Draft.objects.filter(identifier="MY-0").update(visibility=Visibility.LINK)
    assert names() == {"MY-1", "MY-2"}


def test_a_filter_without_a_match_does_not_say_that_nothing_is_published(
    gallery: list[Draft], client: Any
) -> None:
    page = client.get("/workshop/", {"tag": "nowhere"}).content.decode()
    assert say("library.nothing_found", "en") in page
    assert say("workshop.gallery.none", "en") not in page


def test_the_gallery_asks_the_database_as_often_for_many_as_for_few(
    gallery: list[Draft], client: Any, ina: User
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            assert client.get("/workshop/").status_code == 200
        return len(caught)

    queries()
    few = queries()
    for draft in gallery:
        for number in range(12):
            edition = draft.editions.get()
            draft.pk, draft._state.adding = None, True
            draft.identifier = f"{draft.identifier}-{number}"
            draft.save(force_insert=True)
            edition.pk, edition.draft, edition._state.adding = None, draft, True
            edition.save(force_insert=True)
    assert queries() == few


def test_the_account_s_page_counts_what_was_built_and_packs_it(draft: Draft, ina: User) -> None:
    import zipfile

    actions.publish(draft)
    assert next(one.count for one in holdings(ina) if one.kind == "drafts") == 1
    with packed(ina) as file, zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.startswith("scenarios/")]
        assert {name.rsplit("/", 1)[1] for name in names} == {"draft.toml", "version-1.toml"}


def test_only_instructors_publish_for_all_and_only_to_classes_they_teach(ina: User, lea: User) -> None:
    mine = actions.create_draft(lea, TEXT)
    assert refused(actions.set_visibility, mine, lea, Visibility.PUBLIC, None) == "not_to_all"
    assert refused(actions.set_visibility, mine, lea, Visibility.CLASS, None) == "no_class"
    actions.set_visibility(mine, lea, Visibility.LINK, None)
    own = actions.create_draft(ina, TEXT)
    actions.set_visibility(own, ina, Visibility.PUBLIC, None)
    own.refresh_from_db()
    assert own.visibility == Visibility.PUBLIC
    assert msgspec.json.encode(own.tags) == b"[]"


# -- a publication that waits --------------------------------------------------------------------------------


@pytest.fixture
def untaken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of drafts that a worker was asked to publish; no worker publishes them."""
    asked: list[str] = []
    monkeypatch.setattr(publish_task, "delay", asked.append)
    return asked


def shown(browser: Client, draft: Draft) -> str:
    return browser.get(f"/workshop/{draft.id}/").content.decode()


def test_a_publication_waits_for_its_turn_without_holding_the_request(
    draft: Draft, ina: User, untaken: list[str]
) -> None:
    browser, row = signed_in(ina), TASKS["outcomes"]
    assert browser.post(f"/workshop/{draft.id}/publish")["Location"] == f"/workshop/{draft.id}/"
    assert untaken == [str(draft.id)]
    waits = shown(browser, draft)
    assert "being queued" in waits and f'hx-get="/workshop/{draft.id}/publishing"' in waits
    register, place = runner.register(), Publishing.objects.get().place
    with register.enter(row, COMMAND_LINE, "ahead"), register.enter(row, COMMAND_LINE, place):
        state = browser.get(f"/workshop/{draft.id}/publishing", HTTP_HX_REQUEST="true").content.decode()
        assert "Number 2 of 2 in the queue" in state and "<html" not in state
        assert "Number 2 of 2 in the queue" in shown(browser, draft)
    actions.save(draft, draft.text + "# more", draft.revision, [], "both")
    publishing.carry_out(draft.id)
    assert Edition.objects.get().text == TEXT, "the text as it was when it was asked for"
    over = browser.get(f"/workshop/{draft.id}/publishing", HTTP_HX_REQUEST="true")
    assert over["HX-Redirect"] == f"/workshop/{draft.id}/"
    assert "hx-get" not in shown(browser, draft)


def test_a_publication_that_is_cancelled_makes_no_version(
    draft: Draft, ina: User, untaken: list[str]
) -> None:
    browser = signed_in(ina)
    browser.post(f"/workshop/{draft.id}/publish")
    browser.post(f"/workshop/{draft.id}/publishing/cancel")
    publishing.carry_out(draft.id)
    assert not Edition.objects.exists() and "hx-get" not in shown(browser, draft)


def test_a_publication_that_is_refused_later_says_why_until_the_text_is_another(
    draft: Draft, ina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = signed_in(ina)
    monkeypatch.setitem(TASKS, "outcomes", never_in_time(TASKS["outcomes"]))
    browser.post(f"/workshop/{draft.id}/publish")
    assert "more time or memory than the server allows" in shown(browser, draft)
    assert "more time or memory" not in shown(signed_in(person("leo@example.org")), draft)
    held = actions.save(draft, draft.text + "# shorter", draft.revision, [], "both")
    assert "more time or memory" not in shown(browser, held)
    monkeypatch.undo()
    browser.post(f"/workshop/{draft.id}/publish")
    assert Edition.objects.get().text == held.text and not Publishing.objects.exists()


def test_a_publication_that_a_stop_interrupted_is_taken_up_once_more(
    draft: Draft, ina: User, monkeypatch: pytest.MonkeyPatch, untaken: list[str]
) -> None:
    def stopped(*_: Any, **__: Any) -> Any:
        raise Stopped

    signed_in(ina).post(f"/workshop/{draft.id}/publish")
    with monkeypatch.context() as patch:
        patch.setattr(runner, "_run_process", stopped)
        publishing.carry_out(draft.id)
    assert Publishing.objects.unfinished().exists()
    tasks.publish_again()
    assert untaken == [str(draft.id)] * 2
    publishing.carry_out(draft.id)
    publishing.carry_out(draft.id)
    assert Edition.objects.count() == 1


def test_a_publication_that_no_worker_took_is_asked_for_again_by_its_page(
    draft: Draft, ina: User, untaken: list[str]
) -> None:
    browser = signed_in(ina)
    browser.post(f"/workshop/{draft.id}/publish")
    late = timezone.now() - timedelta(seconds=ASK_AGAIN_SECONDS + 1)
    for beat, asked in ((timezone.now(), 1), (late, 2), (timezone.now(), 2)):
        Publishing.objects.update(beat=beat)
        browser.get(f"/workshop/{draft.id}/publishing")
        assert len(untaken) == asked
