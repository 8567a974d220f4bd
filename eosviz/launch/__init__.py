"""What stands between a bare machine and a running eosviz: `python3 -m eosviz.launch run`, `… test` and more.

This package runs before there is an environment, so it imports the standard library alone and nothing else of
the project; it starts the rest as processes of the environment that it made. Where to start reading:
`__main__` lists the verbs, `supervisor` keeps the processes alive, `parts` runs the tests.
"""
