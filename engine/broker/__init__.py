"""Brokers, their partition logs, and the controllers: with ZooKeeper and without. ``engine/README.md`` says
where to start reading."""
