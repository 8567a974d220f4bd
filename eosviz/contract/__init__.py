"""One description of what goes between server and page (README.md)."""
