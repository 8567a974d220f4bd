"""Stepping through runs: sessions, branches and steps, and the WebSocket protocol with which pages step."""
