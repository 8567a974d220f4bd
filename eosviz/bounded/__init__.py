"""Processing of users' files and documents in processes of their own, with bounded processor time and memory.
`tasks.py` is the table of such processes, `runner.py` waits for one; README.md has the protocol."""
