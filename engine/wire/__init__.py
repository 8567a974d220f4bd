"""Kafka's requests and responses: from bytes and to bytes."""
