"""What stands between a bare machine and a running eosviz: `python3 -m launch run`, `… test` and the rest.

This package runs before there is an environment, so it imports the standard library alone and never
`eosviz` or `engine`; it starts those as processes of the environment that it made. Where to start reading:
`__main__` lists the verbs, `supervisor` keeps the processes alive, `parts` runs the tests.
"""
