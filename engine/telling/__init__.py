"""How happenings are told: catalogue keys, parameters, requirements, decisions and refusals, by role."""
