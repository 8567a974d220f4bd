"""Makes the sentences for happenings, one module for each role: catalogue keys, parameters, requirements,
decisions and refusals."""
