"""Processing of users' files and documents in processes of their own, with bounded processor time and memory.

`tasks.py` is the table of such processes. `runner.py` waits for one. `starting.py` starts it, forked from
`template.py` where this is possible, and `__main__.py` is what it runs. `register.py` bounds all of them
together and decides the order; `waiting_rows.py` handles database rows that wait for one. README.md has the
protocol.
"""
