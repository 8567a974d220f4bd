"""The database backend of a site on SQLite (`ENGINE` in `DATABASES`), based on Django's."""
