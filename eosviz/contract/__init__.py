"""The only description of all data between server and page (README.md)."""
