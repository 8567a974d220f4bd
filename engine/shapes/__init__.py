"""The engine's output as types: header, step, view and plan (docs/frame.md). They describe JSON. The schema
of the messages between server and page is made from them (``eosviz/contract``). An empty table of the view
may be absent, so tables are ``NotRequired``."""
