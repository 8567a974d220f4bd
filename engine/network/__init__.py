"""The links between actors with their messages, and what faults do to messages (GEN-5, GEN-6)."""
