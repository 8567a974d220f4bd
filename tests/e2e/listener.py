"""A reader who cannot see the page: what there is comes from the browser's accessibility tree, and from nothing else.

The tree is the browser's own, the one that it hands to a screen reader. Things are found by role and name; to press
one is the default action that a screen reader asks for. The browser is asked for what is looked for: to have all of
a page read out takes it as long as ten steps take the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error, Page


@dataclass(frozen=True)
class Thing:
    """A node of the tree, as it is read out."""

    role: str
    name: str
    is_disabled: bool
    node: int
    """The browser's number for its element."""


class Listener:
    """Asks for what stands in the tree of a page and acts on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._browser = page.context.new_cdp_session(page)
        self._browser.send("Accessibility.enable")
        self._browser.send("DOM.enable")

    def things(self, role: str, name: str = "", inside: Thing | None = None) -> Sequence[Thing]:
        """What has this role, and a name that the pattern is found in; in the order in which it is read out. Nothing
        stands in what has gone meanwhile."""
        try:
            root = self._browser.send("DOM.getDocument", {"depth": 0})["root"]["backendNodeId"]
            asked = {"backendNodeId": inside.node if inside is not None else root, "role": role}
            nodes = self._browser.send("Accessibility.queryAXTree", asked)["nodes"]
        except Error:
            return []
        found = [_thing(node) for node in nodes if not node["ignored"]]
        return [thing for thing in found if re.search(name, thing.name)]

    def thing(self, role: str, name: str = "", inside: Thing | None = None) -> Thing:
        """The only one: of two elements with the same name, it is unclear which is meant."""
        found = self.things(role, name, inside)
        heard = sorted({thing.name for thing in self.things(role, "", inside)})
        assert len(found) == 1, f"{len(found)} things are a {role} named {name!r}; there are {heard}"
        return found[0]

    def words_of(self, thing: Thing) -> str:
        """All text that stands in it."""
        return " ".join(one.name for one in self.things("StaticText", inside=thing))

    def hears(self, region: str) -> str:
        """What the live region inside the region of this name says."""
        return self.words_of(self.thing("status", inside=self.thing("region", region)))

    def press(self, role: str, name: str) -> None:
        self.act(self.thing(role, name))

    def act(self, thing: Thing) -> None:
        """The default action."""
        assert not thing.is_disabled, f"the {thing.role} {thing.name!r} is disabled"
        found = self._browser.send("DOM.resolveNode", {"backendNodeId": thing.node})
        self._browser.send(
            "Runtime.callFunctionOn",
            {"objectId": found["object"]["objectId"], "functionDeclaration": "function () { this.click(); }"},
        )


def _thing(node: dict[str, Any]) -> Thing:
    properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
    return Thing(
        role=node["role"]["value"],
        name=str(node.get("name", {}).get("value", "")),
        is_disabled=bool(properties.get("disabled")),
        node=node.get("backendDOMNodeId", 0),
    )
