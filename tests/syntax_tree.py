"""The syntax trees of source files, for the tests that hold rules about code."""

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of a Python file. The tests share it: they read it and change nothing."""
    return parsed(path.read_text(encoding="utf-8"), str(path))


def parsed(source: str, file: str = "<source>") -> ast.Module:
    """`ast.parse` while the garbage collector waits.

    Python before 3.11.8 counts the depth of nodes once for all threads. A collection within `ast.parse` calls
    Python code, another thread goes on there, parses, too (a logged traceback does), and the count of both is
    wrong: SystemError, "AST constructor recursion depth mismatch" (gh-106905).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source, file)
    finally:
        if was_on:
            gc.enable()
