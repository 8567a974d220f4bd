"""Sweeps, shrinks and audits, which run on Spark, and the analysis of real brokers' logs, which may run on
Spark. Analyses of classes are in `eosviz/analytics`."""
