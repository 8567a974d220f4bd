"""Scenarios that instructors and learners build: drafts, and editions, whose text never changes.

The query sets in this file decide who may see or change a row. If a user asks for another user's private
draft, the page therefore answers with 404.
"""

from __future__ import annotations

import uuid
import zlib
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from eosviz.accounts.models import User
from eosviz.classroom.models import Classroom
from eosviz.scenarios.models import ScenarioVersion

EDITIONS_MAX = 50
"""A draft has at most this many editions."""
TAGS_MAX = 8
TAG_CHARACTERS_MAX = 30
SEARCHED_CHARACTERS_MAX = 20_000


class Visibility(models.TextChoices):
    """Who can find a draft's editions."""

    PRIVATE = "private", "private"
    LINK = "link", "link"
    """Everyone who has the address can find the editions."""
    CLASS = "class", "class"
    PUBLIC = "public", "public"
    """Everyone can find the editions, because the scenario is in the gallery."""


class Language(models.TextChoices):
    """The languages in which all texts are written."""

    BOTH = "both", "both"
    ENGLISH = "en", "en"
    CHINESE = "zh-Hans", "zh-Hans"


class DraftQuerySet(models.QuerySet["Draft"]):
    def of(self, user: User | AnonymousUser) -> DraftQuerySet:
        """Returns this user's own drafts."""
        return self.filter(owner=user) if user.is_authenticated else self.none()

    def seen_by(self, user: User | AnonymousUser) -> DraftQuerySet:
        """Returns the drafts that this user may view. A draft without an edition may be viewed only by its
        owner and by users with the permission `view_draft`."""
        published = models.Exists(Edition.objects.filter(draft=models.OuterRef("pk")))
        seen = models.Q(visibility__in=(Visibility.LINK, Visibility.PUBLIC)) & models.Q(published)
        if user.is_authenticated:
            rooms = Classroom.objects.filter(memberships__user=user)
            seen |= models.Q(visibility=Visibility.CLASS, classroom__in=rooms) & models.Q(published)
            seen |= models.Q(owner=user)
            if user.has_perm("workshop.view_draft"):
                return self.all()
        return self.filter(seen)

    def gallery(self) -> DraftQuerySet:
        """Returns the drafts that are public and published. The draft with the newest edition is first."""
        newest = Edition.objects.filter(draft=models.OuterRef("pk")).order_by("-number")
        return (
            self.filter(visibility=Visibility.PUBLIC)
            .annotate(published=models.Subquery(newest.values("published")[:1]))
            .filter(published__isnull=False)
            .select_related("owner")
            .order_by("-published", "id")
        )

    def matching(self, query: str, tag: str, language: str, profile: str) -> DraftQuerySet:
        """Returns the drafts that contain every word of the query and match each filter that is not empty."""
        found = self
        for word in query.lower().split():
            found = found.filter(searched__contains=word)
        if tag:
            found = found.filter(tag_line__contains=f"|{tag.lower()}|")
        if language:
            found = found.filter(language__in=(language, Language.BOTH))
        if profile:
            found = found.filter(profile=profile)
        return found


