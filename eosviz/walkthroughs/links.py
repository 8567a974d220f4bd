"""Addresses that mean the same for everyone. An address names the scenario and its version, the
interventions, the step, the view, the selection and the zoom.

An address contains the interventions of a branch, and no id of a database row, so it is still valid when the
session or the database no longer exists. An address may come from anyone, so reading it is limited.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import uuid
import zlib
from itertools import pairwise
from typing import Annotated, Any, get_args

import msgspec
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from msgspec import Meta, Struct

from eosviz.refusals import Problem
from eosviz.scenarios.models import ScenarioVersion
from eosviz.walkthroughs.interventions import AnyIntervention
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.message_base import Selection, StepNumber
from eosviz.walkthroughs.models import Branch, Made, line_interventions
from eosviz.walkthroughs.presenting_messages import ZOOM_PATTERN, View

VIEWS = get_args(View)
VERSION_CHARACTERS = 16
DIGEST_CHARACTERS = 64
DONE_CHARACTERS_MAX = 6_000
"""Packed interventions have at most this many characters, so that browsers and proxies accept the whole
address."""
DONE_BYTES_MAX = 64 * 1024
BRANCH_DIGITS_MAX = 18
"""A number with more digits could be too large for a key of the database."""
STEP_DIGITS_MAX = 7
SERIALS_MAX = 100
ZOOM = re.compile(ZOOM_PATTERN, re.ASCII)
"""Matches the zoom in an address: transactions, or a check inside the step. An empty zoom means steps."""

_Done = Annotated[
    list[tuple[StepNumber, AnyIntervention]], Meta(max_length=LIMITS.interventions_per_branch * 4)
]
_done_decoder = msgspec.json.Decoder(_Done)


class Link(Struct, frozen=True, kw_only=True):
    """What an address leads to: run, step, view, selection and zoom."""

    scenario: str
    version: str
    """The first characters of the version's digest."""
    variant: str | None = None
    done: list[Made] = []
    step: int = 0
    view: str | None = None
    selection: Selection | None = None
    zoom: str | None = None

    @property
    def digest(self) -> str:
        """Returns a digest of the scenario, version, variant and interventions, as they are written in the
        link."""
        run = [self.scenario, self.version, self.variant, self.done]
        return hashlib.sha256(msgspec.json.encode(run)).hexdigest()

    @property
    def steps_needed(self) -> int:
        """Returns the number of steps that the run needs to contain the linked step and all interventions."""
        return max(self.step, *(made["after"] + 1 for made in self.done)) if self.done else self.step

    def query(self) -> str:
        fields: dict[str, Any] = {"variant": self.variant or "", "done": pack_done(self.done)}
        fields |= {"step": self.step, **view_fields(self.view, self.selection, self.zoom)}
        return urlencode({name: value for name, value in fields.items() if value != ""})

    def address(self, name: str = "walkthroughs:open", **further: str) -> str:
        """Returns the path and the query of the address, without the host."""
        query = "&".join(part for part in (self.query(), urlencode(further)) if part)
        return f"{reverse(name, args=[self.scenario, self.version])}?{query}"


def view_fields(view: str | None, selection: Selection | None, zoom: str | None = None) -> dict[str, str]:
    """Returns view, selection and zoom as parameters of an address. `read_view`, `read_selection` and
    `read_zoom` read them."""
    fields = {"view": view or "", "zoom": zoom or ""}
    if selection is not None:
        fields |= {"select": f"{selection.kind}:{selection.id}", "in": selection.partition or ""}
        fields["serials"] = ".".join(map(str, (selection.serials or [])[:SERIALS_MAX]))
    return fields


def link_to(
    branch: Branch, step: int, view: str | None, selection: Selection | None, zoom: str | None = None
) -> Link:
    """Returns the link to a step of a branch. Raises Problem if the branch has more interventions than fit
    into an address."""
    session = branch.session
    link = Link(
        scenario=session.version.identifier,
        version=session.version.digest[:VERSION_CHARACTERS],
        variant=session.variant,
        done=line_interventions(Branch.objects.line(branch)),
        step=step,
        view=view,
        selection=selection,
        zoom=zoom,
    )
    if len(pack_done(link.done)) > DONE_CHARACTERS_MAX:
        raise Problem("limit", "link_too_long", count=len(link.done))
    return link


