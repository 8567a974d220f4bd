"""The settings. `base` applies everywhere; `development`, `production` and `test` each add the settings of
one kind of installation. docs/operating.md lists the environment variables."""
