"""A session is exported and imported again: verified, different, or made by another engine; and the pages around
this.
"""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from eosviz.bounded.tasks import TASKS
from eosviz.catalogue.served import catalogue_address
from eosviz.replays import verification
from eosviz.replays.actions import import_replay
from eosviz.replays.checking import check
from eosviz.replays.models import Replay, Upload
from eosviz.replays.refusal import ReplayRefused
from eosviz.walkthroughs.models import Session, Step
from tests.answers import streamed
from tests.bounded.work import never_in_time
from tests.replays.conftest import BROWSER, command, exported, imported, root, walk_to_end, with_branch
from tests.replays.stories import chained, header, lines, packed


def unpacked(file: bytes) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(file).splitlines()]


def repacked(made: list[Any]) -> bytes:
    """Return the file of changed lines, with a valid chain of digests."""
    raw = json.dumps(made[0], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    return packed(chained(raw, [(line["branch"], line["step"]) for line in made[1:-1]]))


def played(replay: Replay) -> Any:
    return json.loads(gzip.decompress(bytes(replay.player)))


@pytest.fixture
def whole(start: Callable[..., Session]) -> Session:
    """SC-03, played to its end."""
    session = start("SC-03")
    walk_to_end(session, root(session))
    return session


class TestVerified:
    def test_a_whole_session_comes_back_verified_with_the_same_steps(self, whole: Session) -> None:
        replay = imported(exported(whole))
        assert (replay.state, replay.steps) == ("verified", root(whole).newest)
        stored = [
            json.loads(body) for body in Step.objects.filter(branch=root(whole)).order_by("number").bodies()
        ]
        assert played(replay)["steps"] == {str(root(whole).id): stored}
        assert played(replay)["verified"]["state"] == "verified"

    def test_branches_and_interventions_are_run_again_too(self, whole: Session) -> None:
        child = with_branch(whole)
        replay = imported(exported(whole))
        assert replay.state == "verified"
        branches = {branch["id"]: branch for branch in played(replay)["branches"]}
        assert branches[str(child.id)]["leaves_at"] == child.leaves_at
        assert branches[str(child.id)]["first_broken"] == child.first_broken
        assert len(played(replay)["steps"][str(child.id)]) == child.newest - child.leaves_at

    def test_a_session_without_a_step_is_a_replay_too(self, start: Callable[..., Session]) -> None:
        assert imported(exported(start("SC-02"))).state == "verified"

    def test_the_same_session_gives_the_same_bytes(self, whole: Session) -> None:
        assert exported(whole) == exported(whole)

    def test_a_variant_is_run_again_as_that_variant(self, start: Callable[..., Session]) -> None:
        session = start("SC-19", "k20-node")
        command(session, "advance", root(session), after=0, count=30)
        replay = imported(exported(session))
        assert (replay.state, replay.variant) == ("verified", "k20-node")

    def test_an_injected_request_of_an_earlier_release_has_the_order_of_its_document(
        self, start: Callable[..., Session]
    ) -> None:
        """The file does not keep the order of the fields, so their values are compared, and not their order."""
        session = start("SC-49")
        walk_to_end(session, root(session))
        made = unpacked(exported(session))
        step = next(line["step"] for line in made[1:] if line["step"]["key"] == "fault.crafted_request")
        step["params"]["fields"].reverse()
        assert imported(repacked(made)).state == "verified"
        step["params"]["fields"][0] = "committed true"
        replay = imported(repacked(made))
        assert (replay.state, replay.finding["step"]) == ("differs", step["number"])

    def test_what_is_removed_may_have_held_others_that_are_gone(self, start: Callable[..., Session]) -> None:
        """The replicas of a deleted topic are removed after their batches."""
        session = start("SC-60")
        walk_to_end(session, root(session))
        assert imported(exported(session)).state == "verified"


class TestNotVerified:
    def test_the_first_step_that_differs_is_named(self, whole: Session) -> None:
        made = unpacked(exported(whole))
        made[20]["step"]["params"]["invented"] = 1
        replay = imported(repacked(made))
        assert (replay.state, replay.finding["step"], replay.finding["checked"]) == ("differs", 20, 19)
        assert played(replay)["verified"]["step"] == 20
        assert "step 20" in played(replay)["verified"]["sentence"]["en"]

    def test_an_intervention_that_was_not_made_is_noticed(self, whole: Session) -> None:
        child = with_branch(whole)
        made = unpacked(exported(whole))
        made[0]["branches"][1]["interventions"] = []
        replay = imported(repacked(made))
        name = {"key": "branch.unchanged", "params": {"name": child.name}}
        assert (replay.state, replay.finding["branch"]) == ("differs", name)
        assert replay.finding["step"] == child.leaves_at + 1

    def test_another_first_view_differs_at_step_0(self, whole: Session) -> None:
        made = unpacked(exported(whole))
        made[0]["header"]["step_limit"] = 7
        replay = imported(repacked(made))
        assert (replay.state, replay.finding["step"]) == ("differs", 0)

    def test_another_engine_version_plays_as_recorded_and_says_so(self, whole: Session) -> None:
        made = unpacked(exported(whole))
        made[0]["engine"] = "0.9"
        replay = imported(repacked(made))
        assert replay.state == "recorded"
        assert "0.9" in played(replay)["verified"]["sentence"]["en"]
        assert played(replay)["verified"]["state"] == "as_recorded"

    def test_a_check_that_takes_too_long_stops_and_says_so(
        self, whole: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(verification, "SECONDS_MAX", -1.0)
        monkeypatch.setattr(verification, "STEPS_BETWEEN_LOOKS", 10)
        finding = check(io.BytesIO(exported(whole))).finding
        assert (finding.state, finding.checked) == ("stopped", 10)


@pytest.mark.django_db
class TestRefused:
    def test_a_scenario_that_this_engine_cannot_play(self) -> None:
        with pytest.raises(ReplayRefused) as caught:
            imported(packed(lines(header(scenario={"id": "T-01"}))))
        assert caught.value.key == "replays.refused.scenario"
        assert "title" in str(caught.value)
        assert not Replay.objects.exists()

    def test_what_grows_beyond_its_bounds_ends_with_a_process_of_its_own(
        self, whole: Session, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = exported(whole)
        monkeypatch.setitem(TASKS, "replay", never_in_time(TASKS["replay"]))
        with pytest.raises(ReplayRefused) as caught:
            imported(file)
        assert caught.value.key == "replays.refused.check_too_much"
        assert not Replay.objects.exists()

    def test_one_replay_too_many(self, start: Callable[..., Session], settings: Any) -> None:
        settings.QUOTAS = {**settings.QUOTAS, "replays": 1}
        file = exported(start("SC-02"))
        imported(file)
        with pytest.raises(ReplayRefused) as caught:
            imported(file)
        assert caught.value.key == "replays.refused.too_many_replays"
        assert import_replay(io.BytesIO(file), "another browser").state == "verified"
        settings.QUOTAS = {**settings.QUOTAS, "replays": 5, "replay_bytes": 100}
        with pytest.raises(ReplayRefused) as caught:
            imported(file)
        assert caught.value.key == "replays.refused.too_many_replay_bytes"
        assert Replay.objects.count() == 2


class TestCommands:
    def test_export_and_import(
        self, whole: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "session.eosviz.jsonl.gz"
        call_command("export_session", str(whole.id), to=str(target))
        assert target.read_bytes() == exported(whole)
        assert list(tmp_path.iterdir()) == [target]
        call_command("import_session", str(target))
        output = capsys.readouterr().out
        assert "Verified" in output and f"/replays/{Replay.objects.get().id}/" in output

    def test_a_folder_gets_a_file_named_after_the_session(self, whole: Session, tmp_path: Path) -> None:
        call_command("export_session", str(whole.id), to=str(tmp_path))
        assert [file.name for file in tmp_path.iterdir()] == [f"SC-03-{str(whole.id)[:8]}.eosviz.jsonl.gz"]

    @pytest.mark.parametrize("identity", ["nothing", "00000000-0000-0000-0000-000000000000"])
    def test_an_unknown_session_is_one_line(self, identity: str, db: None, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="no session has this id"):
            call_command("export_session", identity, to=str(tmp_path))
        assert not list(tmp_path.iterdir())

    def test_a_place_that_cannot_be_written_is_one_line(self, whole: Session, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="choose another place"):
            call_command("export_session", str(whole.id), to=str(tmp_path / "no" / "such"))

    def test_a_hostile_file_is_one_line_and_leaves_nothing(self, db: None, tmp_path: Path) -> None:
        hostile = tmp_path / "bomb.gz"
        hostile.write_bytes(gzip.compress(bytes(50_000_000)))
        with pytest.raises(CommandError, match="Line 1 is longer") as caught:
            call_command("import_session", str(hostile))
        assert "\n" not in str(caught.value)
        assert not Replay.objects.exists()


@pytest.fixture
def visitor(client: Client, db: None) -> Client:
    session = client.session
    session["browser"] = BROWSER
    session.save()
    return client


class TestPages:
    def test_download_upload_play(self, visitor: Client, whole: Session) -> None:
        for method in (visitor.get, visitor.post):
            response = method(reverse("replays:export", args=[whole.id]))
            assert response.status_code == 200
            assert ".eosviz.jsonl.gz" in response["Content-Disposition"]
        file = io.BytesIO(streamed(response))
        file.name = "session.gz"
        response = visitor.post(reverse("replays:import"), {"file": file}, follow=True)
        replay = Replay.objects.get()
        upload = Upload.objects.get()
        addresses = [reverse("replays:upload", args=[upload.id]), reverse("replays:play", args=[replay.id])]
        assert [address for address, _ in response.redirect_chain] == addresses
        page = response.content.decode()
        assert reverse("replays:player", args=[replay.id]) in page and catalogue_address("zh-Hans") in page
        assert visitor.get(reverse("replays:import")).content.decode().count(str(replay.id)) == 2

    def test_the_player_file_is_served_packed_plain_and_not_at_all(
        self, visitor: Client, whole: Session
    ) -> None:
        replay = imported(exported(whole))
        address = reverse("replays:player", args=[replay.id])
        zipped = visitor.get(address, HTTP_ACCEPT_ENCODING="gzip, br")
        assert zipped["Content-Encoding"] == "gzip"
        plain = visitor.get(address)
        assert streamed(plain) == gzip.decompress(zipped.content)
        assert visitor.get(address, HTTP_IF_NONE_MATCH=zipped["ETag"]).status_code == 304

    @pytest.mark.parametrize("name", ["play", "player"])
    def test_another_persons_replay_is_not_found(self, client: Client, whole: Session, name: str) -> None:
        replay = imported(exported(whole))
        assert client.get(reverse(f"replays:{name}", args=[replay.id])).status_code == 404
        shared = imported(exported(whole), owner="")
        assert client.get(reverse(f"replays:{name}", args=[shared.id])).status_code == 200

    def test_another_persons_session_is_not_exported(self, client: Client, whole: Session) -> None:
        assert client.get(reverse("replays:export", args=[whole.id])).status_code == 404

    def test_a_refused_file_comes_back_with_one_sentence(self, visitor: Client) -> None:
        file = io.BytesIO(packed(lines(header(title={"en": "<script>x</script>", "zh-Hans": "x"}))))
        file.name = "x.gz"
        response = visitor.post(reverse("replays:import"), {"file": file}, follow=True)
        assert response.status_code == 422
        assert "contains markup" in response.content.decode()
        assert not Replay.objects.exists()

    def test_no_file_at_all(self, visitor: Client) -> None:
        response = visitor.post(reverse("replays:import"))
        assert (response.status_code, "No file was chosen" in response.content.decode()) == (422, True)

    def test_chinese_is_refused_in_chinese(self, visitor: Client) -> None:
        file = io.BytesIO(b"nothing")
        file.name = "x.gz"
        response = visitor.post(
            reverse("replays:import"), {"file": file}, follow=True, HTTP_ACCEPT_LANGUAGE="zh-hans"
        )
        assert "这不是回放" in response.content.decode()

    def test_only_its_own_replay_is_deleted(self, visitor: Client, whole: Session) -> None:
        mine, foreign = imported(exported(whole)), imported(exported(whole), owner="c" * 48)
        assert visitor.post(reverse("replays:delete", args=[foreign.id])).status_code == 404
        assert visitor.post(reverse("replays:delete", args=[mine.id])).status_code == 302
        assert list(Replay.objects.all()) == [foreign]
