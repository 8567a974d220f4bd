"""What happens in a run: typed events that roles emit, by role (engine/telling says how they are told)."""
