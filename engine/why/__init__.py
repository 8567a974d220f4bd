"""Answers to *why* questions about a run. Each answer is a chain of links from a symptom to its cause.
``asking.py`` has the table of questions; ``offering.py`` finds the questions for a selected object."""
