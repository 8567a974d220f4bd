"""The guarantees, judged from facts, outside the code they judge (GEN-8)."""
