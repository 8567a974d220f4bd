"""Everything that runs on Spark: sweeps over settings, faults and seeds."""
