"""Classes: their members, their assignments, and how the engine judges the attempts of learners."""
