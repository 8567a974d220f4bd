"""Decides who may see a version of a scenario. Everyone may, unless a rule forbids it and no exemption
applies. Apps add rules and exemptions in their `AppConfig.ready`."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser

from eosviz.accounts.models import User
from eosviz.scenarios.models import ScenarioVersion

SeenBy = Callable[[User | AnonymousUser], bool]
Rule = Callable[[ScenarioVersion], SeenBy | None]
"""The type of a rule: a function that takes a version. It returns a function that says whether a user may see
this version, or None if the rule does not concern the version."""

Exemption = Callable[[ScenarioVersion, User | AnonymousUser], bool]

_rules: list[Rule] = []
_exemptions: list[Exemption] = []


def add_rule(rule: Rule) -> None:
    _rules.append(rule)


def add_exemption(sees: Exemption) -> None:
    _exemptions.append(sees)


def viewers_of(version: ScenarioVersion) -> SeenBy:
    """A function that says whether a user may see this version. For versions of the library it reads nothing
    from the database."""
    rules = [] if version.library_position is not None else [rule(version) for rule in _rules]
    asked = [seen_by for seen_by in rules if seen_by is not None]

    def sees(user: User | AnonymousUser) -> bool:
        return all(seen_by(user) for seen_by in asked) or any(may(version, user) for may in _exemptions)

    return sees
