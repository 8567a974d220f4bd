"""The judges, which check the guarantees from facts. They are outside the code that they judge (GEN-8)."""
