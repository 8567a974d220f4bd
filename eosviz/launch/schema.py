"""`make schema`: writes the schema of all data that server and page send each other, and generates the page's
types from it."""

from eosviz.launch.commands import require
from eosviz.launch.frontend import find_node
from eosviz.launch.places import environment_python


def write_schema() -> None:
    node = find_node()
    require([environment_python(), "-m", "eosviz.contract"], "the last line above says what is wrong")
    require(
        node.npm("run", "types", "--silent"), "the last line above says what is wrong", node.environment()
    )
