"""Settings: `base` applies everywhere, with the parts that it imports; `development`, `production` and `test` add
what one kind of installation needs. docs/operating.md lists the environment variables."""
