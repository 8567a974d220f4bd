"""The profile of the client of October 2024, before 4.0: that of 4.1 without the changes between the two versions."""

from __future__ import annotations

from dataclasses import replace

from engine.profiles import K41

AT_SNAPSHOT = replace(K41, unknown_mapping_is_fatal=False, commit_may_raise_epoch=False)
