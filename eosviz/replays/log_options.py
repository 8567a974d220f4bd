"""What the user states about a log in addition to its files."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from eosviz.pipeline.kafka_logs.declared import ContradictedError, Declared, count_of, moment_of, written
from eosviz.replays.refusal import ReplayRefused

MOMENTS = ("now", "copied_after")


class LogOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of `declared.Declared`, for JSON. Times are in milliseconds since 1970."""

    now: int | None = None
    transaction_partitions: int | None = None
    rest_empty: bool = False
    one_cluster: bool = False
    copied_after: int | None = None

    def declared(self) -> Declared:
        """These options as a `Declared`. Raises ContradictedError if one of them cannot be true."""
        return Declared(**msgspec.structs.asdict(self))


def fields_of(options: LogOptions) -> dict[str, str]:
    """The fields of the page's form for these options, as texts. `options_of` reads them back."""
    fields: dict[str, str] = {}
    for name, value in msgspec.structs.asdict(options).items():
        if value is None or value is False:
            continue
        if value is True:
            fields[name] = "on"
        else:
            fields[name] = written(value) if name in MOMENTS else str(value)
    return fields


def options_of(form: Mapping[str, str]) -> LogOptions:
    """Reads the options from the fields of the page's form. An empty field states nothing. Raises
    ReplayRefused if a field has a wrong value."""
    count, now, after = (
        form.get(name, "").strip() for name in ("transaction_partitions", "now", "copied_after")
    )
    try:
        options = LogOptions(
            now=moment_of(now) if now else None,
            transaction_partitions=count_of(count) if count else None,
            rest_empty="rest_empty" in form,
            one_cluster="one_cluster" in form,
            copied_after=moment_of(after) if after else None,
        )
        options.declared()
    except ContradictedError as error:
        raise ReplayRefused.keyed(error.sentence.key, error.sentence.params) from None
    return options
