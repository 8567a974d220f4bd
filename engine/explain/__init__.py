"""Holds the sentences of steps: one catalogue in English and Simplified Chinese, and the code that fills in
parameters."""
