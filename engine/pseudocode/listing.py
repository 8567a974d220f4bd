"""Makes the text of a component's pseudocode in one language: title, purpose and state machines, then each line with
its requirements and its classes and methods of Kafka. Also finds the lines about a sentence, test or requirement."""

from __future__ import annotations

from collections.abc import Iterator

from engine.explain.sentences import catalogue
from engine.pseudocode.documents import INDENT, WIDTH_MAX, Component, Line, columns


def component_lines(component: Component, language: str = "en") -> Iterator[str]:
    """The component's title, purpose and state machines; then its lines, with their requirements and their classes
    and methods of Kafka."""
    words = catalogue()
    kafka = f" ({component.kafka})" if component.kafka else ""
    yield f"{component.name}: {words[component.title].text(language)}{kafka}"
    yield f"  {words[component.about].text(language)}"
    for machine in component.machines:
        yield f"  machine: {machine}"
    yield ""
    for line in component.lines:
        yield _shown(line, language)


def _shown(line: Line, language: str) -> str:
    space = " " * (INDENT * line.depth)
    if line.comment:
        return f"{space}# {catalogue()[line.comment].text(language)}"
    ties = [*line.rules]
    if line.kafka:
        ties.append(line.kafka)
    code = f"{space}{line.code(language)}"
    return f"{code}{' ' * (WIDTH_MAX - columns(code))}  {'  '.join(ties)}".rstrip()


def lines_about(component: Component, key: str) -> Iterator[str]:
    """The lines of a component that are tied to this sentence, test or requirement."""
    for number, line in enumerate(component.lines, 1):
        if key in (*line.says, *line.rules, *(test for _, test in line.decides)):
            yield f"  line: {component.name}:{number}  {line.text}"
