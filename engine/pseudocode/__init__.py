"""Short pseudocode for each component of Kafka, written for this project. Every line is tied to what the
engine says about it."""
