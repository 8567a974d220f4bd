"""The pages through which visitors enter the site: the front page, the library, and the visitor's own
sessions. Their addresses are named `scenarios:…`."""
