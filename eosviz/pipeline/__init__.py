"""Everything that runs on Spark: sweeps, audits, and the logs of real brokers."""