def pack_done(done: list[Made]) -> str:
    """Returns the interventions as text for an address: JSON, compressed, and encoded in characters that an
    address may contain."""
    if not done:
        return ""
    pairs = [(made["after"], made["intervention"]) for made in done]
    # The keys are sorted, because PostgreSQL stores the keys of JSON in an order of its own, and a branch
    # must always have the same address.
    packed = zlib.compress(msgspec.json.encode(pairs, order="deterministic"), level=9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def read_link(scenario: str, version: str, query: QueryDict) -> Link:
    """Reads the link from an address. Raises Problem if `step` or `done` cannot be read. A view, zoom or
    selection that cannot be read is ignored."""
    step = query.get("step", "0")
    if not (step.isascii() and step.isdecimal() and len(step) < 8):
        raise Problem("malformed", "link_broken", part="step")
    return Link(
        scenario=scenario,
        version=version,
        variant=query.get("variant", "")[:100] or None,
        done=_read_done(query.get("done", "")),
        step=int(step),
        view=read_view(query),
        selection=read_selection(query),
        zoom=read_zoom(query),
    )


def _read_done(text: str) -> list[Made]:
    if not text:
        return []
    try:
        if len(text) > DONE_CHARACTERS_MAX:
            raise ValueError
        unpacker = zlib.decompressobj()
        unpacked = unpacker.decompress(
            base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), DONE_BYTES_MAX
        )
        if not unpacker.eof:
            raise ValueError
        pairs = _done_decoder.decode(unpacked)
    except (ValueError, binascii.Error, zlib.error, msgspec.DecodeError, RecursionError):
        raise Problem("malformed", "link_broken", part="done") from None
    if any(later[0] < earlier[0] for earlier, later in pairwise(pairs)):
        raise Problem("malformed", "link_broken", part="done")
    return [{"after": after, "intervention": msgspec.to_builtins(one)} for after, one in pairs]


def read_branch(query: QueryDict) -> int | None:
    """Returns the number of the branch in the address; None if it is missing or cannot be read."""
    return _number(query, "branch", BRANCH_DIGITS_MAX)


def read_step(query: QueryDict) -> int | None:
    """Returns the number of the step in the address; None if it is missing or cannot be read."""
    return _number(query, "step", STEP_DIGITS_MAX)


def _number(query: QueryDict, name: str, digits_max: int) -> int | None:
    text = query.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= digits_max else None


def read_view(query: QueryDict) -> str | None:
    wanted = query.get("view")
    return wanted if wanted in VIEWS else None


def read_zoom(query: QueryDict) -> str | None:
    """Returns the zoom in the address; None if it is missing or cannot be read. The player then shows single
    steps."""
    wanted = query.get("zoom", "")
    return wanted if wanted and ZOOM.fullmatch(wanted) else None


def read_log(query: QueryDict) -> str | None:
    """Returns the id of the log case to which the player links back, from the parameter ``log``; None if it
    is not an id."""
    try:
        return str(uuid.UUID(query.get("log", "")))
    except ValueError:
        return None


def read_selection(query: QueryDict) -> Selection | None:
    """Returns the selection in the address; None if it is missing or cannot be read."""
    kind, colon, name = query.get("select", "").partition(":")
    if not colon:
        return None
    fields: dict[str, Any] = {"kind": kind, "id": name}
    if query.get("in"):
        fields["partition"] = query["in"]
    serials = [word for word in query.get("serials", "")[:2_000].split(".") if word.isdecimal()]
    if serials:
        fields["serials"] = [int(word[:15]) for word in serials[:SERIALS_MAX]]
    try:
        return msgspec.convert(fields, Selection)
    except msgspec.ValidationError:
        return None


def version_of(link: Link) -> tuple[ScenarioVersion, bool]:
    """Returns the version that the link names, and True. If this version is not stored, returns the current
    version of the same scenario, and False. Raises Problem."""
    versions = ScenarioVersion.objects
    whole = versions.filter(digest__startswith=link.version, identifier__iexact=link.scenario)
    # A shorter prefix could match by chance. A longer text is not a digest, and SQLite fails on very long
    # ones.
    named = whole.first() if VERSION_CHARACTERS <= len(link.version) <= DIGEST_CHARACTERS else None
    if named is not None:
        return named, True
    today = versions.library().filter(identifier__iexact=link.scenario).first()
    if today is None:
        raise Problem("not_found", "no_scenario", scenario=link.scenario)
    return today, False
