"""Links between actors, and what faults do to what crosses them (GEN-5, GEN-6)."""

from engine.messages import Connect, Disconnect
from engine.network.links import Network

__all__ = ["Connect", "Disconnect", "Network"]
