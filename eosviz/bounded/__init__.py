"""Processing of users' files and documents in processes of their own, with bounded processor time and memory.

`tasks.py` is the table of such processes, `runner.py` starts one and waits for it, `register.py` bounds all of them
on one machine and decides the order, `__main__.py` is the process itself; `waiting_rows.py` handles database rows
that wait for one. README.md has the protocol.
"""
