"""An open page of a sweep receives its progress, and its maps whenever they contain more runs."""

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from eosviz.pipeline.live import notify_watchers
from eosviz.pipeline.models import State, Sweep
from tests.pipeline.test_sweep_pages import AXES, grid

PATIENCE_SECONDS = 60


@pytest.mark.django_db(transaction=True)
async def test_maps_are_sent_when_more_runs_are_in_them() -> None:
    from eosviz.asgi import application

    def stored() -> Sweep:
        return Sweep.objects.create(
            title={"en": "S", "zh-Hans": "S"}, scenario="SC-02", document="", axes=AXES, seeds=12, runs=144,
            engine="2", folder="x", state=State.WAITING, table=[],
        )  # fmt: skip

    sweep = await sync_to_async(stored)()
    headers = [(b"origin", b"http://testserver"), (b"host", b"testserver")]
    address = f"/ws/sweeps/{sweep.id}/?lang=en&measure=steps&across=a"
    socket = WebsocketCommunicator(application, address, headers)
    assert (await socket.connect(PATIENCE_SECONDS))[0]
    first = (await socket.receive_json_from(PATIENCE_SECONDS))["table"]
    assert "Waiting" in first and 'data-part="map"' in first and 'class="heat"' not in first

    async def become(**fields: object) -> str:
        await sync_to_async(Sweep.objects.filter(id=sweep.id).update)(**fields)
        await sync_to_async(notify_watchers)(sweep.id)
        return str((await socket.receive_json_from(PATIENCE_SECONDS))["table"])

    state = await become(state=State.DONE, done=100)
    assert "100 / 144 runs" in state and 'data-part="map"' not in state
    filled = await become(done=120, table=grid(), table_runs=120)
    # The page shows what its address requests: steps, with the axis a across.
    assert "These figures include only 120 of 144 runs" in filled and "<code>c \\ a</code>" in filled
    assert 'data-part="map"' not in await become(done=130)
    await socket.disconnect(timeout=PATIENCE_SECONDS)
