"""What happens in a run: typed events that roles emit, by role (engine/telling makes sentences of them)."""
