"""One scenario in several generations of Kafka: whether its run ends differently, where the difference
begins, and which row of the profiles causes it."""
