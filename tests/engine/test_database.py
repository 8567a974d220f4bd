"""A database beside Kafka: local transactions, services, what remains after a crash, and what documents may contain."""

from __future__ import annotations

from typing import Any

import pytest

from engine.database.approaches import APPROACHES, SEND, TOPIC
from engine.database.database import Database
from engine.database.messages import CommitRows, RollBackRows, WriteRows, WriteRowsResponse
from engine.explain.sentences import sentence
from engine.messages import Envelope, Send
from engine.scenario.document import BadScenario, load
from engine.simulation import Simulation
from engine.watching import Watch


def document(approach: str, **more: Any) -> dict[str, Any]:
    """A document with one service of this approach, the clients that it needs, and two records to read."""
    acts = APPROACHES[approach].acts
    reads = APPROACHES[approach].source == TOPIC
    service: dict[str, Any] = {"name": "svc", "approach": approach, "at": 60, "rounds": 2}
    if SEND in acts:
        service |= {"producer": "p1", "output": ["t-0"]}
    if reads:
        service["consumer"] = "c1"
    group = {} if APPROACHES[approach].keeps_offsets else {"group": "g"}
    made: dict[str, Any] = {
        "id": "TEST-1",
        "title": {"en": "a", "zh-Hans": "a"},
        "cluster": {"brokers": 1},
        "topics": [{"name": "t", "partitions": 1}],
        "producers": [{"name": "p1", "settings": {"enable_idempotence": True}}],
        "consumers": [{"name": "c1", "partitions": ["t-0"], **group}] if reads else [],
        "services": [service],
    }
    if reads:
        calls = [{"at": 20, "do": "send", "partition": "t-0", "records": 2}]
        made["applications"] = [{"name": "app", "client": "p1", "calls": calls}]
    return made | more


def played(text: dict[str, Any], faults: list[dict[str, Any]] | None = None) -> Simulation:
    simulation = Simulation(load(text | {"faults": faults or []}))
    while simulation.step() is not None:
        pass
    return simulation


def verdict(simulation: Simulation) -> tuple[int, int, int, int]:
    """Return the numbers of rows, missing rows, missing records and repeated rows."""
    found = simulation.judges.database_verdict()
    assert found is not None
    return found.rows, found.row_missing, found.record_missing, found.row_repeated


def crash(api: str, response: bool = False, nth: int = 1) -> dict[str, Any]:
    match = {"api": api, "response": response, "nth": nth}
    return {"match": match, "action": "crash", "actor": "svc", "for_ms": 30}


class TestTheDatabase:
    def ask(self, database: Database, body: object, number: int, service: str = "a") -> Any:
        effects = database.handle(Envelope(1, service, "database", body, number, False, 0, 0), 0)
        return effects[0].body if effects and isinstance(effects[0], Send) else None

    def test_what_is_written_is_not_there_before_the_commit(self) -> None:
        database = Database(True, Watch())
        self.ask(database, WriteRows(rows=(1,), outbox=(1,), offsets=(("t-0", 1),)), 1)
        assert (database.rows, database.outbox, database.offsets) == ({}, [], {})
        self.ask(database, CommitRows(), 2)
        assert (list(database.rows), database.outbox, database.offsets) == ([1], [1], {"t-0": 1})

    @pytest.mark.parametrize("end", ["roll_back", "disconnect", "crash"])
    def test_without_a_commit_nothing_stays(self, end: str) -> None:
        database = Database(True, Watch())
        self.ask(database, WriteRows(rows=(1,)), 1)
        if end == "roll_back":
            self.ask(database, RollBackRows(), 2)
        elif end == "disconnect":
            database.on_disconnected("a", 0)
        else:
            database.crash(0)
            database.restart(0)
        self.ask(database, WriteRows(rows=(2,)), 3)
        self.ask(database, CommitRows(), 4)
        assert list(database.rows) == [2]

    def test_two_connections_have_transactions_of_their_own(self) -> None:
        database = Database(True, Watch())
        self.ask(database, WriteRows(rows=(1,)), 1, "a")
        self.ask(database, WriteRows(rows=(2,)), 1, "b")
        self.ask(database, CommitRows(), 2, "b")
        database.on_disconnected("a", 0)
        assert list(database.rows) == [2]

    @pytest.mark.parametrize(("unique", "copies"), [(True, 1), (False, 2)])
    def test_only_a_unique_key_keeps_a_repeated_row_out(self, unique: bool, copies: int) -> None:
        database = Database(unique, Watch())
        for number in (1, 3):
            response = self.ask(database, WriteRows(rows=(7,)), number)
            assert isinstance(response, WriteRowsResponse)
            assert response.repeated == ((7,) if unique and number == 3 else ())
            self.ask(database, CommitRows(), number + 1)
        assert database.rows[7].copies == copies

    def test_a_key_finds_a_repetition_within_one_write(self) -> None:
        database = Database(True, Watch())
        assert self.ask(database, WriteRows(rows=(7, 7)), 1).repeated == (7,)
        self.ask(database, CommitRows(), 2)
        assert database.rows[7].copies == 1

    def test_a_request_that_arrives_a_second_time_changes_nothing(self) -> None:
        database = Database(False, Watch())
        self.ask(database, WriteRows(rows=(1,)), 1)
        self.ask(database, CommitRows(), 2)
        assert self.ask(database, WriteRows(rows=(1,)), 1) is None
        assert self.ask(database, CommitRows(), 2) is None
        assert database.rows[1].copies == 1


