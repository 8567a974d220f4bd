"""The preview picture of a link shows what its step contains, and only characters that its font has."""

from __future__ import annotations

import io

import pytest
from django.test import Client
from PIL import Image

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.view.run_ahead import plan_ahead
from eosviz.replays.card_picture import HUES, LANE_LEFT, LANE_TOP, RED, draw_card
from eosviz.replays.card_size import HEIGHT, WIDTH
from eosviz.replays.models import LinkedFile
from tests.replays.test_embed import link


def picture(scenario: str, variant: str | None, steps: int) -> Image.Image:
    hues = plan_ahead(entry(scenario).scenario(variant))["hues"]
    simulation = Simulation(entry(scenario).scenario(variant))
    simulation.run(steps=steps)
    return Image.open(io.BytesIO(draw_card(simulation.header(), simulation.view(), simulation.number, hues)))


def colors(image: Image.Image) -> set[str]:
    found = image.convert("RGB").getcolors(WIDTH * HEIGHT) or []
    names = set()
    for _, color in found:
        assert isinstance(color, tuple)
        names.add("#{:02x}{:02x}{:02x}".format(*color))
    return names


def test_a_stored_batch_is_a_cell_of_its_producers_hue() -> None:
    empty, filled = picture("SC-03", None, 0), picture("SC-03", None, 120)
    assert filled.size == (WIDTH, HEIGHT)
    assert HUES[0][1] not in colors(empty)
    assert filled.getpixel((LANE_LEFT + 12, LANE_TOP + 12)) == tuple(bytes.fromhex(HUES[0][1][1:]))


def test_the_first_producer_has_the_first_hue_whatever_its_id_and_a_batch_without_one_has_none() -> None:
    assert HUES[0][1] in colors(picture("SC-44", "k28", 87)), "PID 1000"
    assert HUES[0][1] not in colors(picture("SC-02", None, 120))


def test_the_last_stable_offset_stands_where_it_is() -> None:
    """SC-75: a batch, then an open transaction that holds back the last stable offset, and later batches."""
    image = picture("SC-75", "wall", 120)
    row = [image.getpixel((x, LANE_TOP - 6)) for x in range(LANE_LEFT, WIDTH)]
    dark = [number for number, color in enumerate(row) if sum(color) < 120]  # type: ignore[arg-type]
    runs = [number for number in dark if number - 1 not in dark]
    assert len(runs) == 2, "last stable offset and high watermark are apart"
    assert len([number for number in dark if number < runs[1]]) > len(
        [number for number in dark if number >= runs[1]]
    ), "the last stable offset is the thick one"


def test_a_run_without_brokers_has_no_version_of_kafka() -> None:
    with_kafka, without = picture("SC-03", None, 1), picture("SC-80", "two-nodes", 1)
    at_the_top = (WIDTH - 300, 48, WIDTH, 80)
    assert len(with_kafka.crop(at_the_top).convert("RGB").getcolors() or []) > 1
    assert len(without.crop(at_the_top).convert("RGB").getcolors() or []) == 1


def test_a_broken_guarantee_is_red() -> None:
    assert RED in colors(picture("SC-02", None, 2_000))
    assert RED not in colors(picture("SC-03", None, 2_000))


@pytest.mark.parametrize("scenario", ["SC-01", "SC-41", "SC-58", "SC-61", "SC-83", "SC-85"])
def test_runs_of_every_kind_have_a_picture(scenario: str) -> None:
    found = entry(scenario)
    for variant in found.variants[:2] or (None,):
        assert picture(scenario, variant, 300).size == (WIDTH, HEIGHT)


@pytest.mark.django_db
def test_it_is_made_once_for_a_step(client: Client) -> None:
    answer = client.get(link(step=120).address("replays:card"))
    assert (answer["Content-Type"], "public" in answer["Cache-Control"]) == ("image/png", True)
    assert Image.open(io.BytesIO(answer.content)).size == (WIDTH, HEIGHT)
    client.get(link(step=120, view="text").address("replays:card"))
    assert LinkedFile.objects.filter(kind="card").count() == 1
    client.get(link(step=60).address("replays:card"))
    assert LinkedFile.objects.filter(kind="card").count() == 2
    page = client.get(link(step=120).address()).content.decode()
    assert 'property="og:image" content="http://testserver/cards/SC-03/' in page
    assert client.get("/cards/SC-03/0.png?step=9999").status_code == 429
