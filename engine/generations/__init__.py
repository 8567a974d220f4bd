"""One scenario in several generations of Kafka: whether it ends otherwise, where, and by which row of the profiles."""
