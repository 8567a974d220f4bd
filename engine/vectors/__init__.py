"""Runs test cases made from Kafka on the same objects that scenarios use."""
