"""Settings: `base` holds what is true everywhere, the other modules what one place adds.

docs/operating.md lists the environment variables.
"""
