"""Short pseudocode for each component of Kafka, with links to the engine's sentences, tests and requirements."""
