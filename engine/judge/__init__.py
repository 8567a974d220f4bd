"""The judges: they check the guarantees from facts, outside the code that they judge (GEN-8)."""
