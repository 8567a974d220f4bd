"""From a bare machine to a running eosviz: `python3 -m eosviz.launch run`, `… test` and more (`__main__`).
This package runs before there is an environment, so it imports nothing but the standard library."""
