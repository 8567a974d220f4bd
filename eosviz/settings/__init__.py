"""Settings: `base` applies everywhere; `development`, `production` and `test` add what one kind of
installation needs. docs/operating.md lists the environment variables."""
