"""The scenario documents: their fields, checks and meaning, and the library of all that come with the engine."""
