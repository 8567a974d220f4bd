"""Sweeps, shrinks and audits, which run on Spark, and the analysis of real brokers' logs, which can run on
Spark. `eosviz/analytics` has the analyses of classes."""
