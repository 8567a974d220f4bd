"""Kafka 0.10, before idempotent and transactional producers. Everything else is as in 2.0."""

from __future__ import annotations

from dataclasses import replace

from engine.versions.k20 import PROFILE as K20

PROFILE = replace(K20, name="k010", version="0.10", idempotence=False)
