"""Why things are as they are, as chains of links that lead from a symptom to its cause.

Start at ``asking.py``: the table of questions; ``offering.py`` says which of them fit a selected thing. Each
question has a module of its own that reads the view of a run and asks the run's own rules; nothing here decides
anything, and nothing is changed by asking.
"""
