"""Short pseudocode of our own for each component of Kafka, with every line tied to what the engine says of it."""

from engine.pseudocode.documents import Component, Line, components, place_of_sentence, read_component

__all__ = ["Component", "Line", "components", "place_of_sentence", "read_component"]
