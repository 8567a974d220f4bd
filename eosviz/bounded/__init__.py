"""Processes users' files and documents in separate processes with limited processor time and memory.

`tasks.py` lists the kinds of such processes. `runner.py` waits for one of them. `starting.py` starts it,
forked from `template.py` where this is possible, and `__main__.py` is the program that it runs. `register.py`
limits all of them together and decides their order; `waiting_rows.py` handles database rows that wait for one
of them. README.md describes the protocol.
"""
