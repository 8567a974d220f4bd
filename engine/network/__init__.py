"""Links between actors, and what faults do to what crosses them (GEN-5, GEN-6)."""

from engine.network.links import Connect, Disconnect, Network

__all__ = ["Connect", "Disconnect", "Network"]
