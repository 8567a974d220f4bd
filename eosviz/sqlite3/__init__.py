"""The `ENGINE` of a site on SQLite."""
