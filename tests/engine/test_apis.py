"""The table of APIs: what must hold for every row, and that one row and one handler suffice for an API."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine import apis
from engine.apis import APIS, answer_with, error_of, partitions_of
from engine.crafted_requests import FIELDS, crafted
from engine.errors import Error
from engine.scenario import schema


def test_every_row_is_one_api() -> None:
    assert len({api.name for api in APIS}) == len(APIS) == len({api.request for api in APIS})
    keys = [api.key for api in APIS if api.key is not None]
    assert len(set(keys)) == len(keys)
    assert tuple(api.name for api in APIS) == schema.APIS
    for api in (*APIS, *apis.BETWEEN_BROKERS):
        assert api.response is None or vars(api.response)["api"] == api.name
        assert api.versions is None or api.key is not None, "bytes are found by Kafka's number"


@pytest.mark.parametrize("api", [api for api in APIS if api.crafted], ids=lambda api: api.name)
def test_a_made_up_request_of_defaults_is_answered_with_an_error(api: apis.Api) -> None:
    request = crafted({"api": api.name})
    assert type(request) is api.request
    answer = answer_with(request, Error.NOT_COORDINATOR)
    assert type(answer) is api.response
    about = set(partitions_of(request))
    assert error_of(answer) == ("NOT_COORDINATOR" if about or not partitions_are_answered(api) else "NONE")
    assert set(partitions_of(answer)) == about


def partitions_are_answered(api: apis.Api) -> bool:
    """Whether the API is answered for each partition; without a partition, its response has no error."""
    return api.name in ("AddPartitionsToTxn", "WriteTxnMarkers")


TOY = """
from typing import ClassVar

from engine import apis
from engine.errors import Error
from engine.value import value


@value
class ToyRequest:
    api: ClassVar[str] = "Toy"
    partition: str = "t-0"


@value
class ToyResponse:
    api: ClassVar[str] = "Toy"
    partition: str
    error: Error = Error.NONE


apis.add(
    apis.Api(
        request=ToyRequest,
        response=ToyResponse,
        connection="toys",
        answer=lambda request, error, log_start: ToyResponse(partition=request.partition, error=error),
        crafted={"partition": (str, "t-0")},
    )
)

from engine.messages import Send
from engine.scenario.document import load
from engine.simulation import Simulation


def handle(envelope, now):
    answer = ToyResponse(partition=envelope.body.partition)
    return [Send(envelope.source, answer, envelope.correlation_id, True)]


def play(faults):
    simulation = Simulation(
        load(
            {
                "id": "TOY",
                "title": {"en": "Toy", "zh-Hans": "玩具"},
                "topics": [{"name": "t", "partitions": 2}],
                "faults": faults,
            }
        )
    )
    for broker in simulation.world.brokers.values():
        broker.handlers[ToyRequest] = handle
    while (step := simulation.step()) is not None:
        for message in simulation.view()["network"]["messages"].values():
            print(message["api"], message["is_response"], message["partitions"], message["error"])
            if message["api"] == "Toy":
                print("on", message["connection"])
        if step.key == "fault.crafted_request_answered":
            print("answered", step.params["api"], step.params["error"])


ask = {"at": 10, "action": "craft_request", "actor": "broker-1", "message": {"api": "Toy", "partition": "t-1"}}
play([ask])
refuse = {"match": {"api": "Toy"}, "action": "inject_error", "error": "NOT_COORDINATOR"}
play([ask, refuse])
"""


def test_a_toy_api_is_one_row_and_one_handler() -> None:
    """A script sends it, a broker responds to it, a fault refuses it, and the view shows which partitions it names."""
    ran = subprocess.run(
        [sys.executable, "-c", TOY],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines.count("Toy False ['t-1'] None") == lines.count("Toy True ['t-1'] NONE") + lines.count(
        "Toy True ['t-1'] NOT_COORDINATOR"
    )
    assert {line for line in lines if line.startswith("on ")} == {"on toys"}
    assert [line for line in lines if line.startswith("answered")] == [
        "answered Toy NONE",
        "answered Toy NOT_COORDINATOR",
    ]
    assert set(FIELDS) & {"Toy"} == set(), "of that process alone"
