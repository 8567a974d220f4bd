"""What pages call branches: the original run, or a changed run and its letter or the name that a person gave it. The
player does the same for the branches of the session on show (`static/player/branch-name.ts`)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence

from eosviz.catalogue import say
from eosviz.walkthroughs.models import Branch, Intervention, line_among, line_interventions

LETTERS = re.compile(r"[a-z]{1,2}")
"""The names that branches have before a person renames them."""


def branch_names(branches: Sequence[Branch], language: str) -> dict[int, str]:
    """Branch id → its name within a sentence, `the original run` or `changed run b`. `branches`: all branches of one
    or more sessions; their interventions are read in one query."""
    by_id = {branch.id: branch for branch in branches}
    own = Intervention.objects.by_branch(branches)
    names: dict[int, str] = {}
    with_original: set[uuid.UUID] = set()
    for branch in sorted(branches, key=lambda one: one.id):
        letters = LETTERS.fullmatch(branch.name) is not None
        name = branch.name if letters else f"“{branch.name}”"
        if line_interventions(line_among(branch, by_id), own):
            key = "branch.changed"
        elif branch.session_id in with_original:
            key = "branch.unchanged"
        else:
            key = "branch.original" if letters else "branch.original_named"
            with_original.add(branch.session_id)
        names[branch.id] = say(key, language, {"name": name})
    return names
