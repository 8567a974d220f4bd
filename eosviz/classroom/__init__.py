"""Classes: who learns with whom, what they are asked to do, and how the engine judges it."""
