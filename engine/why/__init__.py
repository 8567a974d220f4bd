"""Answers *why* questions about a run. Each answer is a chain of links from a symptom to its cause.

Start at ``asking.py``, the table of questions; ``offering.py`` finds the questions for a selected object.
Each question has a function that reads the view of a run and calls the run's own rules. No function here
changes the run.
"""
