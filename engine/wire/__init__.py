"""Kafka's requests and responses as bytes: reading and writing."""
