"""The scenario documents: their fields, checks and meaning, and the library of the documents that come with the
engine."""
