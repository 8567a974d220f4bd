"""Short pseudocode of our own for each component of Kafka, with every line tied to what the engine says of it."""
