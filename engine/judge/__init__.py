"""The guarantees, judged from facts, outside the code they judge (GEN-8)."""

from engine.judge.bench import Bench, Verdict
from engine.judge.middleware_record import TransactionVerdict

__all__ = ["Bench", "TransactionVerdict", "Verdict"]
