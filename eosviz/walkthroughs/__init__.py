"""Stepping: sessions, branches and steps, and the WebSocket protocol that moves them."""
