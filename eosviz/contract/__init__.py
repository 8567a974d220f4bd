"""The one description of all data between server and page (README.md)."""
