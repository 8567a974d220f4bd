"""A `Watch` for tests of one role: it says each happening at once, and knows nothing of the run."""

from __future__ import annotations

from engine.telling.tellings import TELLINGS


class SaysAtOnce:
    """For a `Watch` with `say`, `note` and `refuse` of its own."""

    def emit(self, kind, /, *fields, **named):
        happened = kind(*fields, **named)
        if kind.judged:
            self.fact(happened)
        if kind in TELLINGS:
            TELLINGS[kind](happened, self)

    def hears(self, kind):
        return True

    def holders(self, transactional_id):
        return {}

    def raised(self, transactional_id, epoch, cause):
        """No run, no causes."""

    def raised_beyond(self, transactional_id, epoch):
        return None

    def records_of(self, client, batch):
        return [batch]

    def shown(self, *path):
        return None

    def coordinated(self, producer_id):
        return None

    def is_under_way(self, api, source, destination, partition):
        return False

    def decide(self, decision):
        """Tests look at what was done."""

    def transition(self, machine, of, source, target, on, row):
        """Tests look at states."""
