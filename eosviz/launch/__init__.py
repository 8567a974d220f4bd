"""Sets up and starts eosviz on a bare machine: `python3 -m eosviz.launch run`, `… test` and more.

This package runs before there is an environment, so it imports only the standard library and nothing else of
the project. Start reading at `__main__`, which lists the verbs; `supervisor` keeps the processes running,
`parts` runs the tests.
"""
