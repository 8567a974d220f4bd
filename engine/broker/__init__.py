"""Brokers, their partition logs, and the controller with its ZooKeeper. ``engine/README.md`` says where to start
reading."""
