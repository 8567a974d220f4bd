"""What a scenario document means, and the library of all of them."""

from engine.scenario.document import BadScenario, Scenario, load, parse
from engine.scenario.shelf import LibraryEntry, entry, library

__all__ = ["BadScenario", "LibraryEntry", "Scenario", "entry", "library", "load", "parse"]
