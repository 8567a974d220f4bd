"""The producer client and the consumer. Start reading in README.md."""