class Draft(models.Model):
    """A scenario that a user builds. `identifier`, `title`, `profile` and `searched` are read from the text
    whenever it can be parsed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    text = models.TextField()
    """The TOML as its author wrote it, valid or not."""
    revision = models.PositiveIntegerField(default=1)
    """A number that grows with each save. A request to save says which revision it changes."""
    identifier = models.CharField(max_length=64, blank=True)
    title = models.JSONField(default=dict)
    profile = models.CharField(max_length=16, blank=True)
    searched = models.TextField(blank=True)
    """All words that a search can find, in lower case."""
    tag_line = models.CharField(max_length=TAGS_MAX * (TAG_CHARACTERS_MAX + 1) + 1, blank=True)
    """The tags between bars: `|order|retries|`."""
    language = models.CharField(max_length=8, choices=Language.choices, default=Language.BOTH)
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PRIVATE)
    classroom = models.ForeignKey(Classroom, on_delete=models.SET_NULL, null=True, related_name="drafts")
    """The class that may see the editions, for visibility *class*."""
    origin = models.ForeignKey("Edition", on_delete=models.SET_NULL, null=True, related_name="forks")
    origin_name = models.CharField(max_length=120, blank=True)
    """The name that the origin had when the draft was created. It stays when the origin is deleted."""
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        permissions = (("publish_to_all", "May publish to everybody"),)
        ordering = ("-changed", "id")

    def __str__(self) -> str:
        return self.identifier or str(self.id)

    @property
    def tags(self) -> list[str]:
        return [tag for tag in self.tag_line.split("|") if tag]

    @property
    def visibility_key(self) -> str:
        return f"workshop.visibility.{self.visibility}"

    @property
    def language_key(self) -> str:
        return f"workshop.language.{self.language}"


class PublishingQuerySet(models.QuerySet["Publishing"]):
    def unfinished(self) -> PublishingQuerySet:
        return self.filter(refusal__isnull=True)


class Publishing(models.Model):
    """A draft that is being published, until its version exists (`publishing.py`)."""

    draft = models.OneToOneField(Draft, on_delete=models.CASCADE, related_name="publishing")
    text = models.TextField()
    """The text of the draft when its author asked to publish it."""
    refusal = models.JSONField(default=None, null=True)
    """Why there is no version: `{"key", "params"}` of a sentence. Null while the publication is not
    finished."""
    beat = models.DateTimeField()
    """When the author asked to publish, or when `is_forgotten` last changed this time."""

    objects = PublishingQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.draft_id}: {'under way' if self.refusal is None else 'refused'}"

    @property
    def place(self) -> str:
        """Returns the name of the row in the register of bounded processes."""
        return f"publish-{self.draft_id}"


class EditionQuerySet(models.QuerySet["Edition"]):
    def of_draft(self, draft: Draft) -> EditionQuerySet:
        """Returns the editions of the draft, newest first. Does not read the large columns (`text`,
        `steps`)."""
        return self.filter(draft=draft).select_related("version").defer("steps", "text").order_by("-number")

    def usable_by(self, user: User) -> EditionQuerySet:
        """Returns the newest edition of each of this user's drafts, for an assignment."""
        newest = Edition.objects.filter(draft=models.OuterRef("draft")).order_by("-number")
        return (
            self.filter(draft__owner=user, number=models.Subquery(newest.values("number")[:1]))
            .select_related("version", "draft")
            .defer("steps", "text")
            .order_by("draft__identifier", "id")
        )

    def to_check(self, engine: str) -> EditionQuerySet:
        """Returns the editions that were not yet compared with a run of this engine."""
        return self.exclude(checked=engine).select_related("version").order_by("published", "id")


class Edition(models.Model):
    """One published version of a draft: its text, its document and the outcome of its run. If the draft is
    deleted, sessions and assignments keep their version."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="editions")
    number = models.PositiveIntegerField()
    """The number of the edition in its draft, from 1."""
    version = models.ForeignKey(ScenarioVersion, on_delete=models.PROTECT, related_name="editions")
    text = models.TextField()
    """The TOML with its comments."""
    engine = models.CharField(max_length=16)
    """The version of the engine that produced `outcome`."""
    outcome = models.JSONField()
    """A dict of variant (`""`: the document itself) → `{"finished", "steps", "verdicts", "refused"}`."""
    steps = models.BinaryField()
    """The digests of the steps of every run in `outcome`, compressed. Each step has eight bytes. The runs are
    in the order of `runs`."""
    published = models.DateTimeField(auto_now_add=True)
    checked = models.CharField(max_length=16, blank=True)
    """The version of the engine that produced the outcome or, if the outcome was compared later, of the
    engine with which it was last compared."""
    differs = models.JSONField(null=True)
    """The `{"engine", "variant", "step"}` of the first difference from a run of the engine `checked`. `step`
    is 1 if the variant is now refused by another rule. Null if nothing differs, or if the author has seen the
    difference."""

    objects = EditionQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["draft", "number"], name="edition_once"),)

    def __str__(self) -> str:
        return f"{self.version.identifier} version {self.number}"

    @staticmethod
    def pack(digests: list[bytes]) -> bytes:
        return zlib.compress(b"".join(digests), level=6)

    @property
    def runs(self) -> list[str]:
        """Returns the keys of `outcome`: first the document itself, then the variants in the order of the
        document. PostgreSQL stores the keys in another order."""
        variants = (one["name"] for one in self.version.document.get("variants", ()))
        return [name for name in ("", *variants) if name in self.outcome]

    @property
    def step_digests(self) -> dict[str, bytes]:
        """Returns a dict of variant → the digests of its steps, concatenated (eight bytes for each step), in
        the order of `runs`."""
        packed, found, at = zlib.decompress(bytes(self.steps)), {}, 0
        outcome: dict[str, Any] = self.outcome
        for variant in self.runs:
            end = at + outcome[variant]["steps"] * 8
            found[variant] = packed[at:end]
            at = end
        return found
