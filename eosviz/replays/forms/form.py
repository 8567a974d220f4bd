"""The base class of the forms of a replay's file, and the input of a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, ClassVar, cast

import msgspec

from eosviz.bounded import runner
from eosviz.bounded.register import caller
from eosviz.bounded.tasks import TASKS
from eosviz.replays import bounded_check

_MADE = (bounded_check.PLAYER, bounded_check.CARD)


@dataclass(frozen=True, slots=True)
class Work:
    """The input of a form. `replay`: the replay file. `owner`: the owner's key. `each`: to be called for each
    step, for the progress. `follow`: called with the folder of a bounded process, repeatedly while this
    works."""

    replay: IO[bytes]
    language: str
    owner: str
    each: Callable[[], None]
    follow: Callable[[Path], None]

    def whole(self) -> BinaryIO:
        self.replay.seek(0)
        return cast(BinaryIO, self.replay)

    def checked(self, player: bool = False) -> tuple[bounded_check.Own, bytes, bytes]:
        """Checks the replay file. Returns what is known about it, its gzipped player file and its picture.
        The last two are empty unless `player` is true. Raises `bounded.Refused` if the check refuses the
        file, and BeyondBounds, Busy, Cancelled or Stopped if it was not finished."""
        self.replay.flush()
        asked = bounded_check.AskedOwn(self.replay.name, player)
        with runner.run(TASKS["export"], asked, caller(self.owner), each=self.follow) as done:
            packed, card = ((done.folder / name).read_bytes() if player else b"" for name in _MADE)
            return msgspec.json.decode(done.answer, type=bounded_check.Own), packed, card


class Form:
    """A form of a replay's file; each subclass is one."""

    name: ClassVar[str]
    """The value of `form` in requests, of at most 12 letters. The catalogue must have the keys
    `exports.form.<name>` and `exports.form.<name>.means`."""
    order: ClassVar[int]
    """The position of the form in the dialog."""
    ending: ClassVar[str]
    """The ending of the file's name."""
    is_replay: ClassVar[bool] = True
    """Whether the file contains every step, so that it can be imported again."""
    passes: ClassVar[int] = 1
    """How often all steps are read, for the progress: once to write the replay file, and a second time if
    `pieces` calls `work.each` or `work.checked`."""
    waits: ClassVar[bool] = False
    """Whether `pieces` calls `work.checked`, which waits for a bounded process."""

    def pieces(self, work: Work) -> Iterable[bytes]:
        """The file in pieces. The same input always gives the same bytes."""
        raise NotImplementedError
