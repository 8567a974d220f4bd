"""The seven strategies for a missing answer, as rows (MW-11, MW-12)."""

from __future__ import annotations

from dataclasses import dataclass

MANUAL = "manual"
FORWARD, BACKWARD = "forward", "backward"
AT_ONCE, SCAN, INTERVAL = "at_once", "scan", "interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One row of MW-11.

    - ``direction``: forward carries out the decision, backward undoes what was committed.
    - ``first`` and ``again``: when the strategy acts, as the name of a setting or ``at_once``. ``scan`` is
      the next multiple of the scheduled task's interval.
    - ``limit``: the setting that limits the number of attempts; None: no setting limits it.
    """

    name: str
    number: int
    direction: str
    first: str = AT_ONCE
    again: str = "resend_ms"
    limit: str | None = None

    @property
    def by_hand(self) -> bool:
        """Whether the strategy only reports, so that an operator has to act."""
        return self.name == MANUAL


STRATEGIES: dict[str, Strategy] = {
    row.name: row
    for row in (
        Strategy(name=MANUAL, number=1, direction=BACKWARD),
        Strategy(name="local_rollback", number=2, direction=BACKWARD),
        Strategy(name="log_rollback", number=3, direction=BACKWARD),
        Strategy(name="transaction_manager", number=4, direction=BACKWARD),
        Strategy(
            name="queue_retry",
            number=5,
            direction=FORWARD,
            again="answer_timeout_ms",
            limit="max_retries",
        ),
        Strategy(
            name="scheduled_retry",
            number=6,
            direction=FORWARD,
            first=SCAN,
            again=SCAN,
            limit="max_retries",
        ),
        Strategy(
            name="framework_retry",
            number=7,
            direction=FORWARD,
            first="framework_interval_ms",
            again="framework_interval_ms",
            limit="framework_retries",
        ),
    )
}
