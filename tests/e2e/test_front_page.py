"""The first page: the example is a picture until somebody is there, and then plays in its place."""

from playwright.sync_api import Browser, Request, expect

from tests.running_site import RunningSite

PLAYER = "dist/player.js"


def test_the_example_begins_with_the_first_sign_of_its_reader(
    browser: Browser, running_site: RunningSite
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    page.on("request", note)
    # No time passes in the page, so nothing begins by itself.
    page.clock.install()
    page.goto(running_site.address)
    still = page.locator("[data-example]")
    expect(still.locator("img")).to_have_js_property("complete", True)
    assert still.locator("img").evaluate("image => image.naturalWidth") == 1200
    assert not any(PLAYER in address for address in asked)
    page.mouse.move(20, 20)
    frame = page.frame_locator(".example-run iframe")
    expect(frame.locator("eos-sentence .s")).to_be_visible(timeout=60_000)
    expect(still).to_have_count(0)
    context.close()
