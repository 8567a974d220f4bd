"""Types that several shapes use."""

from __future__ import annotations

from typing import Any, TypedDict

JsonObject = dict[str, Any]

Bilingual = TypedDict("Bilingual", {"en": str, "zh-Hans": str})
"""Words in both languages, as the engine's documents carry them."""
