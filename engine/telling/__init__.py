"""The sentences for happenings, by role: catalogue keys, parameters, requirements, decisions and refusals."""
