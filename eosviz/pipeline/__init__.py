"""Sweeps, shrinks and audits, which run on Spark, and the logs of real brokers, which may. `eosviz/analytics`
has the analyses of classes."""
