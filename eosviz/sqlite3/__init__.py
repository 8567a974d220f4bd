"""Django's database backend for a site on SQLite (`ENGINE` in `DATABASES`)."""
