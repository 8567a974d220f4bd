"""Links between actors, and the effects of faults on messages (GEN-5, GEN-6)."""
