"""The happenings of a run: typed events that roles emit, grouped by role (engine/telling makes sentences of them)."""
