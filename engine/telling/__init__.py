"""Turns happenings into sentences: catalogue keys, parameters, requirements, decisions and refusals. Each module
has the sentences of one role, or of one part of it."""
