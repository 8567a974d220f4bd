"""Runs one scenario in several generations of Kafka, and finds whether its run ends differently, where the
difference begins, and which field of the profiles causes it."""
