"""Links between actors, and what faults do to what crosses them (GEN-5, GEN-6)."""
