"""Types that several shapes use."""

from __future__ import annotations

from typing import Any, TypedDict

JsonObject = dict[str, Any]

Bilingual = TypedDict("Bilingual", {"en": str, "zh-Hans": str})
"""A text in both languages, as in the engine's documents."""
