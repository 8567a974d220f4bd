"""Tracks through the library, and predictions at checkpoints."""
