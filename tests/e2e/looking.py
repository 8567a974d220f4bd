"""Finds faults that a person would see at a glance: missing words, overlapping texts, cut panels. A page is judged at
rest: what is shown only for a few frames, while panels are fitted and colours fade, is no fault, and on a busy
machine these frames take longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.rotation import is_drawn

FOLDS_BELOW = 1100
"""Width in px under which the columns become tabs, which scroll."""
EDGE = 3
"""How many px two elements of a picture may overlap."""
SETTLES_WITHIN = 15.0
"""Seconds within which a page must come to rest; far more than needed, because the machine may be busy."""
LONG = 500
"""If a page has at least so many elements, the accessibility rules judge texts that look alike only once."""
JUDGED_ONE_IN = 3
"""The quick tests judge one of so many places for accessibility. It takes half a second of processor time, as much as
opening the page.
"""
LEVELS: dict[str, Any] = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    # Reporting every element that passed takes as long as finding those that fail.
    "resultTypes": ["violations"],
    "reporter": "no-passes",
}

BY_LOOK = ("color-contrast", "link-in-text-block")
"""Rules of axe whose result depends only on how an element looks. They take most of the time."""
LOOKS_ONLY = {**LEVELS, "runOnly": list(BY_LOOK)}
ALL_BUT_LOOKS = {**LEVELS, "rules": {name: {"enabled": False} for name in BY_LOOK}}
ONE_OF_EACH_LOOK = "data-one-of-its-look"

# Between two pages the document has no root element. Then the expressions return the size of the window, until the
# next page is there.
BEYOND = "(document.documentElement?.scrollWidth ?? 2 * innerWidth) - innerWidth"
_BELOW = "(document.documentElement?.scrollHeight ?? 2 * innerHeight) - innerHeight"
"""How many px of the page lie outside its window, on the right (BEYOND) and below (_BELOW)."""

_EVERY_ROOT = """
  const roots = [document];
  for (let at = 0; at < roots.length; at += 1) {
    for (const element of roots[at].querySelectorAll("*")) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
"""

# The contrast of a text depends on its colour, size and weight and on what is painted behind it: by the elements
# around it, and in a picture by the earlier shapes. A link in a text is also compared with the text around it, up to
# the block that contains both. If an element has a shadow root, the whole content of the root is marked.
_MARK_ONE_OF_EACH_LOOK = f"""() => {{
  const all = [...document.body.querySelectorAll("*")];
  if (all.length < {LONG}) return false;
  const behind = new Map([[null, ""]]);
  const painted = (element) => {{
    if (!behind.has(element)) {{
      const style = getComputedStyle(element);
      const own = ["backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "visibility"];
      behind.set(element, painted(element.parentElement) + "/" + own.map((name) => style[name]).join());
    }}
    return behind.get(element);
  }};
  const shapes = (element) => {{
    const found = [];
    for (let at = element; at instanceof SVGElement && at.localName !== "svg"; at = at.parentElement) {{
      for (let before = at.previousElementSibling; before !== null; before = before.previousElementSibling) {{
        const {{ fill, fillOpacity }} = getComputedStyle(before);
        found.push([before.localName, fill, fillOpacity].join());
      }}
    }}
    return [...new Set(found)].sort().join("/");
  }};
  const around = (link) => {{
    const found = [];
    for (let at = link; at !== null; at = at.parentElement) {{
      const style = getComputedStyle(at);
      const own = ["color", "fontWeight", "fontStyle", "fontSize", "fontFamily", "textDecorationLine", "borderBottom"];
      found.push(own.map((name) => style[name]).join());
      const isAlone = at.textContent.trim() === link.textContent.trim();
      if (!style.display.startsWith("inline")) return [...found, isAlone].join("/");
    }}
    return found.join("/");
  }};
  const seen = new Set();
  for (const element of all) {{
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    const isField = element.matches("input, select, textarea");
    const {{ color, fill, fontSize, fontWeight, textShadow }} = getComputedStyle(element);
    const isLink = element.matches("a[href], [role=link]");
    const own = [color, fill, fontSize, fontWeight, textShadow, isLink ? around(element) : ""];
    const look = [painted(element), shapes(element), ...own].join("|");
    if (element.shadowRoot === null && (!(hasText || isField || isLink) || seen.has(look))) continue;
    seen.add(look);
    element.setAttribute("{ONE_OF_EACH_LOOK}", "");
  }}
  return true;
}}"""
_RUN_AXE = """async ([within, options]) => (await axe.run(within ?? document, options)).violations"""
_UNMARK = f"""() => document.querySelectorAll("[{ONE_OF_EACH_LOOK}]").forEach(
  (element) => element.removeAttribute("{ONE_OF_EACH_LOOK}"))"""

# A key that the catalogue does not have is shown in brackets, and so is a parameter that is missing.
_MISSING_WORDS = f"""() => {{
  {_EVERY_ROOT}
  const found = new Set();
  for (const root of roots) {{
    for (const element of root.querySelectorAll("*")) {{
      if (["SCRIPT", "STYLE", "CODE", "PRE", "TEXTAREA"].includes(element.tagName)) continue;
      for (const node of element.childNodes) {{
        const text = node.nodeType === Node.TEXT_NODE ? node.textContent : "";
        for (const key of text.match(/\\[[a-z][a-z_0-9]*([.][a-z_0-9]+)*\\]/g) ?? []) found.add(key);
      }}
    }}
  }}
  return [...found].sort();
}}"""

# Only horizontal texts are compared: the labels of arrows are turned, and the diagram's own layout keeps them apart;
# lost messages are torn and turned.
_OVERLAPS = f"""() => {{
  {_EVERY_ROOT}
  const texts = [];
  for (const root of roots) {{
    for (const element of root.querySelectorAll("svg text")) {{
      const box = element.getBoundingClientRect();
      const words = element.textContent.trim();
      const turned = Math.abs(element.getScreenCTM()?.b ?? 0) > 0.01;
      const middle = [box.left + box.width / 2, box.top + box.height / 2];
      const isBehind = [...(element.ownerSVGElement?.querySelectorAll(".behind") ?? [])].some((cover) => {{
        const {{ left, right, top, bottom }} = cover.getBoundingClientRect();
        const isOver = element.compareDocumentPosition(cover) & Node.DOCUMENT_POSITION_FOLLOWING;
        return isOver && left < middle[0] && middle[0] < right && top < middle[1] && middle[1] < bottom;
      }});
      const isSeen = box.width > 0 && !isBehind && element.checkVisibility({{ visibilityProperty: true }});
      if (words !== "" && isSeen && !turned) texts.push({{ words, box, picture: element.ownerSVGElement }});
    }}
  }}
  const found = [];
  texts.forEach((one, index) => {{
    const edge = one.picture.getBoundingClientRect();
    // Strip and scrubber share an axis and let their names stand beside it; they are not in a shadow root.
    const beyond = one.box.left < edge.left - 2 || one.box.right > edge.right + 2;
    if (one.picture.getRootNode() !== document && beyond) found.push(`"${{one.words}}" is cut`);
    for (const other of texts.slice(index + 1)) {{
      if (one.picture !== other.picture) continue;
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 2 && high > 5) found.push(`"${{one.words}}" on "${{other.words}}"`);
    }}
  }});
  return found;
}}"""

# Words that a tag or a message covers, except its own. The letters of a line fill three fifths of its height in the
# middle.
_COVERED_WORDS = f"""() => {{
  {_EVERY_ROOT}
  const found = [];
  for (const scene of roots.flatMap((root) => [...root.querySelectorAll("svg.scene")])) {{
    const texts = [...scene.querySelectorAll("text")];
    const words = texts.filter((word) => word.textContent.trim() !== "" && word.checkVisibility());
    const shapes = scene.querySelectorAll(`[data-key=tag] > :is(.tag, .pill), [data-key^="m:"] > .env`);
    for (const shape of shapes) {{
      const own = shape.closest("svg.scene > g");
      const {{ left, right, top, bottom }} = shape.getBoundingClientRect();
      for (const word of words) {{
        const isUnder = word.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING;
        if (own.contains(word) || !isUnder) continue;
        const box = word.getBoundingClientRect();
        const air = box.height / 5;
        const wide = Math.min(right, box.right) - Math.max(left, box.left);
        const high = Math.min(bottom, box.bottom - air) - Math.max(top, box.top + air);
        const [lower, upper] = [word, own].map((one) => one.textContent.trim());
        if (wide > 2 && high > 2) found.push(`"${{lower}}" is under "${{upper}}"`);
      }}
    }}
  }}
  return [...new Set(found)];
}}"""

# Elements that could be taken for a part of another one: a tag across the edge of a component, a message on another
# message or beyond the edge of the picture, and the card with the decision over a part of a reader.
_MISPLACED = f"""() => {{
  {_EVERY_ROOT}
  const found = [];
  const boxOf = (element) => element.getBoundingClientRect();
  const within = (one, other) => [
    Math.min(one.right, other.right) - Math.max(one.left, other.left),
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
  ];
  const thing = (element) => element.closest("svg.scene > g");
  const said = (element) => `"${{thing(element).textContent.trim()}}"`;
  const bodiesIn = ":scope > g > :is(rect.body, .body:first-child), :scope > g > g > rect.body";
  for (const scene of roots.flatMap((root) => [...root.querySelectorAll("svg.scene")])) {{
    const bodies = [...scene.querySelectorAll(bodiesIn)].filter((body) => !thing(body).dataset.key.startsWith("lane:"));
    for (const tag of scene.querySelectorAll("[data-key=tag] > :is(.tag, .pill)")) {{
      const own = boxOf(tag);
      for (const body of bodies) {{
        const [wide, high] = within(own, boxOf(body));
        const beyond = Math.max(own.width - wide, own.height - high);
        const isAcross = Math.min(wide, high, beyond) > {EDGE};
        if (isAcross) found.push(`${{said(tag)}} lies across the edge of ${{thing(body).dataset.key}}`);
      }}
    }}
    const sheets = [...scene.querySelectorAll(`[data-key^="m:"] > :is(.env, .pill):first-of-type`)];
    const edge = boxOf(scene);
    sheets.forEach((sheet, index) => {{
      const own = boxOf(sheet);
      for (const other of sheets.slice(index + 1)) {{
        const isOn = thing(sheet) !== thing(other) && Math.min(...within(own, boxOf(other))) > 1;
        if (isOn) found.push(`message ${{said(sheet)}} lies on ${{said(other)}}`);
      }}
      if (own.left < edge.left - 1 || own.right > edge.right + 1) found.push(`message ${{said(sheet)}} is cut`);
    }});
    const card = scene.getRootNode().querySelector(".decides");
    for (const reader of card === null ? [] : scene.querySelectorAll("[data-key^='reader:'] .body")) {{
      const [, high] = within(boxOf(card), boxOf(reader));
      const isHalf = high > {EDGE} && high < boxOf(reader).height - 1;
      if (isHalf) found.push(`${{thing(reader).dataset.key}} is half covered`);
    }}
  }}
  return [...new Set(found)];
}}"""

# The side columns may scroll: no step moves their panels.
_CUT_PANELS = """() => [...document.querySelectorAll(".player > .mid:has(> .panel)")]
  .filter((column) => column.clientHeight > 0 && column.scrollHeight > column.clientHeight + 1)
  .map((column) => `${column.className} is ${column.scrollHeight - column.clientHeight} px too tall`)"""

# The first element of a panel is judged: without text, or without height, it is an empty frame. What follows it in
# the panel, such as buttons and the actions on a message, is shown only when it is needed.
_EMPTY_PANELS = """() => [...document.querySelectorAll(".player .panel > :first-child")]
  .filter((panel) => panel.checkVisibility())
  .filter((panel) => panel.offsetHeight < 8 || (panel.shadowRoot ?? panel).textContent.trim() === "")
  .map((panel) => `${panel.localName} shows nothing`)"""

# Words that are wider than their box, which cuts them off without an ellipsis.
_CUT_WORDS = f"""() => {{
  {_EVERY_ROOT}
  const found = [];
  for (const root of roots) {{
    for (const element of root.querySelectorAll("*")) {{
      if (element.clientWidth === 0 || element.scrollWidth <= element.clientWidth + 1) continue;
      const {{ overflowX, textOverflow, position }} = getComputedStyle(element);
      if (!["hidden", "clip"].includes(overflowX) || textOverflow === "ellipsis" || position === "absolute") continue;
      const words = element.checkVisibility() ? element.textContent.trim() : "";
      if (words !== "") found.push(`"${{words.slice(0, 60)}}" is cut`);
    }}
  }}
  return found;
}}"""


# A control cannot be pressed if another element covers its middle. While a card or list is open, it may cover
# controls.
_COVERED_CONTROLS = """() => {
  if (document.querySelector("dialog[open], .predict-card, .action-list, details.menu[open]") !== null) return [];
  return [...document.querySelectorAll(".player > :is(nav, header, footer) :is(button, select, a[href], summary)")]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .map((control) => ({ control, box: control.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.top >= 0 && box.bottom <= innerHeight)
    .filter(({ control, box }) => {
      const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return there !== null && !control.contains(there) && !there.contains(control);
    })
    .map(({ control }) => `"${(control.getAttribute("aria-label") ?? control.textContent).trim()}" is covered`);
}"""


# Panels on a telephone that are taller than the page's middle and cannot be scrolled.
_OUT_OF_REACH = """() => [...document.querySelectorAll(".player > .mid")]
  .filter((middle) => middle.clientHeight > 0 && middle.scrollHeight <= middle.clientHeight + 1)
  .flatMap((middle) => [...middle.children].filter((panel) => panel.scrollHeight > middle.clientHeight + 4))
  .filter((panel) => getComputedStyle(panel.firstElementChild ?? panel).overflowY === "visible")
  .map((panel) => `${panel.id} is cut at its foot and cannot be scrolled`)"""


# All in one call: seven calls to the page take longer than the checks.
_ALL = f"""() => ({{
  overlaps: ({_OVERLAPS})(),
  covered_words: ({_COVERED_WORDS})(),
  misplaced: ({_MISPLACED})(),
  cut_panels: ({_CUT_PANELS})(),
  empty_panels: ({_EMPTY_PANELS})(),
  cut_words: ({_CUT_WORDS})(),
  covered: ({_COVERED_CONTROLS})(),
  out_of_reach: ({_OUT_OF_REACH})(),
  beyond: {BEYOND},
  missing: ({_MISSING_WORDS})(),
}})"""


def at_rest(page: Page, look: Callable[[], list[Any]], within: float = SETTLES_WITHIN) -> list[Any]:
    """Return what ``look`` finds, as soon as it finds nothing or the time ``within``, in seconds, is over."""
    deadline = time.monotonic() + within
    while (found := look()) and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    return found


def faults(page: Page) -> list[str]:
    """Return all faults below that can be looked for at any step, as texts."""
    return at_rest(page, lambda: _faults(page))


def _faults(page: Page) -> list[str]:
    wide = page.viewport_size is not None and page.viewport_size["width"] >= FOLDS_BELOW
    found: dict[str, Any] = page.evaluate(_ALL)
    return [
        *found["overlaps"],
        *found["covered_words"],
        *found["misplaced"],
        *(found["cut_panels"] if wide else []),
        *found["empty_panels"],
        *found["cut_words"],
        *found["covered"],
        *found["out_of_reach"],
        *([f"the page is {found['beyond']} px too wide"] if found["beyond"] > 0 else []),
        *(f"{key} has no words" for key in found["missing"]),
    ]


def assert_accessible(page: Page, within: float = SETTLES_WITHIN) -> None:
    """Fail if the page violates an accessibility rule of level A or AA."""
    found = at_rest(page, lambda: forbidden(page), within)
    assert found == [], found


def assert_accessible_in_turn(page: Page) -> None:
    """Like `assert_accessible`, for tests that look at many pages: the quick tests judge one in JUDGED_ONE_IN places,
    the slow tests each.
    """
    if _walk.is_judged_here():
        assert_accessible(page)


def walk_begins(name: str, is_in_turn: bool) -> None:
    """Say that another test begins to look. `is_in_turn`: it judges only some of the places."""
    global _walk
    _walk = _Walk(name, is_in_turn)


@dataclass
class _Walk:
    name: str
    is_in_turn: bool
    places: int = 0

    def is_judged_here(self) -> bool:
        self.places += 1
        return not self.is_in_turn or is_drawn(
            f"{self.name} {self.places}", JUDGED_ONE_IN, "engine", "eosviz"
        )


_walk = _Walk("", is_in_turn=False)


def forbidden(page: Page) -> list[tuple[str, list[Any]]]:
    """Return the ids of the violated rules, each with up to five elements. Judging the contrast of every text and
    link takes most of the time, and on a page with some thousand texts nearly all of them look like another one; so
    on long pages, one of each look is judged. The page must have loaded: before, it has no body.
    """
    page.wait_for_load_state()
    if page.evaluate(_MARK_ONE_OF_EACH_LOOK):
        violations = _violations(page, LOOKS_ONLY, {"include": [[f"[{ONE_OF_EACH_LOOK}]"]]})
        page.evaluate(_UNMARK)
        violations += _violations(page, ALL_BUT_LOOKS)
    else:
        violations = _violations(page, LEVELS)
    return [(rule["id"], [node["target"] for node in rule["nodes"]][:5]) for rule in violations]


def _violations(
    page: Page, options: dict[str, Any], within: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """Return the violations only: the rest of axe's report is some hundred kilobytes for a page."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(_RUN_AXE, [within, options])
    return found


def assert_words_complete(page: Page) -> None:
    missing = at_rest(page, lambda: page.evaluate(_MISSING_WORDS))
    assert missing == [], missing


def assert_nothing_scrolls_sideways(page: Page) -> None:
    beyond = at_rest(page, lambda: [found] if (found := page.evaluate(BEYOND)) > 0 else [])
    assert beyond == [], f"{beyond} px too wide"


def assert_one_screen(page: Page) -> None:
    """Fail if the page scrolls sideways or downwards."""
    assert_nothing_scrolls_sideways(page)
    beyond = at_rest(page, lambda: [found] if (found := page.evaluate(_BELOW)) != 0 else [])
    assert beyond == [], f"{beyond} px too tall"


def text_faults(page: Page) -> list[str]:
    """Return texts of diagrams that overlap, are covered or are cut at the edge of their picture, and labels and
    messages of the stage that lie across an edge or on each other.
    """
    looks = f"[...({_OVERLAPS})(), ...({_COVERED_WORDS})(), ...({_MISPLACED})()]"
    return at_rest(page, lambda: page.evaluate(looks))


def cut_panels(page: Page) -> list[str]:
    """Return the columns of the player whose panels do not fit; this is meaningful only on a wide screen."""
    return at_rest(page, lambda: page.evaluate(_CUT_PANELS))
