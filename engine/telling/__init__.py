"""Turns happenings into sentences, one module for each role: catalogue keys, parameters, requirements,
decisions and refusals."""
