"""A reader who cannot see the page: all information comes from the browser's accessibility tree.

The tree is the browser's own, which it hands to a screen reader. Elements are found by role and name; pressing one is
the default action that a screen reader would request. The browser is asked only for the wanted elements, because
reading the whole tree takes as long as ten steps of the walk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Error, Page


@dataclass(frozen=True)
class Thing:
    """An element of the accessibility tree, as a screen reader announces it."""

    role: str
    name: str
    is_disabled: bool
    node: int
    """The browser's number of the element."""


class Listener:
    """Finds elements in the accessibility tree of a page and acts on them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._browser = page.context.new_cdp_session(page)
        self._browser.send("Accessibility.enable")
        self._browser.send("DOM.enable")

    def things(self, role: str, name: str = "", inside: Thing | None = None) -> Sequence[Thing]:
        """Return the elements with this role whose name matches the pattern, in the order in which they are read out.
        Returns none if ``inside`` has left the page in the meantime.
        """
        try:
            root = self._browser.send("DOM.getDocument", {"depth": 0})["root"]["backendNodeId"]
            asked = {"backendNodeId": inside.node if inside is not None else root, "role": role}
            nodes = self._browser.send("Accessibility.queryAXTree", asked)["nodes"]
        except Error:
            return []
        found = [_thing(node) for node in nodes if not node["ignored"]]
        return [thing for thing in found if re.search(name, thing.name)]

    def thing(self, role: str, name: str = "", inside: Thing | None = None) -> Thing:
        """Return the only element with this role and name. Fails if there are several, because it would be unclear
        which is meant.
        """
        found = self.things(role, name, inside)
        heard = sorted({thing.name for thing in self.things(role, "", inside)})
        assert len(found) == 1, f"{len(found)} things are a {role} named {name!r}; there are {heard}"
        return found[0]

    def words_of(self, thing: Thing) -> str:
        """Return all text inside the element."""
        return " ".join(one.name for one in self.things("StaticText", inside=thing))

    def hears(self, region: str) -> str:
        """Return the text of the live region inside the region with this name."""
        return self.words_of(self.thing("status", inside=self.thing("region", region)))

    def press(self, role: str, name: str) -> None:
        self.act(self.thing(role, name))

    def act(self, thing: Thing) -> None:
        """Perform the element's default action."""
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
