"""Short pseudocode for each component of Kafka, written for this project. Its lines are linked to the
engine's sentences, tests and requirements that belong to them."""
