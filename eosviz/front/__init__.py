"""The first pages: the front page, the library, the visitor's own sessions. Their addresses are named `scenarios:…`."""
