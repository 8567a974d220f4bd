"""The first pages: the front page, the library, one's own sessions. Their addresses are named `scenarios:…`."""