class TestApproaches:
    @pytest.mark.parametrize("approach", [name for name in APPROACHES if name not in ("relay", "outbox")])
    def test_without_a_fault_each_has_its_row_and_its_record(self, approach: str) -> None:
        simulation = played(document(approach))
        assert simulation.finished == "complete"
        assert verdict(simulation) == (2, 0, 0, 0)

    @pytest.mark.parametrize(
        ("approach", "fault", "left"),
        [
            # The numbers of rows, missing rows, missing records and repeated rows. The first round is cut off, the
            # second is complete.
            ("row_then_record", crash("WriteRows"), (1, 0, 0, 0)),
            ("row_then_record", crash("CommitRows"), (1, 0, 0, 0)),
            ("row_then_record", crash("CommitRows", True), (2, 0, 1, 0)),
            ("row_then_record", crash("Produce", True), (2, 0, 0, 0)),
            ("record_then_row", crash("WriteRows"), (1, 1, 0, 0)),
            ("record_then_row", crash("CommitRows", True), (2, 0, 0, 0)),
            ("record_before_commit", crash("WriteRows", True), (1, 0, 0, 0)),
            ("record_before_commit", crash("Produce", True), (1, 1, 0, 0)),
            ("record_before_commit", crash("CommitRows", True), (2, 0, 0, 0)),
            ("offsets_before_rows", crash("WriteRows"), (0, 2, 0, 0)),
            ("offsets_after_rows", crash("WriteRows"), (2, 0, 0, 0)),
            ("offsets_with_rows", crash("ReadOffsets", True), (2, 0, 0, 0)),
            ("offsets_with_rows", crash("WriteRows"), (2, 0, 0, 0)),
            ("offsets_with_rows", crash("CommitRows"), (2, 0, 0, 0)),
            ("offsets_with_rows", crash("CommitRows", True), (2, 0, 0, 0)),
        ],
    )
    def test_a_crash_leaves_what_was_committed_first(
        self, approach: str, fault: dict[str, Any], left: tuple[int, int, int, int]
    ) -> None:
        assert verdict(played(document(approach), [fault])) == left

    @pytest.mark.parametrize(("unique", "repeated"), [(True, 0), (False, 2)])
    def test_rows_are_repeated_where_their_offsets_are_not_committed_with_them(
        self, unique: bool, repeated: int
    ) -> None:
        text = document("offsets_after_rows", database={"unique_key": unique})
        simulation = played(text, [crash("CommitRows", True)])
        assert verdict(simulation) == (2 + repeated, 0, 0, repeated)

    def test_an_outbox_sends_after_every_crash_of_its_relay(self) -> None:
        shop = {"name": "shop", "approach": "outbox", "at": 20}
        relay = document("relay")["services"][0] | {"rounds": 3, "every": 20}
        for api, response, copies in (
            ("ReadOutbox", True, 1),
            ("Produce", False, 1),
            ("WriteRows", False, 2),
            ("CommitRows", False, 2),
            ("CommitRows", True, 1),
        ):
            fault = crash(api, response)
            if api.endswith("Rows"):
                fault["match"] |= {"to" if response else "from": "svc"}
            simulation = played(document("relay") | {"services": [shop, relay]}, [fault])
            assert verdict(simulation)[:3] == (1, 0, 0)
            assert simulation.verdicts()[0].stored == copies, (api, response)

    def test_clients_crash_and_pause_with_their_process(self) -> None:
        simulation = Simulation(
            load(document("row_then_record") | {"faults": [{"at": 70, "action": "crash", "actor": "p1"}]})
        )
        simulation.run(until=80)
        world = simulation.world
        assert not world.services["svc"].alive
        assert not world.clients["p1"].alive
        assert world.beside["database"].alive

    def test_a_service_gives_up_waiting_for_a_database_that_is_down(self) -> None:
        fault = {"at": 10, "action": "crash", "actor": "database", "for_ms": 1000}
        simulation = played(document("row_then_record"), [fault])
        # The first order fails after the timeout; the second one reaches the database again.
        assert verdict(simulation) == (1, 0, 0, 0)

    def test_a_service_that_pauses_keeps_its_work(self) -> None:
        fault = {"at": 66, "action": "pause", "actor": "svc", "for_ms": 500}
        assert verdict(played(document("row_then_record"), [fault])) == (2, 0, 0, 0)

    def test_a_record_that_goes_with_its_leader_is_missing(self) -> None:
        text = document("row_then_record", cluster={"brokers": 3})
        text["producers"] = [{"name": "p1", "settings": {"enable_idempotence": False, "acks": 1}}]
        text["services"][0]["rounds"] = 1
        run = played(text, [{"at": 88, "action": "crash", "actor": "broker-1"}])
        assert verdict(run) == (1, 0, 1, 0)
        assert run.judges.guarantees["record_missing"].count == 1

    def test_the_place_of_one_group_says_nothing_of_another(self) -> None:
        text = document("offsets_before_rows")
        other = {"name": "other", "approach": "offsets_after_rows", "consumer": "c2", "at": 60, "rounds": 3}
        text["consumers"].append({"name": "c2", "partitions": ["t-0"], "group": "h"})
        text["services"].append(other)
        ends: list[dict[str, Any]] = [
            {"match": {"api": "CommitRows", "from": "svc"}, "action": "crash", "actor": "svc"},
            {
                "match": {"api": "WriteRows", "from": "other"},
                "action": "crash",
                "actor": "other",
                "for_ms": 1000,
            },
        ]
        run = played(text, ends)
        assert verdict(run) == (2, 0, 0, 0)
        assert run.judges.guarantees["row_missing"].count == 0


