"""Tracks through the library, learners' progress in them, and predictions at checkpoints."""
