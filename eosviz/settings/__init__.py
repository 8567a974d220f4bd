"""Settings: `base` applies everywhere, the other modules add what one kind of installation needs.
docs/operating.md lists the environment variables."""
