"""Scenarios that instructors and learners build: drafts, and editions, whose text never changes.

The query sets here decide who may see or change a row: a page gets 404 for another user's private draft.
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
    """Everyone can find the editions: the scenario is in the gallery."""


class Language(models.TextChoices):
    """The languages whose texts are complete."""

    BOTH = "both", "both"
    ENGLISH = "en", "en"
    CHINESE = "zh-Hans", "zh-Hans"


class DraftQuerySet(models.QuerySet["Draft"]):
    def of(self, user: User | AnonymousUser) -> DraftQuerySet:
        """This user's own drafts."""
        return self.filter(owner=user) if user.is_authenticated else self.none()

    def seen_by(self, user: User | AnonymousUser) -> DraftQuerySet:
        """The drafts that this user may view. A draft without an edition is for its owner and for those with
        the permission `view_draft`."""
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
        """The drafts that are public and published, the one with the newest edition first."""
        newest = Edition.objects.filter(draft=models.OuterRef("pk")).order_by("-number")
        return (
            self.filter(visibility=Visibility.PUBLIC)
            .annotate(published=models.Subquery(newest.values("published")[:1]))
            .filter(published__isnull=False)
            .select_related("owner")
            .order_by("-published", "id")
        )

    def matching(self, query: str, tag: str, language: str, profile: str) -> DraftQuerySet:
        """The drafts that contain every word of the query and pass each filter that is not empty."""
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
    """A scenario that a user builds. `identifier`, `title`, `profile` and `searched` are read from the text whenever it
    can be parsed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="drafts")
    text = models.TextField()
    """The TOML as its author wrote it, valid or not."""
    revision = models.PositiveIntegerField(default=1)
    """A number that grows with each save. A save names the revision that it changes."""
    identifier = models.CharField(max_length=64, blank=True)
    title = models.JSONField(default=dict)
    profile = models.CharField(max_length=16, blank=True)
    searched = models.TextField(blank=True)
    """All searchable words, in lower case."""
    tag_line = models.CharField(max_length=TAGS_MAX * (TAG_CHARACTERS_MAX + 1) + 1, blank=True)
    """The tags between bars: `|order|retries|`."""
    language = models.CharField(max_length=8, choices=Language.choices, default=Language.BOTH)
    visibility = models.CharField(max_length=8, choices=Visibility.choices, default=Visibility.PRIVATE)
    classroom = models.ForeignKey(Classroom, on_delete=models.SET_NULL, null=True, related_name="drafts")
    """The class that may see the editions, for visibility *class*."""
    origin = models.ForeignKey("Edition", on_delete=models.SET_NULL, null=True, related_name="forks")
    origin_name = models.CharField(max_length=120, blank=True)
    """The name of the origin when the draft was created. The name stays when the origin is deleted."""
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
    """Why there is no version: `{"key", "params"}` of a sentence; null while the publication is
    unfinished."""
    beat = models.DateTimeField()
    """When the author asked to publish, or when `is_forgotten` later set it anew."""

    objects = PublishingQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.draft_id}: {'under way' if self.refusal is None else 'refused'}"

    @property
    def place(self) -> str:
        """The row's name in the register of bounded processes."""
        return f"publish-{self.draft_id}"


class EditionQuerySet(models.QuerySet["Edition"]):
    def of_draft(self, draft: Draft) -> EditionQuerySet:
        """The editions of the draft, newest first. The large columns (`text`, `steps`) are not read."""
        return self.filter(draft=draft).select_related("version").defer("steps", "text").order_by("-number")

    def usable_by(self, user: User) -> EditionQuerySet:
        """The newest edition of each of this user's drafts, for an assignment."""
        newest = Edition.objects.filter(draft=models.OuterRef("draft")).order_by("-number")
        return (
            self.filter(draft__owner=user, number=models.Subquery(newest.values("number")[:1]))
            .select_related("version", "draft")
            .defer("steps", "text")
            .order_by("draft__identifier", "id")
        )

    def to_check(self, engine: str) -> EditionQuerySet:
        """The editions that were not yet compared with a run of this engine."""
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
    """Variant (`""`: the document itself) → `{"finished", "steps", "verdicts", "refused"}`."""
    steps = models.BinaryField()
    """The digests of the steps of every run in `outcome`, eight bytes for each step, deflated. The runs are in the
    order of `runs`."""
    published = models.DateTimeField(auto_now_add=True)
    checked = models.CharField(max_length=16, blank=True)
    """The version of the engine that made the outcome or, after a later comparison, of the engine with whose
    run the outcome was last compared."""
    differs = models.JSONField(null=True)
    """`{"engine", "variant", "step"}` of the first difference to the run of the engine `checked`; step 1 if
    another rule refuses the variant. Null if nothing differs, or if the author has seen the difference."""

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
        """The keys of `outcome`: the document itself first, then the variants as the document lists them.
        PostgreSQL stores the keys in another order."""
        variants = (one["name"] for one in self.version.document.get("variants", ()))
        return [name for name in ("", *variants) if name in self.outcome]

    @property
    def step_digests(self) -> dict[str, bytes]:
        """Variant → the digests of its steps, eight bytes for each step, concatenated. In the order of
        `runs`."""
        packed, found, at = zlib.decompress(bytes(self.steps)), {}, 0
        outcome: dict[str, Any] = self.outcome
        for variant in self.runs:
            end = at + outcome[variant]["steps"] * 8
            found[variant] = packed[at:end]
            at = end
        return found
