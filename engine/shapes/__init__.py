"""The engine's output as types: header, step, view and plan (docs/frame.md). They describe JSON. The schema
of the messages between server and page is made from them (``eosviz/contract``). A table of the
view that may be absent while it is empty is ``NotRequired``."""
