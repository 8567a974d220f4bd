"""Reads and writes Kafka's requests and responses as bytes."""
