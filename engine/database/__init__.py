"""A database beside Kafka with a commit of its own, and the services that write to both."""
