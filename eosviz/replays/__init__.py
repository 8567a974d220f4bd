"""Sessions as files: their export and import, and the analysis of logs that real brokers wrote."""
