"""Cases drawn from Kafka, run through the same objects that scenarios use."""