class TestDocuments:
    @pytest.mark.parametrize(
        ("change", "place"),
        [
            ({"approach": "rows_only"}, "services.svc.approach"),
            ({"producer": None}, "services.svc.producer"),
            ({"producer": "p9"}, "services.svc.producer"),
            ({"consumer": "c1"}, "services.svc.consumer"),
            ({"output": []}, "services.svc.output"),
            ({"output": ["t-9"]}, "services.svc.output"),
            ({"name": "p1"}, "services.p1.name"),
            ({"name": "database"}, "services.database.name"),
        ],
    )
    def test_a_mistake_names_its_place(self, change: dict[str, Any], place: str) -> None:
        text = document("row_then_record")
        service = {name: value for name, value in (text["services"][0] | change).items() if value is not None}
        with pytest.raises(BadScenario) as refused:
            load(text | {"services": [service]})
        assert refused.value.place == place

    def test_a_consumer_has_a_group_unless_the_database_keeps_its_offsets(self) -> None:
        for approach, group in (("offsets_after_rows", {}), ("offsets_with_rows", {"group": "g"})):
            text = document(approach)
            text["consumers"] = [{"name": "c1", "partitions": ["t-0"], **group}]
            with pytest.raises(BadScenario) as refused:
                load(text)
            assert refused.value.place == "consumers.c1.group"

    def test_two_services_do_not_share_a_client(self) -> None:
        text = document("row_then_record")
        text["services"] = [text["services"][0], text["services"][0] | {"name": "other"}]
        with pytest.raises(BadScenario) as refused:
            load(text)
        assert refused.value.place == "services.svc.producer"


def test_a_request_that_is_lost_with_its_connection_is_called_a_request() -> None:
    lost = {"match": {"api": "ReadOutbox"}, "action": "drop"}
    simulation = Simulation(load(document("relay") | {"faults": [lost]}))
    (step,) = [step for step in iter(simulation.step, None) if step.key == "fault.answer_dropped"]
    assert "the ReadOutbox request from svc to database is lost" in sentence(step.key, step.params, "en")
