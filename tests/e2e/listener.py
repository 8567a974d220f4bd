"""Somebody who cannot see the page: what there is comes from the browser's accessibility tree, and from nothing else.

The tree is the browser's own, the one that it hands to a screen reader. Things are found by role and name; to press
one is the default action that a screen reader asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page


@dataclass(frozen=True)
class Thing:
    """A node of the tree, as it is read out."""

    role: str
    name: str
    is_disabled: bool
    node: int
    """The browser's number for its element."""
    inside: tuple[int, ...]
    """The elements that it stands in, from the outermost."""


class Tree:
    """All that is read out at one moment."""

    def __init__(self, things: Sequence[Thing]) -> None:
        self._things = things

    def things(self, role: str, name: str = "", inside: Thing | None = None) -> Sequence[Thing]:
        """What has this role, and a name that the pattern is found in; in the order in which it is read out."""
        return [
            thing
            for thing in self._things
            if thing.role == role
            and re.search(name, thing.name)
            and (inside is None or inside.node in thing.inside)
        ]

    def thing(self, role: str, name: str = "", inside: Thing | None = None) -> Thing:
        """The only one; nobody who hears two of the same name knows which is meant."""
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


class Listener:
    """Reads the tree of a page and acts on what stands in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._browser = page.context.new_cdp_session(page)
        self._browser.send("Accessibility.enable")
        self._browser.send("DOM.enable")
        self._read: Tree | None = None

    def press(self, role: str, name: str) -> None:
        self.act(self.tree().thing(role, name))

    def press_again(self, role: str, name: str) -> None:
        """Something that stays where it is while other things change: no need to have all of them read out again."""
        self.act((self._read or self.tree()).thing(role, name))

    def act(self, thing: Thing) -> None:
        """The default action."""
        assert not thing.is_disabled, f"the {thing.role} {thing.name!r} is disabled"
        self._read = None
        found = self._browser.send("DOM.resolveNode", {"backendNodeId": thing.node})
        self._browser.send(
            "Runtime.callFunctionOn",
            {"objectId": found["object"]["objectId"], "functionDeclaration": "function () { this.click(); }"},
        )

    def tree(self) -> Tree:
        nodes = self._browser.send("Accessibility.getFullAXTree")["nodes"]
        self._read = Tree(list(_read_out({node["nodeId"]: node for node in nodes}, nodes[0]["nodeId"])))
        return self._read


def _read_out(nodes: dict[str, dict[str, Any]], root: str) -> Iterator[Thing]:
    waiting: list[tuple[str, tuple[int, ...]]] = [(root, ())]
    while waiting:
        identifier, around = waiting.pop()
        node = nodes.get(identifier)
        if node is None:
            continue
        if not node["ignored"]:
            yield _thing(node, around)
        below = (*around, node["backendDOMNodeId"]) if "backendDOMNodeId" in node else around
        waiting += [(child, below) for child in reversed(node.get("childIds", []))]


def _thing(node: dict[str, Any], inside: tuple[int, ...]) -> Thing:
    properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
    return Thing(
        role=node["role"]["value"],
        name=str(node.get("name", {}).get("value", "")),
        is_disabled=bool(properties.get("disabled")),
        node=node.get("backendDOMNodeId", 0),
        inside=inside,
    )
