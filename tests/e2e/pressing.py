"""Presses what a page has to press, once each, and returns what answered.

    heard = listen(page)
    for control in controls(page):
        if not press(page, control, heard):
            ...  # nothing answered

An answer is anything a person could notice: another address, a text, a dialog, the focus on something else, a chosen
value, a download, a chooser of files, another window. A control that cannot be pressed has to say so by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Dialog, ElementHandle, Page
from playwright.sync_api import Error as PlaywrightError

WRITTEN = ("text", "search", "number", "email", "password", "url", "textarea")
ANSWERS_WITHIN = 4_000
"""Milliseconds within which something must answer a press; far more than needed, because the machine may be busy."""
LOOKS_EVERY = 60
QUIET_LOOKS = 6

_EVERY_ROOT = """
  const roots = [document];
  for (let at = 0; at < roots.length; at += 1) {
    for (const element of roots[at].querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
"""

_CONTROLS = f"""() => {{
  {_EVERY_ROOT}
  const pressed = "button, select, summary, input:not([type=hidden]), textarea, [role=button], [role=slider]";
  const isSeen = (element) => element.getBoundingClientRect().width > 1
    && element.checkVisibility({{ visibilityProperty: true, opacityProperty: true }});
  const modal = roots.map((root) => root.querySelector("dialog:modal")).find((dialog) => dialog !== null);
  const isReached = (element) => isSeen(element) && (modal === undefined || modal.contains(element));
  const found = roots.flatMap((root) => [...root.querySelectorAll(pressed)]).filter(isReached);
  window.pressable = found;
  const inside = (element) => element.matches("button, summary") ? element.innerText?.trim() : "";
  const words = (element) => (inside(element) || element.getAttribute("aria-label") || element.name || "").trim()
    .replace(/\\s+/g, " ").slice(0, 60);
  return found.map((element, place) => ({{
    place, words: words(element), kind: element.localName, type: element.type ?? "",
    host: (element.getRootNode().host ?? element.closest("main, header, footer, nav, dialog"))?.localName ?? "",
    style: element.className?.baseVal ?? element.className ?? "",
    row: modal === undefined ? 0 : place,
    asleep: element.options?.length < 2 || element.disabled === true || element.ariaDisabled === "true",
  }}));
}}"""

_ADDRESSES = f"""() => {{
  {_EVERY_ROOT}
  const links = roots.flatMap((root) => [...root.querySelectorAll("a[href]")]);
  return [...new Set(links.filter((link) => link.origin === location.origin).map((link) => link.href))];
}}"""

# Everything that a person could notice, in one string. It does not count that the pressed control itself has the
# focus or another value, unless it is a field to write into or belongs to a form that is sent later.
_NOTICED = f"""(place) => {{
  {_EVERY_ROOT}
  const pressed = window.pressable[place];
  const isWritten = pressed.matches("textarea, input:not([type=checkbox], [type=radio])");
  const isField = isWritten || (pressed.form != null && pressed.localName !== "button");
  let focus = document.activeElement;
  while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
  const state = [location.href, Math.round(scrollY)];
  const isElsewhere = focus !== document.body && (focus !== pressed || isField);
  if (isElsewhere) state.push(focus?.localName, focus?.id, focus?.className);
  for (const root of roots) {{
    state.push((root.body ?? root).textContent ?? "");
    for (const element of root.querySelectorAll("*")) {{
      if (element.matches("details, dialog")) state.push(element.open);
      const isAsked = element.matches("input, select, textarea") && (element !== pressed || isField);
      if (isAsked) state.push(element.value, element.checked);
      for (const name of ["aria-pressed", "aria-expanded", "aria-selected", "class", "aria-valuenow"])
        if (element.hasAttribute(name)) state.push(element.getAttribute(name));
    }}
  }}
  return state.join("|");
}}"""


@dataclass(frozen=True)
class Control:
    """A control of a page. Controls with the same look and name count as one."""

    kind: str
    type: str
    words: str
    host: str
    style: str
    row: int
    """In a dialog the control's place among all controls, because every row of a dialog may have a *Save*; 0
    elsewhere.
    """

    def __str__(self) -> str:
        return f"{self.kind} {self.words!r} in {self.host or 'the page'}"

    @property
    def alike(self) -> tuple[str, ...]:
        """The same for all cells of one table and all buttons of one list: one of them is pressed for all."""
        return (self.kind, self.type, self.host, self.style, str(self.row), re.sub(r"\d+", "", self.words))


_ANOTHER_OPTION = (
    """(select) => [...select.options].find((one) => !one.disabled && !one.selected)?.value ?? select.value"""
)


def controls(page: Page) -> list[Control]:
    """Return the controls of the page in its order, without those that are disabled or have nothing to choose."""
    return [control for control, _ in _awake(page)]


def come_to_rest(page: Page) -> None:
    """Wait until no control appears or disappears any more: panels fold a moment after they are drawn."""
    before, looks = None, 0
    for _ in range(ANSWERS_WITHIN // LOOKS_EVERY):
        now = [control for control, _ in _awake(page)]
        looks = looks + 1 if now == before else 0
        if looks == QUIET_LOOKS:
            return
        before = now
        page.wait_for_timeout(LOOKS_EVERY)


def addresses(page: Page) -> set[str]:
    """Return the addresses on this site to which links of the page lead."""
    found: list[str] = page.evaluate(_ADDRESSES)
    return set(found)


def listen(page: Page) -> list[str]:
    """Return a list to which the results of presses are added that are not visible on the page itself, as they
    happen.
    """
    heard: list[str] = []
    page.on("download", lambda _: heard.append("download"))
    page.on("filechooser", lambda _: heard.append("chooser of files"))
    page.on("request", lambda asked: heard.append("page") if asked.is_navigation_request() else None)

    def window(other: Page) -> None:
        heard.append("window")
        other.close()

    def question(asked: Dialog) -> None:
        heard.append("question")
        if asked.type == "beforeunload":
            asked.accept()
        else:
            asked.dismiss()

    page.on("popup", window)
    page.on("dialog", question)
    return heard


_SEEN_AT = """(element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  for (const [across, down] of [[0.5, 0.5], [0.2, 0.1], [0.8, 0.1], [0.2, 0.9], [0.8, 0.9]]) {
    const found = element.getRootNode().elementFromPoint(x + width * across, y + height * down);
    if (found !== null && element.contains(found)) return { x: width * across, y: height * down };
  }
  return null;
}"""
"""Return a point of the element at which it can be pressed; another element may cover its middle."""


def press(page: Page, control: Control, heard: list[str]) -> bool | None:
    """Press the control. Returns whether something answered; None if the page, as it is now, has no such control."""
    for _ in range(ANSWERS_WITHIN // LOOKS_EVERY):
        place = next((place for one, place in _awake(page) if one.alike == control.alike), None)
        if place is not None:
            break
        page.wait_for_timeout(LOOKS_EVERY)
    else:
        return None
    element = page.evaluate_handle("(place) => window.pressable[place]", place).as_element()
    assert element is not None
    heard.clear()
    before = page.evaluate(_NOTICED, place)
    _use(element, control)
    return any(_answered(page, place, before, heard) for _ in range(ANSWERS_WITHIN // LOOKS_EVERY))


def _answered(page: Page, place: int, before: str, heard: list[str]) -> bool:
    try:
        if heard or page.evaluate(_NOTICED, place) != before:
            return True
    except PlaywrightError:  # the page is just being left
        return True
    page.wait_for_timeout(LOOKS_EVERY)
    return False


def _awake(page: Page) -> list[tuple[Control, int]]:
    found: dict[tuple[str, ...], tuple[Control, int]] = {}
    for row in page.evaluate(_CONTROLS):
        place = row.pop("place")
        if row.pop("asleep"):
            continue
        control = Control(**row)
        found.setdefault(control.alike, (control, place))
    return list(found.values())


def _use(element: ElementHandle, control: Control) -> None:
    if control.kind == "select":
        element.select_option(element.evaluate(_ANOTHER_OPTION))
        return
    element.scroll_into_view_if_needed()
    element.click(position=element.evaluate(_SEEN_AT) if control.kind == "g" else None)
    if control.type in WRITTEN:
        element.press("1")
