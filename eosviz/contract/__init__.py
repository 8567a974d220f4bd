"""Describes the data that server and page send each other (README.md)."""
