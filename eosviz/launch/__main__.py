"""`python3 -m eosviz.launch VERB`. Most verbs are also targets of the Makefile; `make help` describes the targets."""

import sys
from collections.abc import Callable

from eosviz.launch.commands import say
from eosviz.launch.lint import lint
from eosviz.launch.parts import run_parts
from eosviz.launch.problem import Problem
from eosviz.launch.run import run
from eosviz.launch.schema import write_schema
from eosviz.launch.setup import set_up, set_up_environment, set_up_with_tools
from eosviz.launch.storage import CANNOT_WRITE


def test() -> None:
    set_up_with_tools()
    sys.exit(run_parts(with_slow=False))


def test_all() -> None:
    set_up_with_tools()
    sys.exit(run_parts(with_slow=True))


VERBS: dict[str, Callable[[], None]] = {
    "environment": set_up_environment,
    "setup": set_up,
    "tools": set_up_with_tools,
    "run": run,
    "serve": lambda: run(prepare=False),
    "schema": write_schema,
    "lint": lambda: sys.exit(lint()),
    "test": test,
    "test-all": test_all,
}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in VERBS:
        say(f"usage: python3 -m eosviz.launch {'|'.join(VERBS)}")
        return 2
    try:
        VERBS[sys.argv[1]]()
    except Problem as problem:
        say(f"eosviz: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if (what := CANNOT_WRITE.get(error.errno or 0)) is None:
            raise
        say(f"eosviz: {what} ({error.filename or 'no file named'}): put that right and try again")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
