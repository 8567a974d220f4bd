"""Reference pages that are made from the tables of the engine and of this site, and the search."""
