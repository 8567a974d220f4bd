"""The guarantees, judged from facts, outside the code they judge (GEN-8)."""

from engine.judge.bench import Bench, Verdict

__all__ = ["Bench", "Verdict"]
