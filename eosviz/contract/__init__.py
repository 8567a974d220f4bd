"""The description of the data between server and page (README.md)."""
