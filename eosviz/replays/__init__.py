"""Sessions as files: export, import, and logs that a real broker wrote."""
