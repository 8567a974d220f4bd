"""What runs a stranger's file or document does so in a process of its own, with bounded processor time and memory.

`tasks.py` is the table of such processes, `runner.py` starts one and waits for it, `register.py` bounds all of them
together on one machine and decides whose turn it is, `__main__.py` is the process itself;
`waiting_rows.py` looks after rows that wait for one. README.md has the protocol.
"""
