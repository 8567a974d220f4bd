"""Sentences of happenings: catalogue keys, parameters, requirements, decisions and refusals, by role."""
