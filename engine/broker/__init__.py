"""Brokers, their partition logs, and the controller with its ZooKeeper. README.md says where to start
reading."""
