"""What runs on Spark: sweeps, shrinks, audits, and the logs of real brokers. `eosviz/analytics` has the
analyses of classes."""
