"""The syntax trees of source files, for tests that check rules about code."""

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a Python file. Tests share it, so they must not change it."""
    return parsed(path.read_text(encoding="utf-8"), str(path))


def parsed(source: str, file: str = "<source>") -> ast.Module:
    """Call `ast.parse` with the garbage collector switched off.

    Python before 3.11.8 counts the depth of nodes in one place for all threads. A garbage collection within
    `ast.parse` may call Python code, so that another thread runs and parses, too (a logged traceback does); then the
    count is wrong for both: SystemError, "AST constructor recursion depth mismatch" (gh-106905).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(source, file)
    finally:
        if was_on:
            gc.enable()
