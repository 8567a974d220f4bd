"""One scenario in several generations of Kafka: whether its run ends differently, where, and because of which
row of the profiles."""
